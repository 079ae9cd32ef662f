/**
 * Batched machine reads (chain-svm 5). Reads of one tick share calls of up to 24 machines, or as many as the node accepts accounts
 * for; concurrent reads are limited, and queued ones share the next call. Present machines are never cached. Absences are cached for a short time, because every unknown id
 * costs a read (chain-svm 4).
 */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { AltMachineRead } from '../../../ports/alt-chain.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { CallBudget, CallPurpose } from '../../rpc/call-budget.ts';
import { latestDeadline, withPurpose, type Deadline, type Stopwatch } from '../../rpc/deadline.ts';
import { joinRead } from '../../rpc/join-read.ts';
import { createKnownKeys } from '../../rpc/known-keys.ts';
import { createSharedTurns } from '../../rpc/shared-turns.ts';
import {
  deriveMachineAddresses,
  deriveSingletonAddresses,
  memoizeById,
  type AltPrograms,
} from '../accounts/account-addresses.ts';
import { toAltFault, type AltNodes } from '../rpc/alt-nodes.ts';
import type { AltChainLimits } from '../limits.ts';
import {
  countCallsPerMachine,
  countMachinesPerRead,
  listMachineAccountKeys,
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
  /** Reads the accounts of a machine that does not exist, as callers would. Throws `ChainUnreadable`. */
  probe(deadline: Deadline): Promise<void>;
  /** When accounts were last read, on the stopwatch. */
  readonly lastReadAtMilliseconds: number;
}

export interface MachineReadsOptions {
  readonly nodes: AltNodes;
  readonly programs: AltPrograms;
  readonly ordinal: number;
  readonly clock: Clock;
  readonly limits: AltChainLimits;
  readonly counters: AltUpstreamCounters;
  readonly budget: CallBudget;
  readonly startRead: (isKnown: boolean) => Deadline;
  readonly stopwatch: Pick<Stopwatch, 'nowMilliseconds'>;
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
/** No machine has this id. */
const PROBED_ID = 0n as MachineId;

export function createMachineReads(options: MachineReadsOptions): MachineReads {
  const { nodes, programs, ordinal, clock, limits, counters, budget, startRead, stopwatch } = options;
  const addressesOf = memoizeById((id) => deriveMachineAddresses(programs, id), MAX_CACHED_ADDRESSES);
  const singletons = deriveSingletonAddresses(programs);
  const absences = createTtlCache<MachineId, AltMachineRead>({
    clock,
    maxAgeMilliseconds: limits.absenceAgeMilliseconds,
    maxEntries: limits.maxAbsences,
  });
  const known = createKnownKeys<MachineId>();
  const queued = new Map<MachineId, PendingRead>();
  // The last one sent per id.
  const inFlight = new Map<MachineId, PendingRead>();
  /** Reads whose turn has come. */
  const due: { readonly lead: PendingRead; readonly purpose: CallPurpose }[] = [];
  let callsInFlight = 0;
  let lastReadAtMilliseconds = -Infinity;

  /** Joins the pending read of another caller, or makes one. */
  function joinOrEnqueue(id: MachineId, shared: PendingRead | undefined): Promise<AltMachineRead> {
    const deadline = startRead(known.has(id));
    return shared ? joinRead(shared.promise, () => enqueue(id, deadline)) : enqueue(id, deadline);
  }

  function enqueue(id: MachineId, deadline: Deadline): Promise<AltMachineRead> {
    const pending = { id, deadline, ...Promise.withResolvers<AltMachineRead>() };
    queued.set(id, pending);
    turns.add(pending);
    return pending.promise;
  }

  const turns = createSharedTurns<PendingRead>({
    budget,
    countCalls: () => countCallsPerMachine(nodes.accountsPerCall),
    send(lead, { purpose }) {
      due.push({ lead, purpose });
      sendDue();
    },
    refuse(pending, error) {
      if (queued.get(pending.id) === pending) queued.delete(pending.id);
      pending.reject(error);
    },
  });

  /** Sends the reads that have their turn, with others that fit, unless too many calls are in flight. */
  function sendDue(): void {
    while (callsInFlight < limits.maxMachineCalls && due.length > 0) {
      const maxMachines = countMachinesPerRead(nodes.accountsPerCall);
      const leads = due.splice(0, maxMachines);
      let room = maxMachines - leads.length;
      const others = turns.take(() => room-- > 0);
      void send([...leads.map(({ lead }) => lead), ...others], leads[0]!.purpose);
    }
  }

  /** Settles every read of the batch. Never rejects. */
  async function send(batch: readonly PendingRead[], purpose: CallPurpose): Promise<void> {
    for (const pending of batch) {
      if (queued.get(pending.id) === pending) queued.delete(pending.id);
      inFlight.set(pending.id, pending);
    }
    callsInFlight += 1;
    const sinceMilliseconds = clock.nowMilliseconds();
    try {
      const reads = await readBatch(batch, purpose);
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
      sendDue();
    }
  }

  async function readBatch(
    batch: readonly Pick<PendingRead, 'id' | 'deadline'>[],
    purpose: CallPurpose,
  ): Promise<readonly AltMachineRead[]> {
    const ids = batch.map(({ id }) => id);
    const keys = listMachineAccountKeys(ids.map(addressesOf), singletons);
    const deadline = withPurpose(latestDeadline(batch.map((pending) => pending.deadline)), purpose);
    const accounts = await nodes.callWithRetry(getMultipleAccounts(keys), deadline);
    const read = toMachineAccounts(accounts, ids, programs, ordinal);
    const deployment = unwrapDeployment(read);
    lastReadAtMilliseconds = stopwatch.nowMilliseconds();
    return read.machines.map((snapshot) => ({ snapshot, deployment }));
  }

  /** Caches an absence, or drops it. Ignores a read that a later one has overtaken. */
  function updateAbsences(pending: PendingRead, read: AltMachineRead, sinceMilliseconds: number): void {
    if (inFlight.get(pending.id) !== pending) return;
    if (read.snapshot.machine.state === 'absent') absences.set(pending.id, read, sinceMilliseconds);
    else absences.delete(pending.id);
    if (read.snapshot.machine.state === 'present') known.add(pending.id);
  }

  return {
    async read(id) {
      counters.machineReads += 1;
      return absences.get(id) ?? joinOrEnqueue(id, queued.get(id) ?? inFlight.get(id));
    },
    async readNow(id) {
      counters.machineReads += 1;
      return joinOrEnqueue(id, queued.get(id));
    },
    async probe(deadline) {
      try {
        await readBatch([{ id: PROBED_ID, deadline }], deadline.purpose);
      } catch (error) {
        throw toAltFault(error);
      }
    },
    get lastReadAtMilliseconds() {
      return lastReadAtMilliseconds;
    },
  };
}
