import { describe, expect, it } from 'vitest';
import type { EventChange } from '../../domain/alt-chain/event-operation.ts';
import type { FoundOperation } from '../../ports/alt-store.ts';
import { recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { numberOperations, emptyMachineState } from './event-numbering.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';

const machineId = machine(11);
const record = recordOf(1);

const submitted = (eventIndex?: number): EventChange => ({
  kind: 'submitted',
  machineId,
  eventIndex: eventIndex === undefined ? undefined : BigInt(eventIndex),
  record,
});
const imported = (priorEventCount: bigint, hasAnchor = true): EventChange => ({
  kind: 'imported',
  machineId,
  priorEventCount,
  record: hasAnchor ? record : undefined,
});
const adopted = (count: bigint | undefined, hasRecord = true): EventChange => ({
  kind: 'adopted',
  machineId,
  priorEventCount: 3n,
  count,
  record: hasRecord ? record : undefined,
});
const closed: EventChange = { kind: 'closed', machineId, count: undefined };

function found(change: EventChange, k: number, blockTime: number | undefined = 1_000 + k): FoundOperation {
  return { change, signature: `tx${k}`, slot: 100 + k, position: undefined, order: 0, blockTime };
}

function number(...changes: readonly EventChange[]) {
  const { state, operations } = numberOperations(
    emptyMachineState(machineId),
    changes.map((change, k) => found(change, k)),
  );
  return { state, places: operations.map(({ incarnation, eventIndex }) => [incarnation, eventIndex]) };
}

const none = undefined;

describe('numbering', () => {
  it.each([
    ['are named by logs', [submitted(0), submitted(1), submitted(2)], [0, 1, 2].map((k) => [0, k]), none],
    ['follow from the order', [submitted(), submitted(), submitted()], [0, 1, 2].map((k) => [0, k]), none],
    ['are partly named by logs', [submitted(), submitted(1), submitted()], [0, 1, 2].map((k) => [0, k]), none],
    [
      'leave a gap',
      [submitted(0), submitted(2)],
      [
        [0, 0],
        [0, 2],
      ],
      'numbering',
    ],
    [
      'are taken already',
      [submitted(0), submitted(1), submitted(1)],
      [
        [0, 0],
        [0, 1],
        [0, none],
      ],
      'numbering',
    ],
    [
      'restart after a close',
      [submitted(0), closed, submitted(0)],
      [
        [0, 0],
        [0, none],
        [1, 0],
      ],
      none,
    ],
    [
      'drop the gap after a close',
      [submitted(5), closed, submitted(0)],
      [
        [0, 5],
        [0, none],
        [1, 0],
      ],
      none,
    ],
    [
      'start with an anchor',
      [imported(4n), submitted(1)],
      [
        [0, 0],
        [0, 1],
      ],
      none,
    ],
    [
      'start without an anchor',
      [imported(4n, false), submitted(0)],
      [
        [0, none],
        [0, 0],
      ],
      none,
    ],
    [
      'restart with an import whose close was missed',
      [submitted(0), imported(4n)],
      [
        [0, 0],
        [1, 0],
      ],
      none,
    ],
    [
      'follow an adoption, whatever its count',
      [imported(4n, false), adopted(1n), submitted(1)],
      [
        [0, none],
        [0, 0],
        [0, 1],
      ],
      none,
    ],
    [
      'follow an adoption without a log',
      [adopted(none), adopted(none, false), submitted()],
      [
        [0, 0],
        [0, none],
        [0, 1],
      ],
      none,
    ],
    ['exceed every number', [submitted(2 ** 64)], [[0, none]], 'numbering'],
  ] as const)('handles indexes that %s', (_, changes, places, problem) => {
    const numbered = number(...changes);
    expect(numbered.places).toEqual(places);
    expect(numbered.state.problem).toBe(problem);
  });

  it('continues from the known state', () => {
    const first = number(submitted(0), closed, imported(4n)).state;
    expect(first).toEqual({
      id: machineId,
      revision: 1,
      incarnation: 1,
      eventCount: 1,
      nextIndex: 1,
      priorEventCount: 4n,
      operationCount: 3,
      lastSlot: 102,
      newestBlockTime: 1_002,
      problem: undefined,
    });
    const { state, operations } = numberOperations(first, [found(submitted(), 9)]);
    expect(operations).toEqual([{ ...found(submitted(), 9), seq: 3, incarnation: 1, eventIndex: 1 }]);
    expect(state).toEqual({
      ...first,
      eventCount: 2,
      nextIndex: 2,
      operationCount: 4,
      lastSlot: 109,
      newestBlockTime: 1_009,
    });
  });

  it.each([
    ['falls', 999, 1],
    ['is unknown', undefined, undefined],
  ])('marks a machine whose block time %s', (_, blockTime, eventIndex) => {
    const first = number(submitted(0)).state;
    const late = { ...found(submitted(1), 1), blockTime };
    const { state, operations } = numberOperations(first, [late]);
    expect([operations[0]!.eventIndex, state.problem, state.newestBlockTime]).toEqual([eventIndex, 'numbering', 1_000]);
  });
});
