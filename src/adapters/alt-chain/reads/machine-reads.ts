/**
 * How are many machines read with few calls? (chain-svm 5.) What is asked in one tick shares calls of up to 24 machines; only so
 * many calls are under way, and what waits for them shares the next. Nothing present is kept; an absence is, for a short while,
 * because every id that nobody has costs a read (chain-svm 4).
 */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { AltMachineRead } from '../../../ports/alt-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import {
  deriveMachineAddresses,
  deriveSingletonAddresses,
  rememberById,
  type AltPrograms,
} from '../accounts/account-addresses.ts';
import { toAltFault, type AltNodes } from '../rpc/alt-nodes.ts';
import type { AltChainLimits } from '../limits.ts';
import {
  listMachineAccountKeys,
  MAX_MACHINES_PER_READ,
  unwrapDeployment,
  toMachineAccounts,
} from './machine-accounts.ts';
import { getMultipleAccounts } from '../rpc/rpc-methods.ts';
import { createTtlCache } from '../rpc/ttl-cache.ts';
import type { AltUpstreamCounters } from '../rpc/upstream-counters.ts';

export interface MachineReads {
  /** Throws `ChainUnreadable`. */
  read(id: MachineId): Promise<AltMachineRead>;
  /** The same, asked after the call. */
  readNow(id: MachineId): Promise<AltMachineRead>;
}

export interface MachineReadsOptions {
  readonly endpoints: AltNodes;
  readonly programs: AltPrograms;
  readonly ordinal: number;
  readonly clock: Clock;
  readonly limits: AltChainLimits;
  readonly counters: AltUpstreamCounters;
  readonly startRead: () => Deadline;
}

/** One machine that somebody waits for. */
interface Asked {
  readonly id: MachineId;
  readonly deadline: Deadline;
  readonly promise: Promise<AltMachineRead>;
  readonly resolve: (read: AltMachineRead) => void;
  readonly reject: (error: unknown) => void;
}

/** Addresses of so many machines are remembered, about 1 kB each. */
const REMEMBERED_ADDRESSES = 10_000;

export function createMachineReads(options: MachineReadsOptions): MachineReads {
  const { endpoints, programs, ordinal, clock, limits, counters, startRead } = options;
  const addressesOf = rememberById((id) => deriveMachineAddresses(programs, id), REMEMBERED_ADDRESSES);
  const singletons = deriveSingletonAddresses(programs);
  const absences = createTtlCache<MachineId, AltMachineRead>({
    clock,
    maxAgeMilliseconds: limits.absenceAgeMilliseconds,
    maxEntries: limits.maxAbsences,
  });
  const waiting = new Map<MachineId, Asked>();
  // Of an id, the one that was sent last.
  const sent = new Map<MachineId, Asked>();
  let callsUnderWay = 0;
  let isScheduled = false;

  function enqueue(id: MachineId): Promise<AltMachineRead> {
    const asked = { id, deadline: startRead(), ...Promise.withResolvers<AltMachineRead>() };
    waiting.set(id, asked);
    schedule();
    return asked.promise;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (callsUnderWay < limits.maxMachineCalls && waiting.size > 0) void send(takeBatch());
    });
  }

  function takeBatch(): readonly Asked[] {
    const batch = [...waiting.values().take(MAX_MACHINES_PER_READ)];
    for (const asked of batch) {
      waiting.delete(asked.id);
      sent.set(asked.id, asked);
    }
    return batch;
  }

  /** Never rejects: whoever waits is told. */
  async function send(batch: readonly Asked[]): Promise<void> {
    callsUnderWay += 1;
    const sinceMilliseconds = clock.nowMilliseconds();
    try {
      const reads = await readBatch(batch);
      batch.forEach((asked, k) => {
        remember(asked, reads[k]!, sinceMilliseconds);
        asked.resolve(reads[k]!);
      });
    } catch (error) {
      const fault = toAltFault(error);
      for (const { reject } of batch) reject(fault);
    } finally {
      for (const asked of batch) if (sent.get(asked.id) === asked) sent.delete(asked.id);
      callsUnderWay -= 1;
      if (waiting.size > 0) schedule();
    }
  }

  async function readBatch(batch: readonly Asked[]): Promise<readonly AltMachineRead[]> {
    const ids = batch.map(({ id }) => id);
    const keys = listMachineAccountKeys(ids.map(addressesOf), singletons);
    const accounts = await endpoints.askPatiently(getMultipleAccounts(keys), latest(batch));
    const read = toMachineAccounts(accounts, ids, programs, ordinal);
    const deployment = unwrapDeployment(read);
    return read.machines.map((snapshot) => ({ snapshot, deployment }));
  }

  /** A read that was overtaken by a later one says nothing that should be kept. */
  function remember(asked: Asked, read: AltMachineRead, sinceMilliseconds: number): void {
    if (sent.get(asked.id) !== asked) return;
    if (read.snapshot.machine.state === 'absent') absences.keep(asked.id, read, sinceMilliseconds);
    else absences.forget(asked.id);
  }

  return {
    async read(id) {
      counters.machineReads += 1;
      const absence = absences.recall(id);
      if (absence !== undefined) {
        counters.absenceHits += 1;
        return absence;
      }
      return (waiting.get(id) ?? sent.get(id))?.promise ?? enqueue(id);
    },
    async readNow(id) {
      counters.machineReads += 1;
      return waiting.get(id)?.promise ?? enqueue(id);
    },
  };
}

/** The read goes on while one of those who wait for it still wants it. */
function latest(batch: readonly Asked[]): Deadline {
  return batch.map(({ deadline }) => deadline).reduce((a, b) => (b.atMilliseconds > a.atMilliseconds ? b : a));
}
