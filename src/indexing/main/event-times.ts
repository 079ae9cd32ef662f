/**
 * In which blocks were a machine's events stored? (chain-evm 3.7.) From the index up to its checkpoint, from the followed blocks above it,
 * and, where these know too little, from one targeted query. Never from a block that is not on the chain of the pinned one.
 */
import { chainUnreadable, Fault } from '../../domain/faults.ts';
import { AnswerRejected } from '../../domain/index-rules/rejected-answer.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { EventLogRow, EventTimes } from '../../ports/indexes.ts';
import { LogQueryRefused, type EventGeneration, type MainChainLog } from '../../ports/main-chain.ts';
import type { Checkpoint, EventLogEntry, MainChainIndexStore } from '../../ports/store.ts';
import { continueHistory, pickRows, type EventHistory, type StoredHistory } from './event-history.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';
import type { RecentBlocks } from '../head/recent-blocks.ts';
import { createTargetedEvents } from './targeted-events.ts';

export interface EventTimesOptions {
  readonly chain: MainChainLog;
  readonly store: Pick<MainChainIndexStore, 'readMainChainCheckpoint' | 'readEventLogCount' | 'listEventLogs'>;
  readonly standing: IndexIntegrity;
  /** What the head follower knows. */
  readonly recent: () => RecentBlocks | undefined;
}

interface StoredAt extends StoredHistory {
  readonly checkpoint: Checkpoint;
}

/** The index rarely moves twice while three rows are read. */
const MAX_ATTEMPTS = 5;
/** Questions whose answer was not enough; not asked again for the same blocks. */
const MAX_REMEMBERED = 1_000;

export function createEventTimes({ chain, store, standing, recent }: EventTimesOptions): EventTimes {
  const targeted = createTargetedEvents(chain, recent);
  const asking = new Map<string, Promise<readonly EventLogEntry[] | undefined>>();
  const askedInVain = new Set<string>();

  async function readEventLogs(
    generation: EventGeneration,
    id: MachineId,
    from: number,
    to: number,
    block: BlockRef,
    hasPriorEvents: boolean,
  ): Promise<readonly EventLogRow[]> {
    if (to <= from) return [];
    standing.check();
    const stored = await readStored(generation, id, from, to);
    if (stored === undefined) throw syncing(undefined, block);
    const { checkpoint } = stored;
    await checkOneChain(checkpoint, block);
    const rows = hasPriorEvents
      ? pickProven(stored, generation, id, from, to, block)
      : (pickRows(layRecent(stored, generation, id, block), from, to) ??
        pickRows(await ask(stored, generation, id, to, block), from, to));
    if (rows === undefined) throw syncing(checkpoint, block);
    // A history that began anew after the pinned block is not the one that was asked about.
    if (rows.some(({ blockNumber }) => blockNumber > block.number)) throw chainUnreadable('main', 'block-mismatch');
    return rows;
  }

  async function readEventEpoch(generation: EventGeneration, id: MachineId, block: BlockRef): Promise<number> {
    standing.check();
    const stored = await readStored(generation, id, 0, 0);
    if (stored === undefined) throw syncing(undefined, block);
    const { checkpoint } = stored;
    const blocks = recent();
    const isAbove = block.number >= checkpoint.blockNumber;
    const ends = isAbove
      ? ([checkpoint.blockNumber, block.number] as const)
      : ([block.number, checkpoint.blockNumber] as const);
    const between =
      blocks?.holdsBoth(checkpoint, block) === true
        ? blocks.listEvents(generation, id, ...ends)
        : await askCovered(generation, id, block, checkpoint);
    if (between === undefined) throw syncing(checkpoint, block);
    const imports = between.filter(({ kind }) => kind === 'imported').length;
    return isAbove ? stored.epoch + imports : stored.epoch - imports;
  }

  /**
   * Where finality is quick the index may be ahead of the followed blocks for a moment; waiting for them would refuse a machine whose history
   * is known.
   */
  async function askCovered(
    generation: EventGeneration,
    id: MachineId,
    block: BlockRef,
    checkpoint: Checkpoint,
  ): Promise<readonly EventLogEntry[] | undefined> {
    if (block.number >= checkpoint.blockNumber) return undefined;
    const question = `covered ${generation} ${id} ${block.hash} ${checkpoint.blockHash}`;
    return askOnce(question, () => targeted.readCovered(generation, id, block, checkpoint)).catch(toFault);
  }

  /** Where the followed blocks do not join the two, the node must at least show the checkpoint on the chain that it answers from. */
  async function checkOneChain(checkpoint: Checkpoint, block: BlockRef): Promise<void> {
    if (recent()?.holdsBoth(checkpoint, block) === true) return;
    const { blockNumber, blockHash } = checkpoint;
    const hash = blockNumber === block.number ? block.hash : (await chain.readHeader(blockNumber)).hash;
    if (hash !== blockHash) throw chainUnreadable('main', 'contradiction');
  }

  /** Checkpoint, count and rows of one moment of the index; undefined before the first commit. */
  async function readStored(
    generation: EventGeneration,
    id: MachineId,
    from: number,
    to: number,
  ): Promise<StoredAt | undefined> {
    let checkpoint = await store.readMainChainCheckpoint();
    for (let attempt = 0; checkpoint !== undefined && attempt < MAX_ATTEMPTS; attempt++) {
      const { count, epoch } = await store.readEventLogCount(generation, id);
      const rows = from < count ? await store.listEventLogs(generation, id, from, Math.min(to, count)) : [];
      const after = await store.readMainChainCheckpoint();
      if (after?.blockHash === checkpoint.blockHash) return { checkpoint, count, epoch, rows };
      checkpoint = after;
    }
    return undefined;
  }

  /**
   * Where the history may have begun anew above the index, its first logs are not told from those before the import: one query may hide the
   * import, and only the followed blocks prove that there is none.
   */
  function pickProven(
    stored: StoredAt,
    generation: EventGeneration,
    id: MachineId,
    from: number,
    to: number,
    block: BlockRef,
  ): EventLogRow[] | undefined {
    const isProven =
      block.number <= stored.checkpoint.blockNumber || recent()?.spans(stored.checkpoint, block) === true;
    return isProven ? pickRows(layRecent(stored, generation, id, block), from, to) : undefined;
  }

  /** The stored history with what the followed blocks add; without them, the stored one alone. */
  function layRecent(stored: StoredAt, generation: EventGeneration, id: MachineId, block: BlockRef): EventHistory {
    const { checkpoint } = stored;
    const blocks = recent();
    if (blocks?.spans(checkpoint, block) !== true) return stored;
    return continueHistory(stored, blocks.listEvents(generation, id, checkpoint.blockNumber, block.number));
  }

  /** The stored history with the answer of a targeted query. */
  async function ask(
    stored: StoredAt,
    generation: EventGeneration,
    id: MachineId,
    to: number,
    block: BlockRef,
  ): Promise<EventHistory> {
    const { checkpoint } = stored;
    if (block.number <= checkpoint.blockNumber) return stored;
    const question = `${generation} ${id} ${to} ${checkpoint.blockHash} ${block.hash}`;
    if (askedInVain.has(question)) return stored;
    const asked = askOnce(question, () => targeted.read(generation, id, checkpoint, block));
    let isRateLimited = false;
    const found = await asked.catch((error: unknown) => {
      isRateLimited = error instanceof LogQueryRefused && error.reason === 'rate-limited';
      return toFault(error);
    });
    const history = continueHistory(stored, found ?? []);
    // Who was told to wait was not answered.
    if (history.count < to && !isRateLimited) rememberVain(question);
    return history;
  }

  /** The same question in flight is asked once. */
  function askOnce(
    question: string,
    ask: () => Promise<readonly EventLogEntry[] | undefined>,
  ): Promise<readonly EventLogEntry[] | undefined> {
    let asked = asking.get(question);
    if (asked === undefined) {
      asked = ask().finally(() => asking.delete(question));
      asking.set(question, asked);
    }
    return asked;
  }

  function rememberVain(question: string): void {
    askedInVain.add(question);
    if (askedInVain.size > MAX_REMEMBERED) askedInVain.delete(askedInVain.values().next().value!);
  }

  function syncing(checkpoint: Checkpoint | undefined, block: BlockRef): Fault {
    const indexedBlock = checkpoint?.blockNumber ?? 0;
    const headBlock = Math.max(indexedBlock, block.number, recent()?.headNumber ?? 0);
    return new Fault('EventIndexSyncing', { indexedBlock, headBlock });
  }

  return { readEventLogs, readEventEpoch };
}

/** A refused query tells nothing; an answer that cannot be true is unreadable. */
function toFault(error: unknown): undefined {
  if (error instanceof LogQueryRefused) return undefined;
  if (error instanceof AnswerRejected) throw chainUnreadable('main', 'contradiction');
  throw error;
}
