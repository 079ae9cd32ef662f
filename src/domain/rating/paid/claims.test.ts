import { utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';

import type { MachineId } from '../../identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../../identifiers/namespace.ts';
import { createAltChainKey, createMainChainKey } from '../../signatures/account-keys.ts';
import { PORTABLE_CURVES } from '../../signatures/portable-curves.ts';
import { createSignatureChecks } from '../../signatures/signature-checks.ts';
import { applyClaimRecord, claimsInForceAt, listClaimedHands, type Claim, type ClaimRecord } from './claims.ts';
import { formatPayoutText } from './payout-proof.ts';

const MACHINE = 7n as MachineId;
const OWNER = `0x${'a1'.repeat(20)}`;
const BUYER = `0x${'b2'.repeat(20)}`;
const ALT_OWNER = createAltChainKey(new Uint8Array(32).fill(1)).key;
const ALT_BUYER = createAltChainKey(new Uint8Array(32).fill(2)).key;
const CONTEXT = { id: MACHINE, namespace: DEFAULT_NAMESPACE, checks: createSignatureChecks(PORTABLE_CURVES) };

const keyOf = (number: number) => createMainChainKey(new Uint8Array(32).fill(number));
const accountOf = (number: number) => keyOf(number).address;

/** Event `seq` with a proof of account `number`, in block `1000 + seq`; `home` is the owner that the main chain knows. */
function proof(seq: number, number: number, owner: string, home: string | undefined = owner): ClaimRecord {
  const key = keyOf(number);
  const text = formatPayoutText(MACHINE, { account: key.address, owner }, DEFAULT_NAMESPACE);
  const metadata = { payout: key.address, owner, proof: key.sign(utf8ToBytes(text)) };
  return {
    kind: 'event',
    seq,
    blockTimestamp: 1000 + seq,
    owner: home,
    metadata: utf8ToBytes(JSON.stringify(metadata)),
  };
}

const altProof = (seq: number, number: number, owner: string): ClaimRecord => ({
  ...(proof(seq, number, owner) as ClaimRecord & { kind: 'event' }),
  owner: undefined,
});
const end = (seq: number): ClaimRecord => ({ kind: 'end', seq, blockTimestamp: 1000 + seq });
const claimsOf = (records: readonly ClaimRecord[]) =>
  records.reduce<readonly Claim[]>((claims, record) => applyClaimRecord(claims, record, CONTEXT), []);
const inForce = (claims: readonly Claim[]) => claims.filter((claim) => claim.end === undefined).map((c) => c.account);

describe('claims', () => {
  it('are made by valid proofs, from the block of the event on', () => {
    expect(claimsOf([proof(3, 1, OWNER)])).toEqual([
      { account: accountOf(1), owner: OWNER, since: 1003, seq: 3, end: undefined },
    ]);
  });

  it('require the owner that the main chain knows at the event', () => {
    expect(claimsOf([proof(0, 1, OWNER, BUYER)])).toEqual([]);
  });

  it('are not renewed by a repeated proof', () => {
    expect(claimsOf([proof(0, 1, OWNER), proof(5, 1, OWNER)]).map(({ since }) => since)).toEqual([1000]);
  });

  it('end with a change of hands, and the old proof makes none again under the old owner', () => {
    const claims = claimsOf([proof(0, 1, OWNER), end(1), end(2), proof(3, 1, OWNER)]);
    expect(claims).toEqual([{ account: accountOf(1), owner: OWNER, since: 1000, seq: 0, end: { at: 1001, seq: 1 } }]);
  });

  it('of the same account can be made by a new owner', () => {
    expect(inForce(claimsOf([proof(0, 1, OWNER), end(1), proof(1, 1, BUYER)]))).toEqual([accountOf(1)]);
  });

  it('are limited to 16 in force under one owner; an ignored proof can claim later', () => {
    const many = Array.from({ length: 17 }, (_, at) => proof(at, at + 1, OWNER));
    expect(claimsOf(many)).toHaveLength(16);
    expect(inForce(claimsOf([...many, end(17), proof(17, 17, OWNER)]))).toEqual([accountOf(17)]);
  });

  it('on the alt chain end before a claim that names another owner', () => {
    const claims = claimsOf([altProof(0, 1, ALT_OWNER), altProof(4, 2, ALT_BUYER)]);
    expect(claims.map((claim) => claim.end)).toEqual([{ at: 1004, seq: 4 }, undefined]);
    expect(listClaimedHands(claims)).toEqual([4]);
  });

  it('on the alt chain name a Solana address as owner', () => {
    expect(claimsOf([altProof(0, 1, OWNER)])).toEqual([]);
  });

  it('are in force at an event from their own on, up to their end', () => {
    const claims = claimsOf([proof(2, 1, OWNER), end(5)]);
    expect([1, 2, 4, 5].map((seq) => claimsInForceAt(claims, seq).length)).toEqual([0, 1, 1, 0]);
  });
});
