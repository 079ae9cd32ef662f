/**
 * Alt-chain history and program-wide snapshots for the indexers (chain-svm 6 and 7). Every method sends one call without caching or
 * retries. A transient failure is thrown as `AltNodeBusy`, so that the indexer decides how long to wait.
 */
import { chainUnreadable } from '../../../domain/faults.ts';
import type { MachineCount } from '../../../domain/alt-chain/alt-fleet.ts';
import type { TransactionReadResult } from '../../../domain/alt-chain/event-operation.ts';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { AltNodeBusy, type AltHistory, type SignatureRow } from '../../../ports/alt-chain.ts';
import type { Deadline, Stopwatch } from '../../rpc/deadline.ts';
import {
  deriveEventLogAddress,
  deriveSingletonAddresses,
  memoizeById,
  type AltPrograms,
} from '../accounts/account-addresses.ts';
import { Undecodable } from '../accounts/byte-reader.ts';
import { toAltFault, type AltNodes } from '../rpc/alt-nodes.ts';
import { isTransientFailure, RpcFailure } from '../../rpc/rpc-failure.ts';
import { readEventLogCounts, type EventLogPrograms } from './event-log-counts.ts';
import { readFleetRows } from './fleet-rows.ts';
import { createSemaphore } from '../../../domain/semaphore.ts';
import { expectObject } from '../rpc/json-shape.ts';
import type { AltChainLimits } from '../limits.ts';
import { listMachineAccountKeys, unwrapDeployment, toMachineAccounts } from './machine-accounts.ts';
import { countSlots } from '../rpc/min-context-slot.ts';
import {
  getMultipleAccounts,
  getBlockSignatures,
  getBlockTime,
  getEventLogRows,
  getFirstAvailableBlock,
  getFleetRows,
  getSignaturesForAddress,
  getSlot,
  getTransaction,
  type RpcMethod,
} from '../rpc/rpc-methods.ts';
import { readTransaction } from '../transactions/transaction-operations.ts';

export interface AltHistoryOptions {
  readonly nodes: AltNodes;
  readonly programs: AltPrograms;
  readonly ordinal: number;
  readonly limits: AltChainLimits;
  readonly stopwatch: Stopwatch;
  readonly startRead: () => Deadline;
  readonly genesisHash: AltKey;
  /** Throws `ChainUnreadable` while the deployment contradicts the configuration. */
  readonly assertSound: () => void;
}

/** Error code for a transaction of an unsupported version. */
const VERSION_NOT_SUPPORTED = -32015;

/**
 * Slots by which machines behind one URL are apart. A count from one that is further behind would not notice an omitted
 * row once as many machines were made as retired since; the next read begins with the slot of the second count.
 */
const NODE_DISTANCE_SLOTS = 10;

/** Slots that may lie between the two counts of a fleet however long its read takes: two minutes, the deadlines of two calls. */
const MAX_SLOTS_BETWEEN_COUNTS = 300;

/** Capacity of the cache of derived log addresses, about 200 bytes each. */
const MAX_CACHED_LOG_ADDRESSES = 50_000;

export function createAltHistory(options: AltHistoryOptions): AltHistory {
  const { nodes, programs, ordinal, genesisHash, limits, stopwatch, assertSound, startRead } = options;
  const { eventRegistry, machineRegistry } = programs;
  const singletons = deriveSingletonAddresses(programs);
  const eventLogOf = memoizeById((id) => deriveEventLogAddress(eventRegistry, id), MAX_CACHED_LOG_ADDRESSES);
  const enter = createSemaphore(limits.maxHistoryCalls);

  /** Calls a method. `recover` returns a result for failures that answer this method, undefined for all others. */
  async function call<T>(method: RpcMethod<T>, recover: (failure: RpcFailure) => T | undefined = () => undefined) {
    assertSound();
    try {
      return await enter(() => nodes.call(method, startRead()));
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      const result = recover(error);
      if (result !== undefined) return result;
      throw toHistoryError(error);
    }
  }

  function toHistoryError(failure: RpcFailure): unknown {
    return isTransientFailure(failure) ? toBusy(failure) : toAltFault(failure);
  }

  async function readMachineCount(): Promise<MachineCount> {
    const accounts = await call(getMultipleAccounts(listMachineAccountKeys([], singletons)));
    const { machineCount } = unwrapDeployment(toMachineAccounts(accounts, [], programs, ordinal));
    return { slot: accounts.slot, machineCount };
  }

  function toBusy({ kind, retryAfterSeconds }: RpcFailure): AltNodeBusy {
    const maxSeconds = limits.maxRetryAfterMilliseconds / 1000;
    const seconds = retryAfterSeconds && Math.min(retryAfterSeconds, maxSeconds);
    return new AltNodeBusy(kind === 'rate' ? 'rate' : 'behind', seconds);
  }

  return {
    async checkGenesis() {
      const failures: RpcFailure[] = [];
      const hashes = await nodes.readGenesisHashes(startRead(), (_, failure) => failures.push(failure));
      if (hashes.includes(genesisHash)) return;
      const [failure] = failures;
      const isOther = hashes.some((hash) => hash !== undefined);
      throw isOther || failure === undefined ? chainUnreadable('alt', 'wrong-chain') : toHistoryError(failure);
    },
    readSlot: () => call(getSlot),
    readFirstAvailableSlot: () => call(getFirstAvailableBlock),
    listSignatures(about, before) {
      const address = about === 'event-registry' ? eventRegistry : eventLogOf(about);
      return call(getSignaturesForAddress(address, before));
    },
    readTransaction: (row) =>
      call(
        getTransaction(row.signature, (result) => readListed(result, row, { eventRegistry, eventLogOf })),
        ({ code }) => (code === VERSION_NOT_SUPPORTED ? { state: 'unreadable' } : undefined),
      ),
    async readBlockTime(slot) {
      // A block that the node has lost must not block the others.
      const { seconds } = await call(getBlockTime(slot), ({ kind }) =>
        kind === 'no-block' ? { seconds: undefined } : undefined,
      );
      return seconds;
    },
    readBlockSignatures: (slot) => call(getBlockSignatures(slot)),
    async readEventLogCounts() {
      const { slot, rows } = await call(getEventLogRows(eventRegistry));
      return { slot, counts: await decoded(readEventLogCounts(rows, { eventRegistry, eventLogOf })) };
    },
    async readFleet() {
      const before = await readMachineCount();
      const startMilliseconds = stopwatch.nowMilliseconds();
      const { slot, rows } = await call(getFleetRows(machineRegistry));
      const after = await readMachineCount();
      const slots = countSlots(stopwatch.nowMilliseconds() - startMilliseconds) + NODE_DISTANCE_SLOTS;
      if (after.slot - before.slot > Math.min(slots, MAX_SLOTS_BETWEEN_COUNTS)) throw new AltNodeBusy('behind');
      return { slot, fleet: await decoded(readFleetRows(rows, machineRegistry)), before, after };
    },
  };
}

/** Returns the rows that are read. Throws `ChainUnreadable` in place of `Undecodable`. */
async function decoded<T>(rows: Promise<T>): Promise<T> {
  try {
    return await rows;
  } catch (error) {
    throw error instanceof Undecodable ? chainUnreadable('alt', 'malformed') : error;
  }
}

/** Reads a listed transaction. The list and the transaction must agree on whether it failed. */
async function readListed(
  result: unknown,
  { signature, slot, blockTime, hasFailed }: SignatureRow,
  programs: EventLogPrograms,
): Promise<TransactionReadResult> {
  const reading = await readTransaction(result, { signature, slot, blockTime, ...programs });
  if (reading.state !== 'read' && reading.state !== 'parked') return reading;
  const { err } = expectObject(expectObject(result)['meta']);
  return (err !== null) === hasFailed ? reading : { state: 'unreadable' };
}
