/** Machines that are known to the call budget once a read found them. */
import { expect, test } from 'vitest';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { ABSENT, present, unreadable } from '../../domain/read-result.ts';
import { startDeadline, type Deadline } from '../rpc/deadline.ts';
import { createKnownKeys } from '../rpc/known-keys.ts';
import { createMainChainReads } from './main-chain-reads.ts';

const ID = 7n as MachineId;
const ALT_ORDINAL = 5;

test.each([
  ['has a token', { owner: present('0x1'), homeOrdinal: present(1) }, true],
  ['has its recorded home on the alt chain', { owner: ABSENT, homeOrdinal: present(ALT_ORDINAL) }, true],
  ['has neither a token nor a recorded home', { owner: ABSENT, homeOrdinal: present(0) }, false],
  ['has an unreadable home', { owner: ABSENT, homeOrdinal: unreadable('undecodable') }, false],
])('a read of a machine that %s makes it known where it is registered', async (_, facts, isKnown) => {
  const purposes: boolean[] = [];
  const chain = createMainChainReads({
    uncached: {},
    readiness: {},
    addresses: {},
    head: { fresh: () => ({ number: 1 }) },
    startRead: () => startDeadline(1_000, 1_000),
    known: createKnownKeys<MachineId>(),
    snapshots: { get: (_id: MachineId, _first: boolean, _head: unknown, read: () => unknown) => read() },
    snapshotReader: {
      read: async ({ deadline }: { readonly deadline: Deadline }) => {
        purposes.push(deadline.purpose.isKnown);
        return facts;
      },
    },
  } as never);
  const options = { eventsFrom: async () => 0, firstEvents: false };
  await chain.readMachine(ID, options);
  await chain.readMachine(ID, options);
  expect(purposes).toEqual([false, isKnown]);
});
