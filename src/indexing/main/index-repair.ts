/**
 * Repair of what the contracts' counters show to be missing (design/real-chains 1). A targeted query reads the logs of one owner or
 * machine again, newest first, and replaces only what they name. One repair runs at a time, and each at most once a minute.
 */
import { setBounded } from '../../domain/bounded-map.ts';
import { ZERO_ADDRESS, type Address, type MachineId } from '../../domain/identifiers/identifiers.ts';
import { checkHeaders, checkLogsOfBlock, type BlockRange } from '../../domain/index-rules/block-checks.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { nameLog } from '../../domain/index-rules/stored-logs.ts';
import {
  KINDS_OF_GROUP,
  type ChainLog,
  type EventGeneration,
  type MainChain,
  type MainChainLog,
  type RegistryLogGroup,
} from '../../ports/main-chain.ts';
import type { Clock, Log, WorkScope } from '../../ports/runtime.ts';
import {
  toBlockId,
  type Checkpoint,
  type ControllerLogEntry,
  type EventLogEntry,
  type IndexedMachine,
  type MainChainIndexStore,
  type OwnershipStore,
  type RegistryLogEntry,
  type TransferLogEntry,
} from '../../ports/store.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';
import { toEventEntries } from './event-entries.ts';
import { explainsController, explainsOwner } from './machine-check.ts';
import { isReadFailure } from './read-failure.ts';
import { createTargetedScan, type Selection } from './targeted-scan.ts';

export interface IndexRepair {
  /** Reads the tokens again of which the address was a holder. */
  startTokens(owner: Address): void;
  /** Reads the logs of one group of the machine again. */
  startRegistryLogs(group: RegistryLogGroup, id: MachineId): void;
  /** Reads all event logs of the machine again. */
  startEvents(generation: EventGeneration, id: MachineId): void;
  /**
   * Reads all event logs again of every machine with more records than known logs: of those in the index, then of those that mints name. At
   * most every ten minutes, and half as often after each time in a row in which no log explained the counter, down to once a day.
   */
  startEventTotal(): void;
  /** Resolves when no repair is running. */
  idle(): Promise<void>;
  report(): IndexRepairReport;
}

export interface IndexRepairReport {
  readonly started: number;
  /** Repairs that found what was missing. */
  readonly succeeded: number;
}

interface EventCount {
  readonly id: MachineId;
  /** Number of known logs since the last import. */
  readonly count: number;
}

export interface IndexRepairOptions {
  readonly chain: Pick<
    MainChainLog,
    'addresses' | 'readLogs' | 'readHeaders' | 'readOwnership' | 'readEventCounts' | 'readEventTotal'
  >;
  readonly balances: Pick<MainChain, 'readBalanceAt'>;
  readonly store: Pick<
    MainChainIndexStore,
    | 'listEventCounts'
    | 'readEventTotal'
    | 'readMainChainCheckpoint'
    | 'readIndexedMachine'
    | 'replaceRegistryLogs'
    | 'readEventLogCount'
    | 'replaceEventLogs'
  > &
    Pick<OwnershipStore, 'listOwnership' | 'repairOwnership'>;
  readonly integrity: IndexIntegrity;
  readonly clock: Clock;
  readonly log: Log;
  readonly startBlock: number;
  /** Makes repairs work of the index, also those that a caller's request starts. */
  readonly workScope?: Pick<WorkScope, 'run'> | undefined;
}

const INTERVAL_MILLISECONDS = 60_000;
/** Repairs whose last start is remembered. */
const MAX_REMEMBERED = 10_000;
/** The repair of all machines reads the counters of each. */
const TOTAL_INTERVAL_MILLISECONDS = 600_000;
const MAX_TOTAL_INTERVAL_MILLISECONDS = 86_400_000;
const COUNTS_PER_PAGE = 1_000;
const HEADERS_PER_BATCH = 500;
/** Logs of one machine that are repaired together: about 100 MB. The proof repairs a machine with more. */
const MAX_LOGS = 100_000;
/** The checkpoint rarely moves twice while a few machines are read. */
const MAX_ATTEMPTS = 5;

export function createIndexRepair(options: IndexRepairOptions): IndexRepair {
  const { chain, balances, store, integrity, clock, log, startBlock, workScope } = options;
  const scan = createTargetedScan(chain);
  const startedAt = new Map<string, number>();
  let running: Promise<void> | undefined;
  let started = 0;
  let succeeded = 0;
  /** Repairs of all machines in a row that found nothing. */
  let fruitlessTotals = 0;

  async function repairTokens(owner: Address): Promise<boolean> {
    const checkpoint = await readCheckpoint();
    const known = new Set<MachineId>();
    const sides = (['from', 'to'] as const).map((side) => ({ transfersOf: { holder: owner, side } }));
    for await (const logs of scan({ fromBlock: startBlock, toBlock: checkpoint.blockNumber }, sides)) {
      const ids = new Set<MachineId>();
      for (const { registry } of logs) {
        if (registry?.kind !== 'transfer' || (registry.from !== owner && registry.to !== owner)) {
          throw new ResponseRejected('foreign-machine');
        }
        if (!known.has(registry.machineId)) ids.add(registry.machineId);
        known.add(registry.machineId);
      }
      if (ids.size > 0 && (await readTokensAgain(owner, [...ids]))) return true;
    }
    return false;
  }

  /** Stores the machines as they are at the checkpoint. Returns whether `balanceOf` agrees then. */
  async function readTokensAgain(owner: Address, ids: readonly MachineId[]): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const checkpoint = await readCheckpoint();
      const changes = await chain.readOwnership(toBlockId(checkpoint), ids);
      if (!(await store.repairOwnership(checkpoint, changes))) continue;
      const { tokens } = await store.listOwnership(owner, 0, 1);
      if (tokens === undefined) return false;
      return (await balances.readBalanceAt(owner, toBlockId(tokens.checkpoint))) === BigInt(tokens.count);
    }
    return false;
  }

  async function repairRegistryLogs(group: RegistryLogGroup, id: MachineId): Promise<boolean> {
    const checkpoint = await readCheckpoint();
    const indexed = await store.readIndexedMachine(id);
    if (indexed === undefined) return false;
    const range = { fromBlock: startBlock, toBlock: checkpoint.blockNumber };
    const logs = await readLogsOfMachine(
      range,
      { registryLogsOf: { group, machineId: id } },
      ({ registry }) => registry?.machineId === id && KINDS_OF_GROUP[group].includes(registry.kind),
    );
    const found = (await timeEntries(logs)) as RegistryLogEntry[];
    if (!mayReplace(group, found, indexed)) return false;
    // The proof or another process may have replaced the logs during the scan.
    return store.replaceRegistryLogs(group, id, checkpoint.blockNumber, found, indexed.epoch);
  }

  /** Controllers that do not follow from each other may be explained by a departure and an arrival that are missing. */
  async function repairControllers(id: MachineId): Promise<boolean> {
    return (await repairRegistryLogs('controllers', id)) || repairRegistryLogs('transfers', id);
  }

  async function repairEvents(generation: EventGeneration, id: MachineId): Promise<boolean> {
    const { count, epoch } = await store.readEventLogCount(generation, id);
    const found: EventLogEntry[] = [];
    let from = startBlock;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const checkpoint = await readCheckpoint();
      const range = { fromBlock: from, toBlock: checkpoint.blockNumber };
      found.push(...(await readEvents(generation, id, range)));
      const sinceImport = found.length - 1 - found.findLastIndex(({ kind }) => kind === 'imported');
      const isForged = sinceImport < count && (await isCounted(generation, id, checkpoint, sinceImport));
      if (sinceImport <= count && !isForged) return false;
      if (await store.replaceEventLogs(checkpoint, generation, id, found, epoch)) return true;
      // The proof or another process replaced the logs during the scan.
      if ((await store.readEventLogCount(generation, id)).epoch !== epoch) return false;
      // The checkpoint has moved, and only its blocks are missing.
      from = checkpoint.blockNumber + 1;
    }
    return false;
  }

  /** Returns whether the machine has this many records at the checkpoint: only then may fewer logs than are stored be all. */
  async function isCounted(
    generation: EventGeneration,
    id: MachineId,
    checkpoint: Checkpoint,
    count: number,
  ): Promise<boolean> {
    if (generation !== 'current') return false;
    const [counted] = await chain.readEventCounts(toBlockId(checkpoint), [id]);
    return counted === BigInt(count);
  }

  async function repairEventTotal(): Promise<boolean> {
    const isKnownRepaired = await repairKnown();
    const isRepaired = (await isTotalEqual()) || (await repairMinted()) || isKnownRepaired;
    fruitlessTotals = isRepaired ? 0 : fruitlessTotals + 1;
    return isRepaired;
  }

  async function repairKnown(): Promise<boolean> {
    let isRepaired = false;
    for (let after: MachineId | undefined; ;) {
      const { checkpoint, counts } = await store.listEventCounts(after, COUNTS_PER_PAGE);
      if (checkpoint === undefined || counts.length === 0) return isRepaired;
      if (await repairLacking(checkpoint, counts)) isRepaired = true;
      after = counts.at(-1)!.id;
    }
  }

  /** Compares the machines that mints name, newest first, until the total agrees: all logs of a machine may have been withheld. */
  async function repairMinted(): Promise<boolean> {
    let isRepaired = false;
    const range = { fromBlock: startBlock, toBlock: (await readCheckpoint()).blockNumber };
    for await (const logs of scan(range, [{ transfersOf: { holder: ZERO_ADDRESS, side: 'from' } }])) {
      const ids = new Set<MachineId>();
      for (const { registry } of logs) {
        if (registry?.kind !== 'transfer' || registry.from !== undefined) throw new ResponseRejected('foreign-machine');
        ids.add(registry.machineId);
      }
      if (ids.size === 0) continue;
      const checkpoint = await readCheckpoint();
      const counts = await Promise.all(
        [...ids].map(async (id) => ({ id, count: (await store.readEventLogCount('current', id)).count })),
      );
      if (!(await repairLacking(checkpoint, counts))) continue;
      isRepaired = true;
      if (await isTotalEqual()) return true;
    }
    return isRepaired;
  }

  /** Reads the events of machines again that have more records than known logs. The logs may be of a later checkpoint. */
  async function repairLacking(checkpoint: Checkpoint, counts: readonly EventCount[]): Promise<boolean> {
    integrity.check();
    const counted = await chain.readEventCounts(
      toBlockId(checkpoint),
      counts.map(({ id }) => id),
    );
    let isRepaired = false;
    for (const [i, { id, count }] of counts.entries()) {
      if (counted[i]! > BigInt(count) && (await repairEvents('current', id))) isRepaired = true;
    }
    return isRepaired;
  }

  async function isTotalEqual(): Promise<boolean> {
    const stored = await store.readEventTotal();
    return stored === undefined || (await chain.readEventTotal(toBlockId(stored.checkpoint))) === BigInt(stored.total);
  }

  /** Returns the event logs of the machine in chain order, with the times of their headers. */
  async function readEvents(generation: EventGeneration, id: MachineId, range: BlockRange): Promise<EventLogEntry[]> {
    const logs = await readLogsOfMachine(
      range,
      { eventsOf: { generation, machineId: id } },
      ({ event }) => event?.machineId === id && event.generation === generation,
    );
    return timeEntries(logs);
  }

  /** Returns the logs of the selection, newest range first. Throws `ResponseRejected` where they are others, or too many. */
  async function readLogsOfMachine(
    range: BlockRange,
    selection: Selection,
    isOfMachine: (log: ChainLog) => boolean,
  ): Promise<ChainLog[]> {
    const logs: ChainLog[] = [];
    for await (const some of scan(range, [selection])) {
      if (!some.every(isOfMachine)) throw new ResponseRejected('foreign-machine');
      if (logs.length + some.length > MAX_LOGS) throw new ResponseRejected('too-many-logs');
      for (const log of some) logs.push(log);
    }
    return logs;
  }

  /** Returns the logs in chain order, with the times of their headers. */
  async function timeEntries(logs: readonly ChainLog[]): Promise<EventLogEntry[]> {
    const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))].sort((a, b) => a - b);
    const ofBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
    const entries: EventLogEntry[] = [];
    for (let at = 0; at < numbers.length; at += HEADERS_PER_BATCH) {
      const batch = numbers.slice(at, at + HEADERS_PER_BATCH);
      const headers = await chain.readHeaders(batch);
      checkHeaders(batch, headers);
      for (const header of headers) {
        const own = ofBlock.get(header.number)!.toSorted((a, b) => a.logIndex - b.logIndex);
        checkLogsOfBlock(header, own);
        entries.push(...toEventEntries(own.map((each) => ({ ...each, blockTimestamp: header.timestamp }))));
      }
    }
    return entries;
  }

  async function readCheckpoint(): Promise<Checkpoint> {
    integrity.check();
    const checkpoint = await store.readMainChainCheckpoint();
    if (checkpoint === undefined) throw new ResponseRejected('head-behind');
    return checkpoint;
  }

  function start(fields: object, repair: () => Promise<boolean>, intervalMilliseconds = INTERVAL_MILLISECONDS): void {
    const now = clock.nowMilliseconds();
    const key = JSON.stringify(fields);
    const last = startedAt.get(key);
    const isRecent = last !== undefined && Math.abs(now - last) < intervalMilliseconds;
    if (running !== undefined || isRecent) return;
    setBounded(startedAt, key, now, MAX_REMEMBERED);
    started += 1;
    const repairing = () => run(fields, repair);
    running = (workScope?.run({ kind: 'index' }, repairing) ?? repairing()).finally(() => {
      running = undefined;
    });
  }

  async function run(fields: object, repair: () => Promise<boolean>): Promise<void> {
    log.warn(fields, 'the index disagrees with a counter of the contracts; it is repaired');
    try {
      const isRepaired = await repair();
      if (isRepaired) succeeded += 1;
      log.warn({ ...fields, isRepaired }, isRepaired ? 'index repaired' : 'no log explains the counter');
    } catch (error) {
      const cause = isReadFailure(error) ? error.message : 'unexpected';
      log.warn({ ...fields, cause }, 'the index could not be repaired');
    }
  }

  return {
    startTokens: (owner) => start({ owner }, () => repairTokens(owner)),
    startRegistryLogs: (group, id) =>
      start({ machine: String(id), logs: group }, () =>
        group === 'controllers' ? repairControllers(id) : repairRegistryLogs(group, id),
      ),
    startEvents: (generation, id) => start({ machine: String(id), generation }, () => repairEvents(generation, id)),
    startEventTotal: () => {
      const interval = TOTAL_INTERVAL_MILLISECONDS * 2 ** fruitlessTotals;
      start({ machine: 'all' }, repairEventTotal, Math.min(interval, MAX_TOTAL_INTERVAL_MILLISECONDS));
    },
    idle: () => running ?? Promise.resolve(),
    report: () => ({ started, succeeded }),
  };
}

/** Returns whether the logs differ from those known and may be right: a node may withhold some again, and forged ones are only noticed by their number. */
function mayReplace(group: RegistryLogGroup, found: readonly RegistryLogEntry[], indexed: IndexedMachine): boolean {
  const { ownership, transfers } = indexed;
  const known = { chip: indexed.chipLogs, transfers, controllers: indexed.controllers }[group];
  const names = new Set(known.map(nameLog));
  if (found.length === known.length && found.every((each) => names.has(nameLog(each)))) return false;
  if (group === 'chip' || found.length > known.length) return true;
  if (found.length < known.length) return false;
  // As many as are known are right where those known are of another fork.
  return group === 'transfers'
    ? explainsOwner(found as TransferLogEntry[], ownership)
    : explainsController({ transfers, controllers: found as ControllerLogEntry[] }, ownership);
}
