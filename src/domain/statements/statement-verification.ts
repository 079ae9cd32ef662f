/**
 * Verification of a served rating statement: form, domain, types, signature, signer, time and explanation (design/provable 1). Total:
 * never throws, whatever the document is.
 */
import { formatAddress, parseMachineId, type Address } from '../identifiers/identifiers.ts';
import type { JsonTree } from '../json/canonical-json.ts';
import { isObject } from '../json/json-values.ts';
import {
  hashExplanation,
  hashStatement,
  MAX_STATEMENT_LIFETIME_SECONDS,
  STATEMENT_TYPES,
  type RatingStatement,
  type StatementDomain,
} from './rating-statement.ts';
import {
  CLOCK_SKEW_SECONDS,
  hasExactly,
  isDecimal,
  isFlag,
  isHash,
  isSame,
  isWhole,
  recoverTypedSigner,
  toDocumentTree,
} from './signed-document.ts';
import { isKeyValidAt, type StatementKey } from './statement-keys.ts';

/** Why a document proves nothing. The first that applies is reported. */
export type StatementProblem =
  | 'malformed' // not a closed document of the documented form
  | 'wrong domain' // signed for another deployment, or not named as a statement
  | 'wrong types'
  | 'invalid signature' // not 65 canonical bytes, or no key can be recovered
  | 'wrong signer' // the signature is not of the named signer
  | 'unknown signer' // the signer is none of the accepted keys
  | 'key not valid' // the key was revoked, or not in use when the rating was made
  | 'wrong explanation' // the explanation is not the one that was signed
  | 'not valid yet'
  | 'expired';

export interface StatementExpectation {
  readonly domain: StatementDomain;
  /** Keys that the verifier accepts. */
  readonly keys: readonly StatementKey[];
  /** Unix second at which the statement must be valid. */
  readonly nowSeconds: number;
}

export type StatementVerification =
  | { readonly statement: RatingStatement; readonly signer: Address; readonly problem?: never }
  | { readonly problem: StatementProblem };

const DOCUMENT_MEMBERS = ['statement', 'domain', 'types', 'signature', 'signer', 'explanation'];
const WORD = /^[\x21-\x7e]{1,32}$/;

/** Verifies a document, given as text or as parsed JSON. A text that parsers read differently is malformed. */
export function verifyStatement(document: unknown, expected: StatementExpectation): StatementVerification {
  const tree = toDocumentTree(document);
  if (!isObject(tree) || !hasExactly(tree, DOCUMENT_MEMBERS)) return { problem: 'malformed' };
  const { statement, domain, types, signature, signer, explanation } = tree;
  if (!isStatement(statement)) return { problem: 'malformed' };
  if (!isSame(domain, expected.domain)) return { problem: 'wrong domain' };
  if (!isSame(types, STATEMENT_TYPES)) return { problem: 'wrong types' };
  const recovered = recoverTypedSigner(signature, hashStatement(statement, expected.domain));
  if (recovered === undefined) return { problem: 'invalid signature' };
  if (signer !== formatAddress(recovered)) return { problem: 'wrong signer' };
  const key = expected.keys.find(({ address }) => address === recovered);
  if (key === undefined) return { problem: 'unknown signer' };
  if (!isKeyValidAt(key, statement.ratedAt)) return { problem: 'key not valid' };
  if (!isExplained(statement, explanation)) return { problem: 'wrong explanation' };
  if (statement.ratedAt > expected.nowSeconds + CLOCK_SKEW_SECONDS) return { problem: 'not valid yet' };
  if (statement.validUntil < expected.nowSeconds) return { problem: 'expired' };
  return { statement, signer: recovered };
}

/** Returns the text forms of the members, and checks every number's range. */
function isStatement(value: unknown): value is RatingStatement {
  if (!isObject(value) || !hasExactly(value, Object.keys(FORMS))) return false;
  return (
    Object.entries(FORMS).every(([name, isForm]) => isForm(value[name])) &&
    (value['ratedAt'] as number) <= (value['validUntil'] as number) &&
    (value['validUntil'] as number) - (value['ratedAt'] as number) <= MAX_STATEMENT_LIFETIME_SECONDS
  );
}

const FORMS: { readonly [M in keyof RatingStatement]: (value: unknown) => boolean } = {
  machineId: (value) => typeof value === 'string' && parseMachineId(value) !== undefined,
  homeChain: (value) => isWhole(value, 2 ** 16 - 1),
  model: isWord,
  rating: isWord,
  scoreHundredths: (value) => isWhole(value, 10_000),
  bonded: isFlag,
  negativeFlag: isFlag,
  kyb: isWord,
  chip: isWord,
  blockNumber: (value) => isDecimal(value, 2n ** 256n),
  blockHash: isHash,
  altSlot: (value) => isDecimal(value, 2n ** 64n),
  ratedAt: (value) => isWhole(value, Number.MAX_SAFE_INTEGER),
  validUntil: (value) => isWhole(value, Number.MAX_SAFE_INTEGER),
  explanationHash: isHash,
};

function isWord(value: unknown): boolean {
  return typeof value === 'string' && WORD.test(value);
}

function isExplained({ explanationHash }: RatingStatement, explanation: unknown): boolean {
  try {
    return isObject(explanation) && hashExplanation(explanation as JsonTree) === explanationHash;
  } catch {
    // No canonical form: a lone surrogate, or nested beyond the stack.
    return false;
  }
}
