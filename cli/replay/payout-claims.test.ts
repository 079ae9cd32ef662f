/** Claims of payout accounts as `svc replay` makes them, compared with those of the service. */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { expect, it } from 'vitest';
import { PAID_MACHINE } from '../../testing/fixtures/payment-world.ts';
import { createMainChainKey, PORTABLE_CHECKS } from '../../testing/fixtures/signing-keys.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { applyClaimRecord } from '../../src/domain/rating/paid/claims.ts';
import { formatPayoutText } from '../../src/domain/rating/paid/payout-proof.ts';
import { makeClaims } from './payout-claims.ts';

const ACCOUNT = createMainChainKey(new Uint8Array(32).fill(7));
const OWNER = `0x${'0a'.repeat(20)}`;
const TEXT = formatPayoutText(PAID_MACHINE, { account: ACCOUNT.address, owner: OWNER }, DEFAULT_NAMESPACE);
const SIGNATURE = ACCOUNT.sign(utf8ToBytes(TEXT));

/** Returns the numbers of claims that the service and `svc replay` make from a proof. */
function countClaims(proof: string) {
  const metadata = utf8ToBytes(JSON.stringify({ payout: ACCOUNT.address, owner: OWNER, proof }));
  const context = { id: PAID_MACHINE, namespace: DEFAULT_NAMESPACE, checks: PORTABLE_CHECKS };
  const served = applyClaimRecord(
    [],
    { kind: 'event', seq: 0, blockTimestamp: 1, owner: OWNER, metadata: Buffer.from(metadata) },
    context,
  );
  const record = { seq: 0n, blockTimestamp: 1n, place: [0n, 0n] as const, trust: 1n, owner: OWNER, metadata };
  const [header, did] = TEXT.split('\n') as [string, string];
  const replayed = makeClaims([{ ...record, sourceChainId: 0n, sourceTxHash: '0x0' }], [], {
    ...{ header, did: did.slice('machine: '.length) },
  });
  return { served: served.length, replayed: replayed.length };
}

it.each([
  ['in lower case', SIGNATURE, 1],
  ['with digits in upper case', `0x${SIGNATURE.slice(2).toUpperCase()}`, 1],
  ['with the prefix 0X', `0X${SIGNATURE.slice(2)}`, 0],
])('makes from a proof %s the claims of the service', (_, proof, count) => {
  expect(countClaims(proof)).toEqual({ served: count, replayed: count });
});
