/**
 * Batched machine reads (chain-svm 5). Reads of one tick share calls of up to 24 machines; concurrent calls are limited, and queued
 * reads share the next call. Present machines are never cached. Absences are cached for a short time, because every unknown id
 * costs a read (chain-svm 4).
 */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { AltMachineRead } from '../../../ports/alt-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import {
  deriveMachineAddresses,
  deriveSingletonAddresses,
  memoizeById,
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
  /** Like `read`, but never joins a call already sent and never uses the cache. */
  readNow(id: MachineId): Promise<AltMachineRead>;
}

export interface MachineReadsOptions {
  readonly nodes: AltNodes;
  readonly programs: AltPrograms;
  readonly ordinal: number;
  readonly clock: Clock;
  readonly limits: AltChainLimits;
  readonly counters: AltUpstreamCounters;
  readonly startRead: () => Deadline;
}

/** Queued or in-flight read of one machine. */
interface PendingRead {
  readonly id: MachineId;
  readonly deadline: Deadline;
  readonly promise: Promise<AltMachineRead>;
  readonly resolve: (read: AltMachineRead) => void;
  readonly reject: (error: unknown) => void;
}

/** Capacity of the cache of derived addresses, about 1 kB per machine. */
const MAX_CACHED_ADDRESSES = 10_000;

export function createMachineReads(options: MachineReadsOptions): MachineReads {
  const { nodes, programs, ordinal, clock, limits, counters, startRead } = options;
  const addressesOf = memoizeById((id) => deriveMachineAddresses(programs, id), MAX_CACHED_ADDRESSES);
  const singletons = deriveSingletonAddresses(programs);
  const absences = createTtlCache<MachineId, AltMachineRead>({
    clock,
    maxAgeMilliseconds: limits.absenceAgeMilliseconds,
    maxEntries: limits.maxAbsences,
  });
  const queued = new Map<MachineId, PendingRead>();
  // The last one sent per id.
  const inFlight = new Map<MachineId, PendingRead>();
  let callsInFlight = 0;
  let isScheduled = false;

  function enqueue(id: MachineId): Promise<AltMachineRead> {
    const pending = { id, deadline: startRead(), ...Promise.withResolvers<AltMachineRead>() };
    queued.set(id, pending);
    schedule();
    return pending.promise;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (callsInFlight < limits.maxMachineCalls && queued.size > 0) void send(takeBatch());
    });
  }

  function takeBatch(): readonly PendingRead[] {
    const batch = [...queued.values().take(MAX_MACHINES_PER_READ)];
    for (const pending of batch) {
      queued.delete(pending.id);
      inFlight.set(pending.id, pending);
    }
    return batch;
  }

  /** Settles every read of the batch. Never rejects. */
  async function send(batch: readonly PendingRead[]): Promise<void> {
    callsInFlight += 1;
    const sinceMilliseconds = clock.nowMilliseconds();
    try {
      const reads = await readBatch(batch);
      batch.forEach((pending, k) => {
        updateAbsences(pending, reads[k]!, sinceMilliseconds);
        pending.resolve(reads[k]!);
      });
    } catch (error) {
      const fault = toAltFault(error);
      for (const { reject } of batch) reject(fault);
    } finally {
      for (const pending of batch) if (inFlight.get(pending.id) === pending) inFlight.delete(pending.id);
      callsInFlight -= 1;
      if (queued.size > 0) schedule();
    }
  }

  async function readBatch(batch: readonly PendingRead[]): Promise<readonly AltMachineRead[]> {
    const ids = batch.map(({ id }) => id);
    const keys = listMachineAccountKeys(ids.map(addressesOf), singletons);
    const accounts = await nodes.callWithRetry(getMultipleAccounts(keys), latestDeadline(batch));
    const read = toMachineAccounts(accounts, ids, programs, ordinal);
    const deployment = unwrapDeployment(read);
    return read.machines.map((snapshot) => ({ snapshot, deployment }));
  }

  /** Caches an absence, or drops it. Ignores a read that a later one has overtaken. */
  function updateAbsences(pending: PendingRead, read: AltMachineRead, sinceMilliseconds: number): void {
    if (inFlight.get(pending.id) !== pending) return;
    if (read.snapshot.machine.state === 'absent') absences.set(pending.id, read, sinceMilliseconds);
    else absences.delete(pending.id);
  }

  return {
    async read(id) {
      counters.machineReads += 1;
      const absence = absences.get(id);
      if (absence !== undefined) {
        counters.absenceHits += 1;
        return absence;
      }
      return (queued.get(id) ?? inFlight.get(id))?.promise ?? enqueue(id);
    },
    async readNow(id) {
      counters.machineReads += 1;
      return queued.get(id)?.promise ?? enqueue(id);
    },
  };
}

/** Returns the latest deadline, so that the call lasts as long as any of its readers waits. */
function latestDeadline(batch: readonly PendingRead[]): Deadline {
  return batch.map(({ deadline }) => deadline).reduce((a, b) => (b.atMilliseconds > a.atMilliseconds ? b : a));
}
