import { describe, expect, it } from 'vitest';
import type { Address } from '../identifiers/identifiers.ts';
import {
  applyProvenanceLog,
  NO_PROVENANCE,
  passEvent,
  restartPositions,
  type Provenance,
  type ProvenanceLog,
} from './provenance.ts';

const ALICE = `0x${'a1'.repeat(20)}` as Address;
const BOB = `0x${'b0'.repeat(20)}` as Address;

const transferred = (
  to: Address | undefined,
  blockTimestamp: number,
  transactionHash = `tx${blockTimestamp}`,
): ProvenanceLog => ({
  kind: 'transfer',
  to,
  blockTimestamp,
  transactionHash,
});
const controllerUpdated = (transactionHash: string): ProvenanceLog => ({
  kind: 'controller',
  blockTimestamp: 25,
  transactionHash,
});
const chip = (expiresAt: bigint | undefined): ProvenanceLog =>
  expiresAt === undefined ? { kind: 'chip-revoked' } : { kind: 'chip-attested', expiresAt };

function after(seq: number, ...logs: readonly ProvenanceLog[]): Provenance {
  return logs.reduce((provenance, log) => applyProvenanceLog(provenance, log, seq), NO_PROVENANCE);
}

describe('a change of hands', () => {
  it('is neither the mint nor a transfer to the same owner', () => {
    expect(after(3, transferred(ALICE, 10), transferred(ALICE, 20))).toStrictEqual({ ...NO_PROVENANCE, owner: ALICE });
  });

  it('is not a burn', () => {
    expect(after(3, transferred(ALICE, 10), transferred(undefined, 20))).toStrictEqual({
      ...NO_PROVENANCE,
      owner: ALICE,
    });
  });

  it('is a transfer to another owner, with the number of events before it', () => {
    expect(after(3, transferred(ALICE, 10), transferred(BOB, 20))).toStrictEqual({
      ...NO_PROVENANCE,
      owner: BOB,
      changeOfHands: { at: 20, seq: 3, transactionHash: 'tx20' },
      isAccepted: false,
      changedHandsAfter: 20,
    });
  });

  it('is dated by the first of several for the next event, and by the newest for the machine', () => {
    const sold = after(3, transferred(ALICE, 10), transferred(BOB, 20), transferred(ALICE, 30));
    expect(sold).toMatchObject({ changeOfHands: { at: 30 }, changedHandsAfter: 20 });
    const [evidence, next] = passEvent(sold, 40);
    expect(evidence.changedHandsBefore).toBe(20);
    expect(next).toStrictEqual({ ...sold, changedHandsAfter: undefined });
    expect(passEvent(next, 50)[0].changedHandsBefore).toBeUndefined();
  });

  it('is accepted by a controller update in a later transaction only', () => {
    const sold = after(3, transferred(ALICE, 10), transferred(BOB, 20));
    expect(applyProvenanceLog(sold, controllerUpdated('tx20'), 3).isAccepted).toBe(false);
    const accepted = applyProvenanceLog(sold, controllerUpdated('tx21'), 3);
    expect(accepted).toStrictEqual({ ...sold, isAccepted: true, acceptedAt: 25 });
    expect(applyProvenanceLog(accepted, controllerUpdated('tx26'), 3)).toBe(accepted);
    const resold = applyProvenanceLog(accepted, transferred(ALICE, 30), 3);
    expect([resold.isAccepted, resold.acceptedAt]).toEqual([false, undefined]);
  });

  it('is before all events of a history that an import restarts', () => {
    const sold = after(3, transferred(ALICE, 10), transferred(BOB, 20));
    const restarted = restartPositions(sold);
    expect(restarted).toMatchObject({ changeOfHands: { at: 20, seq: 0 }, changedHandsAfter: undefined });
    expect(restartPositions(after(3, transferred(ALICE, 10)))).toStrictEqual({ ...NO_PROVENANCE, owner: ALICE });
  });
});

describe('a chip record', () => {
  it.each([
    ['none', NO_PROVENANCE, false],
    ['one without expiry', after(0, chip(0n)), true],
    ['one that expires a second later', after(0, chip(101n)), true],
    ['one that expires in the second of the block', after(0, chip(100n)), false],
    ['a revoked one', after(0, chip(0n), chip(undefined)), false],
    ['one that replaces a revoked one', after(0, chip(0n), chip(undefined), chip(200n)), true],
  ])('judges an event at second 100 by %s', (_, provenance, isChipOnRecord) => {
    expect(passEvent(provenance, 100)[0].isChipOnRecord).toBe(isChipOnRecord);
  });
});
