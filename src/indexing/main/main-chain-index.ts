/**
 * What has been logged up to the finalized block? (chain-evm 3.7 and 4.) A resumable index of the contracts' logs: windows of verified
 * blocks, each stored in one transaction with the checkpoint that it moves. The checkpoint never moves backwards, and never past a
 * block that is not the child of what it stands on.
 */
import { AnswerRejected } from '../../domain/index-rules/rejected-answer.ts';
import type { BlockRange } from '../../domain/index-rules/block-checks.ts';
import { MAX_LAG_BLOCKS } from '../../domain/index-rules/index-freshness.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { Checkpoint, MainChainIndexStore, OwnershipReads } from '../../ports/store.ts';
import { watchBackfill } from './backfill-progress.ts';
import { BackfillPace } from './backfill-pace.ts';
import { IndexRefused, type IndexIntegrity } from '../loops/index-integrity.ts';
import type { BlockReader, VerifiedWindow } from './block-reader.ts';
import { readOneAhead, streamWindows } from './window-stream.ts';

/** Where a step reads. */
export interface IndexSource {
  readonly chain: MainChainLog;
  readonly reader: BlockReader;
}

export interface MainChainIndexOptions extends IndexSource {
  readonly store: MainChainIndexStore;
  readonly standing: IndexIntegrity;
  readonly clock: Clock;
  readonly log: Log;
  /** What the stored rows must belong to (`formatIndexIdentity`). */
  readonly identity: string;
  /** The first block at which any of the contracts had code. */
  readonly startBlock: number;
  readonly maxWindowBlocks?: number | undefined;
  /** The same answers, later and cheaper: for a step that follows one which caught up. */
  readonly patient?: IndexSource | undefined;
}

export interface MainChainIndex {
  /** Tells whether the stored rows, if there are any, belong to this deployment; from then on they are its own. */
  claim(): Promise<boolean>;
  /**
   * Takes over what is final, for a bounded time. Throws `IndexRefused`, `AnswerRejected`, `LogQueryRefused`, `ChainUnreadable` and
   * `StoreUnavailable`; whatever was stored before stays.
   */
  advance(signal: AbortSignal): Promise<Advance>;
}

export type Advance =
  /** Everything up to the finalized block is stored; `block` is the newest one stored. */
  | { readonly kind: 'caught-up'; readonly block: BlockRef }
  /** There is more to take over; the head should be looked after in between. */
  | { readonly kind: 'behind' }
  /** Nothing to do here: no block of the index is final yet, or another process is at work. */
  | { readonly kind: 'waiting' };

/** After so long the head is read again: a backfill must not make it look unseen. */
const MAX_ADVANCE_MILLISECONDS = 20_000;

export function createMainChainIndex(options: MainChainIndexOptions): MainChainIndex {
  const { store, standing, clock, log, identity, startBlock } = options;
  const pace = new BackfillPace(options.maxWindowBlocks);
  let isClaimed = false;
  let isCaughtUp = false;
  /** Of the step that runs. */
  let source: IndexSource = options;

  async function claim(): Promise<boolean> {
    isClaimed ||= await store.claimMainChainIdentity(identity);
    if (!isClaimed) standing.tell('index', 'other-deployment');
    return isClaimed;
  }

  async function advance(signal: AbortSignal): Promise<Advance> {
    if (!(await claim())) throw new IndexRefused('other-deployment');
    source = isCaughtUp ? (options.patient ?? options) : options;
    isCaughtUp = false;
    const advanced = await step(signal);
    isCaughtUp = advanced.kind === 'caught-up';
    return advanced;
  }

  async function step(signal: AbortSignal): Promise<Advance> {
    const checkpoint = await store.readMainChainCheckpoint();
    const finalized = await readFinalized(checkpoint);
    if (checkpoint !== undefined && finalized.number <= checkpoint.blockNumber) return stand(checkpoint, finalized);
    return finalized.number < startBlock ? { kind: 'waiting' } : takeOver(checkpoint, finalized, signal);
  }

  /** Reads the newest and the finalized block, and writes down that the head was seen. */
  async function readFinalized(checkpoint: Checkpoint | undefined): Promise<BlockRef> {
    const observedAtMilliseconds = clock.nowMilliseconds();
    const [latest, finalized] = await Promise.all([
      source.chain.readHeader('latest'),
      source.chain.readHeader('finalized'),
    ]);
    // Such a node is far behind, or of a chain that was begun anew: its head proves nothing about the index.
    if (checkpoint !== undefined && latest.number < checkpoint.blockNumber) throw new AnswerRejected('head-behind');
    await store.writeHeadObservation({ blockNumber: latest.number, observedAtMilliseconds });
    return finalized;
  }

  /** Nothing is new, or the node is behind: the checkpoint stays, and is held against the chain. */
  async function stand(checkpoint: Checkpoint, finalized: BlockRef): Promise<Advance> {
    const isSameHeight = finalized.number === checkpoint.blockNumber;
    const block = isSameHeight ? finalized : await source.chain.readHeader(checkpoint.blockNumber);
    if (block.hash !== checkpoint.blockHash) throw refuseCheckpoint();
    standing.tell('index', undefined);
    const { number, hash, timestamp } = block;
    return { kind: 'caught-up', block: { number, hash, timestamp } };
  }

  async function takeOver(from: Checkpoint | undefined, finalized: BlockRef, signal: AbortSignal): Promise<Advance> {
    const range = { fromBlock: from === undefined ? startBlock : from.blockNumber + 1, toBlock: finalized.number };
    const progress = watchBackfill(range, startBlock, clock, log);
    const pauseAt = clock.nowMilliseconds() + MAX_ADVANCE_MILLISECONDS;
    let checkpoint = from;
    // What a window needs of the chain is read while the one before it is stored.
    for await (const { window, ownership } of readOneAhead(readSteps(range, from, finalized, signal))) {
      const next = toCheckpoint(window);
      const isStored = await store.advanceMainChain(checkpoint, next, window.news.events, ownership);
      if (!isStored) return { kind: 'waiting' };
      checkpoint = next;
      progress.reach(next.blockNumber);
      if (next.blockNumber === finalized.number) return { kind: 'caught-up', block: window.last };
      if (clock.nowMilliseconds() >= pauseAt) break;
    }
    return { kind: 'behind' };
  }

  /** Windows that lead on from each other, each with the ownership that its logs name. */
  async function* readSteps(
    range: BlockRange,
    from: Checkpoint | undefined,
    finalized: BlockRef,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly window: VerifiedWindow; readonly ownership: OwnershipReads }> {
    const isFar = finalized.number - range.fromBlock > MAX_LAG_BLOCKS;
    // The answer of one block is the same however often it is asked.
    const alreadyRead = isFar ? new ReadMachines() : undefined;
    let before = from;
    for await (const window of streamWindows(source.reader, pace, range, signal)) {
      await checkLinks(window, before, finalized);
      before = toCheckpoint(window);
      yield { window, ownership: await readOwnership(window, isFar ? finalized : window.last, alreadyRead) };
    }
  }

  /**
   * Logs choose, reads decide (chain-evm 4.1). In a step that begins far from the head nothing is listed yet, and nodes may have
   * dropped the state of old blocks: there the newest final state serves as well, because later logs name whatever changed in between.
   */
  async function readOwnership(
    { news }: VerifiedWindow,
    block: BlockRef,
    alreadyRead: ReadMachines | undefined,
  ): Promise<OwnershipReads> {
    const ids = alreadyRead?.listNew(news.ownershipOf) ?? [...news.ownershipOf];
    const changes = ids.length === 0 ? [] : await source.chain.readOwnership(block, ids);
    alreadyRead?.add(ids);
    return { readAtBlock: block.number, changes };
  }

  /** Holds a window against what it follows and what it leads to. */
  async function checkLinks(
    window: VerifiedWindow,
    checkpoint: Checkpoint | undefined,
    finalized: BlockRef,
  ): Promise<void> {
    const isEnd = window.last.number === finalized.number;
    if (isEnd && window.last.hash !== finalized.hash) throw new AnswerRejected('hash-mismatch');
    if (checkpoint !== undefined && window.parentHash !== checkpoint.blockHash) {
      const block = await source.chain.readHeader(checkpoint.blockNumber);
      if (block.hash !== checkpoint.blockHash) throw refuseCheckpoint();
      throw new AnswerRejected('broken-link');
    }
    standing.tell('index', undefined);
  }

  function refuseCheckpoint(): IndexRefused {
    standing.tell('index', 'checkpoint-not-on-chain');
    return new IndexRefused('checkpoint-not-on-chain');
  }

  return { claim, advance };
}

function toCheckpoint({ last }: VerifiedWindow): Checkpoint {
  return { blockNumber: last.number, blockHash: last.hash };
}

/** Bounds the memory of what was read; some 20 MB. */
const MAX_READ_MACHINES = 200_000;

/** The machines that were read at the finalized block of this step, and stored. */
class ReadMachines {
  readonly #ids = new Set<MachineId>();

  listNew(ids: ReadonlySet<MachineId>): MachineId[] {
    return [...ids].filter((id) => !this.#ids.has(id));
  }

  add(ids: readonly MachineId[]): void {
    if (this.#ids.size + ids.length > MAX_READ_MACHINES) this.#ids.clear();
    for (const id of ids) this.#ids.add(id);
  }
}
