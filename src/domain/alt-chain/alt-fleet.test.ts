import { describe, expect, it } from 'vitest';
import {
  formatAltFleetIdentity,
  groupByOperator,
  isNewObservation,
  judgeFleet,
  type FleetReading,
} from './alt-fleet.ts';
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';

/** A read of rows at slot 100. */
function readingOf(
  rowCount: number,
  before: bigint,
  after: bigint,
  { unattributed = 0, slots = [100, 100] }: { unattributed?: number; slots?: readonly number[] } = {},
): FleetReading {
  const addresses = new Set(Array.from({ length: rowCount }, (_, i) => `row ${i}`));
  return {
    slot: 100,
    fleet: { machinesByOperator: new Map(), unreadableByOperator: new Map(), unattributed, addresses },
    before: { slot: slots[0]!, machineCount: before },
    after: { slot: slots[1]!, machineCount: after },
  };
}

it.each([
  [7n, 7n, 7, 'whole'],
  [0n, 0n, 0, 'whole'],
  [7n, 7n, 6, 'incomplete'],
  [7n, 7n, 8, 'incomplete'],
  [7n, 8n, 7, 'moved'],
  [8n, 7n, 7, 'moved'],
  [2n ** 64n - 1n, 2n ** 64n - 1n, 7, 'incomplete'],
] as const)('judges counts of %d before, %d after, %d rows', (before, after, rowCount, expected) => {
  expect(judgeFleet(readingOf(rowCount, before, after), new Set())).toBe(expected);
});

it('judges rows as incomplete of which one may be of any operator', () => {
  expect(judgeFleet(readingOf(7, 7n, 7n, { unattributed: 1 }), new Set())).toBe('incomplete');
});

describe('equal counts of other slots than that of the rows', () => {
  // A machine came after the first count, another left before the second, and the node omits a third.
  const reading = readingOf(2, 2n, 2n, { slots: [99, 101] });

  it('say nothing where a row is of no earlier read', () => {
    expect(judgeFleet(reading, new Set())).toBe('moved');
    expect(judgeFleet(reading, new Set(['row 0']))).toBe('moved');
  });

  it('suffice where all rows are of an earlier read', () => {
    expect(judgeFleet(reading, new Set(['row 0', 'row 1', 'row 2']))).toBe('whole');
  });

  it.each([
    [100, 101],
    [99, 100],
  ])('suffice where one of them is of the slot of the rows (%d, %d)', (before, after) => {
    expect(judgeFleet(readingOf(2, 2n, 2n, { slots: [before, after] }), new Set())).toBe('whole');
  });
});

describe('groupByOperator', () => {
  const A = '0xaa' as Address;
  const B = '0xbb' as Address;
  const rowOf = (id: bigint, operator: Address | undefined) => ({ id: id as MachineId, operator });

  it('lists each machine under its operator in ascending order of id, and none without an operator', () => {
    const fleet = groupByOperator([rowOf(9n, A), rowOf(10n, B), rowOf(2n, A), rowOf(3n, undefined)]);
    expect(fleet).toStrictEqual({
      machinesByOperator: new Map([
        [A, [2n, 9n]],
        [B, [10n]],
      ]),
      unreadableByOperator: new Map(),
      unattributed: 0,
    });
  });

  it('counts invalid rows by the operator they name', () => {
    const invalid = (operator: Address | undefined) => ({ id: undefined, operator });
    const rows = [invalid(A), invalid(A), invalid(B), invalid(undefined), rowOf(1n, A)];
    expect(groupByOperator(rows)).toMatchObject({
      unreadableByOperator: new Map([
        [A, 2],
        [B, 1],
      ]),
      unattributed: 1,
    });
  });
});

it('identifies a deployment by cluster and program', () => {
  const deployment = { genesisHash: 'genesis' as AltKey, machineRegistry: 'program' as AltKey };
  expect(formatAltFleetIdentity(deployment)).toBe('layout=1 genesis=genesis registry=program');
});

describe('a read of slot 100 at a poll interval of a minute', () => {
  const NOW = 1_788_900_000_000;

  it.each([
    ['no snapshot stored', undefined, 0, true],
    ['after an earlier slot', 99, 0, true],
    ['of the same slot', 100, 0, false],
    ['of the same slot, long ago', 100, 86_400, false],
    ['of the same slot, seen in a future that a clock was set back from', 100, -61, true],
    ['before a later slot', 101, 600, false],
    ['before a later slot that is out of date', 101, 601, true],
  ])('may or may not replace the one before: %s', (_name, slot, ageSeconds, expected) => {
    const stored = slot === undefined ? undefined : { slot, observedAtMilliseconds: NOW - ageSeconds * 1000 };
    expect(isNewObservation(stored, 100, NOW, 60)).toBe(expected);
  });
});
