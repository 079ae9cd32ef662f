/** Ten changes of a signed statement that every verifier refuses (design/provable 1). */
import { createMainChainKey } from '../../../src/domain/signatures/account-keys.ts';
import { SECP256K1_ORDER } from '../../../src/domain/signatures/signature-encoding-rules.ts';
import { signStatement, type RatingStatement } from '../../../src/domain/statements/rating-statement.ts';
import type { StatementResponse } from '../../../src/http/wire/response-types.ts';

/** Returns a document of another content, whose types the wire does not allow. */
type Tampering = (from: StatementResponse) => object;

/** Returns the second valid form of the signature: n - s with the other recovery byte. */
function malleate(signature: string): string {
  const s = SECP256K1_ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}`;
}

const change =
  (changes: (statement: RatingStatement) => Partial<RatingStatement>): Tampering =>
  (from) => ({ ...from, statement: { ...from.statement, ...changes(from.statement) } });

const STRANGER = createMainChainKey(new Uint8Array(32).fill(9));

/** Each with its name, for a statement with a rating. */
export const TAMPERINGS: readonly [string, Tampering][] = [
  ['another machine', change(({ machineId }) => ({ machineId: String(BigInt(machineId) - 1n) }))],
  ['a better letter', change(() => ({ rating: 'AAAA' }))],
  ['a better score', change(({ scoreHundredths }) => ({ scoreHundredths: scoreHundredths + 1 }))],
  ['a cleared flag', change(({ negativeFlag }) => ({ negativeFlag: !negativeFlag }))],
  ['another KYB status', change(({ kyb }) => ({ kyb: kyb === 'verified' ? 'revoked' : 'verified' }))],
  ['another block', change(({ blockNumber }) => ({ blockNumber: String(BigInt(blockNumber) + 1n) }))],
  ['a later rating', change(({ ratedAt }) => ({ ratedAt: ratedAt - 1 }))],
  ['a longer validity', change(({ validUntil }) => ({ validUntil: validUntil + 1 }))],
  ['the other form of its signature', (from) => ({ ...from, signature: malleate(from.signature) })],
  [
    'the signature of a stranger',
    ({ statement, domain, explanation }) => ({ ...signStatement(statement, domain, STRANGER), explanation }),
  ],
];
