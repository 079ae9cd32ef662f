/**
 * Block times and evidence of a machine's events (chain-evm 3.7). They come from the index up to its checkpoint, from the followed
 * blocks above it, and from one targeted query when these are not enough. Blocks off the chain of the pinned block are
 * never used.
 */
import { chainUnreadable } from '../../domain/faults.ts';
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import { isFactKind, isFactLog, type FactLog } from '../../domain/machine/fact-log.ts';
import type { Provenance } from '../../domain/machine/provenance.ts';
import type {
  CountedMachine,
  EventLogQuery,
  EventLogRow,
  EventTimes,
  PinnedHistory,
  PinnedMachine,
} from '../../ports/indexes.ts';
import { LogQueryRefused, type MainChainLog } from '../../ports/main-chain.ts';
import { toMachineId, type MachineId } from '../../domain/identifiers/identifiers.ts';
import { UNKNOWN_BLOCK_TIME } from '../../ports/index-proof.ts';
import type { Checkpoint, EventLogEntry, IndexedHistory, Store } from '../../ports/store.ts';
import { continueHistory, pickRows, type EventHistory } from './event-history.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';
import { createIndexBehind } from './index-behind.ts';
import type { IndexRepair } from './index-repair.ts';
import type { RecentBlocks } from '../head/recent-blocks.ts';
import type { ProofGate } from './proof-gate.ts';
import { isRateRefusal } from './read-failure.ts';
import { createTargetedEvents } from './targeted-events.ts';

export interface EventTimesOptions {
  readonly chain: MainChainLog;
  readonly store: Pick<Store, 'readEventHistory' | 'listEventLogs' | 'readIndexedMachine' | 'areEventLogsProven'>;
  readonly proof: IndexProof;
  readonly gate: ProofGate;
  readonly integrity: IndexIntegrity;
  readonly repair: Pick<IndexRepair, 'startEvents'>;
  /** Returns the blocks that the head follower knows. */
  readonly recent: () => RecentBlocks | undefined;
}

/** Queries whose result was insufficient; they are not repeated for the same blocks. */
const MAX_INSUFFICIENT = 1_000;

export function createEventTimes(options: EventTimesOptions): EventTimes {
  const { chain, store, proof, gate, integrity, repair, recent } = options;
  const targeted = createTargetedEvents(chain, recent);
  const inFlight = new Map<string, Promise<readonly EventLogEntry[] | undefined>>();
  const insufficient = new Set<string>();

  async function readEventLogs(query: EventLogQuery): Promise<readonly EventLogRow[]> {
    const { from, to, block, hasPriorEvents, epoch } = query;
    if (to <= from) return [];
    integrity.check();
    const stored = await readStored(query);
    if (stored === undefined) throw behind(undefined, block);
    const { checkpoint } = stored;
    await checkOneChain(checkpoint, block);
    // Stored logs without a time wait for a header, which no query replaces.
    if (stored.rows.length < Math.min(to, stored.count) - from) throw behind(checkpoint, block);
    const history = appendRecent(stored, query);
    if (epoch !== undefined && epoch !== history.epoch) throw behind(checkpoint, block);
    const rows = hasPriorEvents
      ? await pickProven(stored, history, query)
      : (pickRows(history, from, to) ?? (await pickTargeted(stored, query)));
    if (rows === undefined) {
      // Followed logs are complete, so the missing one is below the checkpoint.
      if (recent()?.spans(checkpoint, block) === true) repair.startEvents(query.generation, query.id);
      throw behind(checkpoint, block);
    }
    // A history that restarted after the pinned block is not the requested one.
    if (rows.some(({ blockNumber }) => blockNumber > block.number)) throw chainUnreadable('main', 'block-mismatch');
    return rows;
  }

  async function readPinnedHistory(machine: CountedMachine): Promise<PinnedHistory> {
    const { generation, id, block, hasPriorEvents } = machine;
    integrity.check();
    const stored = await readStored({ generation, id, from: 0, to: 0 });
    if (stored === undefined) throw behind(undefined, block);
    const { checkpoint } = stored;
    if (hasPriorEvents && !(await areLogsProven(stored, machine))) throw behind(checkpoint, block);
    const blocks = recent();
    const isAbove = block.number >= checkpoint.blockNumber;
    const ends = isAbove
      ? ([checkpoint.blockNumber, block.number] as const)
      : ([block.number, checkpoint.blockNumber] as const);
    const between =
      blocks?.holdsBoth(checkpoint, block) === true
        ? blocks.listEvents(generation, id, ...ends)
        : await readCovered(machine, checkpoint);
    if (between === undefined) throw behind(checkpoint, block);
    if (isAbove) {
      const { count, epoch, provenance } = continueHistory(stored, between);
      checkNoExcess(count, machine, checkpoint);
      return { epoch, storedEpoch: stored.epoch, provenance };
    }
    if (between.some(({ kind }) => kind !== 'submitted' && !isFactKind(kind)))
      throw chainUnreadable('main', 'block-mismatch');
    await checkNotRestarted(machine);
    checkNoExcess(stored.count - countSubmitted(between), machine, checkpoint);
    const { epoch } = stored;
    const provenance = await rewindProvenance(machine, stored, countSubmitted(between));
    return { epoch, storedEpoch: epoch, provenance };
  }

  /** A forged event after a sale would hide the sale from those before it. */
  function checkNoExcess(
    known: number,
    { generation, id, block, count }: CountedMachine,
    checkpoint: Checkpoint,
  ): void {
    if (known <= count) return;
    repair.startEvents(generation, id);
    throw behind(checkpoint, block);
  }

  /** Where followed blocks are not proven, a node may have hidden the import that restarted the stored history after the pinned block. */
  async function checkNotRestarted({ generation, id, block, count }: CountedMachine): Promise<void> {
    const [last] = count === 0 ? [] : await store.listEventLogs(generation, id, count - 1, count);
    if (last !== undefined && last.blockNumber > block.number) throw chainUnreadable('main', 'block-mismatch');
  }

  async function readFactLogs(id: MachineId, block: BlockRef): Promise<readonly FactLog[] | undefined> {
    integrity.check();
    const logs = await listFacts(id, block);
    const reissued = logs?.findIndex(({ kind }) => kind === 'bond-reissued') ?? -1;
    if (logs === undefined || reissued < 0) return logs;
    const earlierId = toMachineId(logs[reissued]!.value ?? 0n);
    const earlier = earlierId === undefined ? [] : await listFacts(earlierId, block);
    if (earlier === undefined) return undefined;
    const { blockTimestamp } = logs[reissued]!;
    const bonds = earlier.filter((log) => log.kind.startsWith('bond-') && log.blockTimestamp < blockTimestamp);
    return [...bonds, ...logs];
  }

  /** Returns undefined while the time of a log, or the blocks between index and block, are unknown. */
  async function listFacts(id: MachineId, block: BlockRef): Promise<readonly FactLog[] | undefined> {
    const indexed = (await gate.isOpen()) ? await store.readIndexedMachine(id) : undefined;
    if (indexed === undefined) return undefined;
    const { checkpoint, facts } = indexed;
    const blocks = recent();
    const isBelow = block.number <= checkpoint.blockNumber;
    if (!isBelow && blocks?.holdsBoth(checkpoint, block) !== true) return undefined;
    const followed = isBelow ? [] : blocks!.listRegistry(id, checkpoint.blockNumber, block.number);
    const logs = [...facts.filter(({ blockNumber }) => blockNumber <= block.number), ...followed].filter(isFactLog);
    return logs.some(({ blockTimestamp }) => blockTimestamp === UNKNOWN_BLOCK_TIME) ? undefined : logs;
  }

  /** Returns the provenance before the last `events` events, which only took note of a change of hands. */
  async function rewindProvenance(
    { generation, id }: PinnedMachine,
    { provenance, count }: IndexedHistory,
    events: number,
  ): Promise<Provenance> {
    if (events === 0) return provenance;
    const [next] = await store.listEventLogs(generation, id, count - events, count - events + 1);
    return { ...provenance, changedHandsAfter: next?.changedHandsBefore };
  }

  /**
   * Queries the blocks between `block` and the checkpoint. With fast finality the index may be ahead of the followed
   * blocks for a moment; waiting for them would reject a machine whose history is known.
   */
  async function readCovered(
    { generation, id, block }: PinnedMachine,
    checkpoint: Checkpoint,
  ): Promise<readonly EventLogEntry[] | undefined> {
    if (block.number >= checkpoint.blockNumber) return undefined;
    const key = `covered ${generation} ${id} ${block.hash} ${checkpoint.blockHash}`;
    return queryOnce(key, () => targeted.readCovered(generation, id, block, checkpoint)).catch((error: unknown) => {
      toRefusal(error);
      return undefined;
    });
  }

  /**
   * Checks that index and block are on one chain. When the followed blocks do not connect them, the node must at least
   * return the checkpoint on its chain.
   */
  async function checkOneChain(checkpoint: Checkpoint, block: BlockRef): Promise<void> {
    if (recent()?.holdsBoth(checkpoint, block) === true) return;
    const { blockNumber, blockHash } = checkpoint;
    const hash = blockNumber === block.number ? block.hash : (await chain.readHeader(blockNumber)).hash;
    if (hash !== blockHash) throw chainUnreadable('main', 'contradiction');
  }

  /** Returns the stored history; undefined before the first commit, while block times are unknown, and while it is held back. */
  async function readStored({ generation, id, from, to }: Omit<EventLogQuery, 'block' | 'hasPriorEvents'>) {
    return (await gate.isOpen()) ? store.readEventHistory(generation, id, from, to) : undefined;
  }

  /**
   * Picks rows that are proven to follow the last import. A targeted query may hide an import, and only the followed
   * blocks prove that there is none. Stored logs must be proven too, because positions alone can pair with the wrong
   * records after an import.
   */
  async function pickProven(
    stored: IndexedHistory,
    history: EventHistory,
    query: EventLogQuery,
  ): Promise<EventLogRow[] | undefined> {
    const { from, to, block } = query;
    const isFollowed =
      block.number <= stored.checkpoint.blockNumber || recent()?.spans(stored.checkpoint, block) === true;
    if (!isFollowed || !(await areLogsProven(stored, query))) return undefined;
    return (await isWhole(history, stored, query)) ? pickRows(history, from, to) : undefined;
  }

  /** In mode `off` nothing is: an import may be hidden in the index and in the followed blocks. */
  async function areLogsProven({ epoch }: IndexedHistory, { generation, id }: PinnedMachine): Promise<boolean> {
    return proof !== 'off' && (await store.areEventLogsProven(generation, id, epoch));
  }

  /** Returns whether the history ends with the last record at the block. */
  async function isWhole(
    history: EventHistory,
    { checkpoint }: IndexedHistory,
    query: EventLogQuery,
  ): Promise<boolean> {
    const { generation, id, block, total } = query;
    if (total === undefined) return true;
    if (block.number >= checkpoint.blockNumber) return history.count === total;
    const [next] = await store.listEventLogs(generation, id, total, total + 1);
    return next === undefined || next.blockNumber > block.number;
  }

  /** Returns the stored history with the events of the followed blocks; without them, the stored one alone. */
  function appendRecent(stored: IndexedHistory, { generation, id, block }: PinnedMachine): EventHistory {
    const { checkpoint } = stored;
    const blocks = recent();
    if (blocks?.spans(checkpoint, block) !== true) return stored;
    return continueHistory(stored, blocks.listEvents(generation, id, checkpoint.blockNumber, block.number));
  }

  /**
   * Picks rows with the help of a targeted query; only for a legacy machine, whose events have no evidence. What such a
   * query hides is not seen: a change of hands, or a revoked chip.
   */
  async function pickTargeted(stored: IndexedHistory, query: EventLogQuery): Promise<EventLogRow[] | undefined> {
    return query.generation === 'current'
      ? undefined
      : pickRows(await appendTargeted(stored, query), query.from, query.to);
  }

  /** Returns the stored history with the result of a targeted query. */
  async function appendTargeted(stored: IndexedHistory, query: EventLogQuery): Promise<EventHistory> {
    const { checkpoint } = stored;
    const { generation, id, to, block } = query;
    if (block.number <= checkpoint.blockNumber) return stored;
    const key = `${generation} ${id} ${to} ${checkpoint.blockHash} ${block.hash}`;
    if (insufficient.has(key)) return stored;
    const result = queryOnce(key, () => targeted.read(generation, id, checkpoint, block));
    const found = await result.catch(toRefusal);
    const history = continueHistory(stored, found instanceof LogQueryRefused ? [] : (found ?? []));
    if (history.count < to && !isRateRefusal(found)) rememberInsufficient(key);
    return history;
  }

  /** Shares one query among identical concurrent calls. */
  function queryOnce(
    key: string,
    send: () => Promise<readonly EventLogEntry[] | undefined>,
  ): Promise<readonly EventLogEntry[] | undefined> {
    let result = inFlight.get(key);
    if (result === undefined) {
      result = send().finally(() => inFlight.delete(key));
      inFlight.set(key, result);
    }
    return result;
  }

  function rememberInsufficient(key: string): void {
    insufficient.add(key);
    if (insufficient.size > MAX_INSUFFICIENT) insufficient.delete(insufficient.values().next().value!);
  }

  const behind = (checkpoint: Checkpoint | undefined, block: BlockRef) =>
    createIndexBehind(checkpoint, block, recent());

  return { readEventLogs, readPinnedHistory, readFactLogs };
}

/** A refused query has no result; an impossible response counts as unreadable. */
function toRefusal(error: unknown): LogQueryRefused {
  if (error instanceof LogQueryRefused) return error;
  if (error instanceof ResponseRejected) throw chainUnreadable('main', 'contradiction');
  throw error;
}

function countSubmitted(logs: readonly EventLogEntry[]): number {
  return logs.filter(({ kind }) => kind === 'submitted').length;
}
