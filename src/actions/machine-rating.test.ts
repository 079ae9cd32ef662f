/** Changes of hands since the chip record of a machine was issued, and the work that a missing history is read for. */
import { expect, test, vi } from 'vitest';
import { createFixedRates } from '../adapters/fx/feed-rates.ts';
import type { AttestationRecord } from '../domain/evidence/verify-status.ts';
import type { MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { chainUnreadable } from '../domain/faults.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import type { WorkScope } from '../ports/runtime.ts';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { MAIN_MACHINE } from '../../testing/harness/alt-chain.ts';
import { hasChipChangedHands, rateSnapshot, type RatedSnapshot } from './machine-rating.ts';
import { ABSENT, present } from '../domain/read-result.ts';

const ISSUED_AT = 1_788_000_000;
const CHIP: AttestationRecord = { issuedAt: BigInt(ISSUED_AT), expiresAt: undefined, revokedAt: undefined };

/** Returns the result for a machine that changed hands `at`. */
function judge(chip: AttestationRecord | undefined, at?: number, parts: Partial<RatedSnapshot> = {}) {
  const attestations = present({ operator: undefined, kyb: undefined, chip });
  const changeOfHands = at === undefined ? undefined : { seq: 0, at };
  return hasChipChangedHands({ snapshot: { attestations }, changeOfHands, ...parts } as RatedSnapshot);
}

test.each([
  ['never', undefined, false],
  ['before the record', ISSUED_AT - 1, false],
  ['in its second', ISSUED_AT, true],
  ['after it', ISSUED_AT + 1, true],
])('compares the record with a machine that changed hands %s', (_name, at, expected) => {
  expect(judge(CHIP, at)).toBe(expected);
});

test.each<[name: string, result: boolean | undefined]>([
  ['without a record', judge(undefined, ISSUED_AT)],
  ['with a revoked record', judge({ ...CHIP, revokedAt: 1n }, ISSUED_AT)],
  ['of the alt chain', judge(CHIP, ISSUED_AT, { alt: {} as RatedSnapshot['alt'] })],
  [
    'without a registry',
    judge(CHIP, ISSUED_AT, { snapshot: { attestations: ABSENT } as unknown as RatedSnapshot['snapshot'] }),
  ],
])('says nothing about a machine %s', (_name, result) => {
  expect(result).toBeUndefined();
});

test('extends the work of the request before it reads a missing history', async () => {
  const calls: string[] = [];
  const readRatingState = () => {
    calls.push('read');
    return Promise.reject(chainUnreadable('main', 'events'));
  };
  const ctx = createStubCtx({
    workScope: { extend: () => calls.push('extend') } as Partial<WorkScope> as WorkScope,
    store: { readRatingState } as Partial<Ctx['store']> as Ctx['store'],
    fxRates: createFixedRates([]),
  });
  const main = { chain: {}, counters: { checkMachine: vi.fn() } } as unknown as MainChainPorts;
  await expect(rateSnapshot(ctx, main, MAIN_MACHINE as MachineSnapshot)).rejects.toThrow();
  expect(calls).toEqual(['extend', 'read']);
});
