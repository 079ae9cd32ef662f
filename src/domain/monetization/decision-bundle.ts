/**
 * Bundle of a machine's decision log for third parties, and its verification: chain, signatures, authority and signed head (design/provable 2).
 * Verification is total: it never throws, whatever the bundle is.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { parseAltKey } from '../identifiers/alt-identifiers.ts';
import { formatAddress, parseAddress, parseMachineId, type Address } from '../identifiers/identifiers.ts';
import { isObject } from '../json/json-values.ts';
import { PORTABLE_CURVES } from '../signatures/portable-curves.ts';
import type { MainChainKey } from '../signatures/account-keys.ts';
import { createSignatureChecks } from '../signatures/signature-checks.ts';
import { parseEd25519Signature, parseRecoverableSignature } from '../signatures/signature-parsing.ts';
import type { StatementDomain } from '../statements/rating-statement.ts';
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
} from '../statements/signed-document.ts';
import { isKeyValidAt, type StatementKey } from '../statements/statement-keys.ts';
import { hashLogHead, LOG_HEAD_TYPES, signLogHead, type SignedLogHead } from './decision-log-head.ts';
import { hashDecisionRow, type DecisionRow } from './decision-log.ts';
import { formatDecisionMessage } from './decision-message.ts';
import type { DecisionHome } from './decision.ts';

/** Row with its hash. */
export interface BundledDecision extends DecisionRow {
  readonly hash: string;
}

export interface DecisionBundle {
  readonly machine_id: string;
  /** Oldest first. */
  readonly decisions: readonly BundledDecision[];
  /** Signed head of the rows that were pruned; null: none was. */
  readonly checkpoint: SignedLogHead | null;
  /** Signed when the bundle was made. */
  readonly head: SignedLogHead;
  readonly domain: StatementDomain;
  readonly types: typeof LOG_HEAD_TYPES;
}

/** Why a bundle proves nothing. The first that applies is reported. */
export type BundleProblem =
  | 'malformed' // not a closed document of the documented form
  | 'wrong domain' // of another deployment
  | 'wrong types'
  | 'wrong machine' // a row or a head of another machine
  | 'broken chain' // a row does not have its hash, or does not follow the one before
  | 'wrong message' // the signed message says something else than its row
  | 'wrong decision signature' // the decision is not signed by its signer
  | 'not entitled' // the signer was neither owner nor controller
  | 'invalid signature' // of a head: not 65 canonical bytes, or no key can be recovered
  | 'wrong signer' // of a head: the signature is not of the named signer
  | 'unknown signer' // the signer of a head is none of the accepted keys
  | 'key not valid' // the key was revoked, or not in use when a head was signed
  | 'wrong checkpoint' // rows are missing before the first
  | 'wrong head' // rows are missing after the last, or between
  | 'not valid yet' // signed in the future
  | 'known head missing'; // the stored head is not in the chain

export interface BundleExpectation {
  readonly domain: StatementDomain;
  /** Keys that the verifier accepts. */
  readonly keys: readonly StatementKey[];
  readonly nowSeconds: number;
  /** Hash of a head that the verifier has stored. */
  readonly knownHead?: string | undefined;
}

export type BundleVerification =
  { readonly bundle: DecisionBundle; readonly problem?: never } | { readonly problem: BundleProblem };

const CHECKS = createSignatureChecks(PORTABLE_CURVES);

const BUNDLE_MEMBERS = ['machine_id', 'decisions', 'checkpoint', 'head', 'domain', 'types'];
const ROW_MEMBERS = ['machine_id', 'opted_in', 'timestamp', 'signer', 'signature', 'message', 'authority', 'previous'];
const LINE_FEED = '\n';
const HOME_LINE = /^home_chain: ([1-9][0-9]{0,4})$/;

/** Makes the bundle of a machine's rows, oldest first, of which there is at least one. The head is signed by a key that may sign now. */
export function signBundle(
  decisions: readonly BundledDecision[],
  checkpoint: SignedLogHead | undefined,
  { domain, key, nowSeconds }: { domain: StatementDomain; key: MainChainKey; nowSeconds: number },
): DecisionBundle {
  const { machine_id: machineId, hash } = decisions.at(-1)!;
  const count = (checkpoint?.head.count ?? 0) + decisions.length;
  return {
    machine_id: machineId,
    decisions,
    checkpoint: checkpoint ?? null,
    head: signLogHead({ machineId, hash, count, signedAt: nowSeconds }, domain, key),
    domain,
    types: LOG_HEAD_TYPES,
  };
}

/** Verifies a bundle, given as text or as parsed JSON. A text that parsers read differently is malformed. */
export function verifyBundle(document: unknown, expected: BundleExpectation): BundleVerification {
  const bundle = toDocumentTree(document);
  if (!isBundle(bundle)) return { problem: 'malformed' };
  const problem = findProblem(bundle, expected);
  return problem === undefined ? { bundle } : { problem };
}

function findProblem(bundle: DecisionBundle, expected: BundleExpectation): BundleProblem | undefined {
  const { machine_id: id, decisions, checkpoint, head, domain, types } = bundle;
  if (!isSame(domain, expected.domain)) return 'wrong domain';
  if (!isSame(types, LOG_HEAD_TYPES)) return 'wrong types';
  const heads = checkpoint === null ? [head] : [checkpoint, head];
  if (
    [...decisions.map((row) => row.machine_id), ...heads.map((each) => each.head.machineId)].some((of) => of !== id)
  ) {
    return 'wrong machine';
  }
  if (decisions.some((row, at) => !follows(row, decisions[at - 1]))) return 'broken chain';
  for (const row of decisions) {
    const problem = findRowProblem(row, expected.domain);
    if (problem !== undefined) return problem;
  }
  for (const each of heads) {
    const problem = findHeadProblem(each, expected);
    if (problem !== undefined) return problem;
  }
  if (decisions[0]!.previous !== (checkpoint?.head.hash ?? null)) return 'wrong checkpoint';
  const count = (checkpoint?.head.count ?? 0) + decisions.length;
  if (head.head.hash !== decisions.at(-1)!.hash || head.head.count !== count) return 'wrong head';
  if (heads.some(({ head: { signedAt } }) => signedAt > expected.nowSeconds + CLOCK_SKEW_SECONDS))
    return 'not valid yet';
  const { knownHead } = expected;
  const hashes = [...decisions.map(({ hash }) => hash), checkpoint?.head.hash];
  return knownHead === undefined || hashes.includes(knownHead) ? undefined : 'known head missing';
}

/** Returns whether the row has its hash, and is the next and newer one. The first row is compared with the checkpoint. */
function follows(row: BundledDecision, before: BundledDecision | undefined): boolean {
  if (hashDecisionRow(row) !== row.hash) return false;
  return before === undefined || (row.previous === before.hash && row.timestamp > before.timestamp);
}

function findRowProblem(row: BundledDecision, domain: StatementDomain): BundleProblem | undefined {
  const home = findHome(row.message);
  if (home === undefined || !isMessageOf(row, home, domain)) return 'wrong message';
  if ((home.chain === 'alt') !== (row.authority.slot !== null)) return 'wrong message';
  const { owner, controller } = row.authority;
  const message = utf8ToBytes(row.message);
  if (home.chain === 'main') {
    const signature = parseRecoverableSignature(row.signature);
    const signer = signature && CHECKS.recoverSigner(message, signature);
    if (signer === undefined || formatAddress(signer) !== row.signer) return 'wrong decision signature';
    return [owner, controller].includes(row.signer) ? undefined : 'not entitled';
  }
  const signature = parseEd25519Signature(row.signature);
  const signer = parseAltKey(row.signer);
  if (signature === undefined || signer === undefined || !CHECKS.isSignedBy(signer, message, signature)) {
    return 'wrong decision signature';
  }
  return signer === owner ? undefined : 'not entitled';
}

/** Returns the home that a message is bound to; undefined for a text that is no message. */
function findHome(message: string): DecisionHome | undefined {
  const [, binding = '', home = ''] = message.split(LINE_FEED);
  if (binding.startsWith('registry: ')) return { chain: 'main' };
  const ordinal = HOME_LINE.exec(home)?.[1];
  return ordinal === undefined ? undefined : { chain: 'alt', ordinal: Number(ordinal) };
}

/** Returns whether the message states the row, for this deployment. Its header is that of the deployment when it was signed. */
function isMessageOf(row: BundledDecision, home: DecisionHome, domain: StatementDomain): boolean {
  const decision = { machineId: parseMachineId(row.machine_id)!, optedIn: row.opted_in, timestamp: row.timestamp };
  const registry = parseAddress(domain.verifyingContract);
  const [header = ''] = row.message.split(LINE_FEED, 1);
  if (registry === undefined) return false;
  const deployment = { chainId: String(domain.chainId), registry };
  try {
    return formatDecisionMessage(decision, home, deployment, { message_header: header }) === row.message;
  } catch {
    // A header or an ordinal that no message can have.
    return false;
  }
}

function findHeadProblem(
  { head, signature, signer }: SignedLogHead,
  { domain, keys }: BundleExpectation,
): BundleProblem | undefined {
  const recovered = recoverTypedSigner(signature, hashLogHead(head, domain));
  if (recovered === undefined) return 'invalid signature';
  if (signer !== formatAddress(recovered)) return 'wrong signer';
  const key = keys.find(({ address }) => address === recovered);
  if (key === undefined) return 'unknown signer';
  return isKeyValidAt(key, head.signedAt) ? undefined : 'key not valid';
}

function isBundle(value: unknown): value is DecisionBundle {
  if (!isObject(value) || !hasExactly(value, BUNDLE_MEMBERS)) return false;
  const { machine_id: id, decisions, checkpoint, head } = value;
  return (
    isId(id) &&
    Array.isArray(decisions) &&
    decisions.length > 0 &&
    decisions.every(isRow) &&
    (checkpoint === null || isSignedHead(checkpoint)) &&
    isSignedHead(head)
  );
}

function isRow(value: unknown): value is BundledDecision {
  if (!isObject(value) || !hasExactly(value, [...ROW_MEMBERS, 'hash'])) return false;
  const { previous, timestamp } = value;
  return (
    isId(value['machine_id']) &&
    isFlag(value['opted_in']) &&
    isWhole(timestamp, Number.MAX_SAFE_INTEGER) &&
    timestamp !== 0 &&
    isAccount(value['signer']) &&
    isText(value['signature']) &&
    isText(value['message']) &&
    isAuthority(value['authority']) &&
    (previous === null || isHash(previous)) &&
    isHash(value['hash'])
  );
}

function isAuthority(value: unknown): boolean {
  if (!isObject(value) || !hasExactly(value, ['owner', 'controller', 'block', 'slot'])) return false;
  const { owner, controller, block, slot } = value;
  return (
    isAccount(owner) &&
    isAccount(controller) &&
    isObject(block) &&
    hasExactly(block, ['number', 'hash']) &&
    isDecimal(block['number'], 2n ** 64n) &&
    isHash(block['hash']) &&
    (slot === null || isDecimal(slot, 2n ** 64n))
  );
}

function isSignedHead(value: unknown): value is SignedLogHead {
  if (!isObject(value) || !hasExactly(value, ['head', 'signature', 'signer'])) return false;
  const { head, signature, signer } = value;
  return (
    isObject(head) &&
    hasExactly(head, ['machineId', 'hash', 'count', 'signedAt']) &&
    isId(head['machineId']) &&
    isHash(head['hash']) &&
    isWhole(head['count'], Number.MAX_SAFE_INTEGER) &&
    isWhole(head['signedAt'], Number.MAX_SAFE_INTEGER) &&
    isText(signature) &&
    isText(signer)
  );
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && parseMachineId(value) !== undefined;
}

/** Returns whether the value is a well-formed text, so that it has canonical bytes. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}

/** Returns whether the value is an address in EIP-55 spelling, or a base58 key. */
function isAccount(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const address: Address | undefined = parseAddress(value);
  return address === undefined ? parseAltKey(value) !== undefined : formatAddress(address) === value;
}
