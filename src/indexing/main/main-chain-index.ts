/**
 * Resumable index of the contracts' logs up to the finalized block (chain-evm 3.7 and 4). Far from the head it reads
 * logs alone and leaves the proof for later (design/real-chains.md 1); near it, and in mode `before`, it reads verified
 * blocks. Blocks are stored together with the checkpoint, which never moves backwards, and only on one chain.
 */
import { watchContracts, type BlockRange } from '../../domain/index-rules/block-checks.ts';
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import { MAX_LOG_WINDOW_BLOCKS } from '../../domain/index-rules/log-limits.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { MAX_LAG_BLOCKS } from '../../domain/index-rules/index-freshness.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { MainChainLog } from '../../ports/main-chain.ts';
import type { TouchedMachines } from '../../ports/change-store.ts';
import type { Checkpoint, EventLogEntry, MainChainIndexStore, OwnershipReads } from '../../ports/store.ts';
import type { UnprovenWindow } from '../../ports/index-proof.ts';
import { watchBackfill } from './backfill-progress.ts';
import { AdaptiveWindow } from './adaptive-window.ts';
import { completeBackfill, type BackfillStore } from './backfill-completion.ts';
import { IndexRefused, type IndexIntegrity } from '../loops/index-integrity.ts';
import type { BlockReader, VerifiedWindow } from './block-reader.ts';
import { confirmGroup, readOnFinalizedChain } from './confirmed-group.ts';
import { groupWindows } from './log-groups.ts';
import { readLogWindow } from './log-window.ts';
import { isReadFailure } from './read-failure.ts';
import { readOneAhead, streamWindows } from './window-stream.ts';

/** Chain and reader that a step uses. */
export interface IndexSource {
  readonly chain: MainChainLog;
  readonly reader: BlockReader;
}

export interface MainChainIndexOptions extends IndexSource {
  readonly store: MainChainIndexStore & BackfillStore;
  readonly proof: IndexProof;
  readonly integrity: IndexIntegrity;
  readonly clock: Clock;
  readonly log: Log;
  /** Identity that the stored rows must have (`formatIndexIdentity`). */
  readonly identity: string;
  /** Contracts whose logs the stored rows must have (`formatOptionalContracts`). */
  readonly optionalContracts?: string | undefined;
  /** First block at which any of the contracts had code. */
  readonly startBlock: number;
  readonly maxWindowBlocks?: number | undefined;
  /** Called in each step that has stored everything final, before owners and missing times are read. */
  readonly onImported?: (() => void) | undefined;
  /** Same data, later and at a lower cost. */
  readonly deferred?: IndexSource | undefined;
}

export interface MainChainIndex {
  /** Claims the stored rows for this deployment. Returns false when they belong to another one. */
  claim(): Promise<boolean>;
  /**
   * Imports finalized blocks for a bounded time. Throws `IndexRefused`, `ResponseRejected`, `LogQueryRefused`,
   * `ChainUnreadable` and `StoreUnavailable`; rows stored before remain. Deferred: reads from the deferred source.
   */
  advance(signal: AbortSignal, isDeferred?: boolean): Promise<Advance>;
}

export type Advance =
  /** Everything up to the finalized block is stored; `block` is the newest one stored. */
  | { readonly kind: 'caught-up'; readonly block: BlockRef }
  /** More blocks are to be imported; the head should be polled in between. */
  | { readonly kind: 'behind' }
  /** Nothing to do: no block of the index is final yet, or another process is at work. */
  | { readonly kind: 'waiting' };

/** Time limit of one call, so that a backfill does not make the head observation look old. */
const MAX_ADVANCE_MILLISECONDS = 20_000;

export function createMainChainIndex(options: MainChainIndexOptions): MainChainIndex {
  const { store, integrity, clock, log, identity, optionalContracts = '', startBlock } = options;
  const contracts = watchContracts(options.chain.addresses);
  /** Source of the current step. */
  let source: IndexSource = options;
  const adaptiveWindow = new AdaptiveWindow(options.maxWindowBlocks);
  const maxLogBlocks = options.maxWindowBlocks ?? MAX_LOG_WINDOW_BLOCKS;
  const logWindow = new AdaptiveWindow(maxLogBlocks, () => source.chain.logLimits);

  async function claim(): Promise<boolean> {
    const isClaimed = await store.claimMainChainIdentity(identity, optionalContracts);
    integrity.report('claim', isClaimed ? undefined : 'other-deployment');
    return isClaimed;
  }

  async function advance(signal: AbortSignal, isDeferred = false): Promise<Advance> {
    if (!(await claim())) throw new IndexRefused('other-deployment');
    source = isDeferred ? (options.deferred ?? options) : options;
    return step(signal);
  }

  async function step(signal: AbortSignal): Promise<Advance> {
    const endAt = clock.nowMilliseconds() + MAX_ADVANCE_MILLISECONDS;
    const checkpoint = await store.readMainChainCheckpoint();
    const finalized = await readFinalized(checkpoint);
    const advanced = await importNewBlocks(checkpoint, finalized, endAt, signal);
    if (advanced.kind !== 'caught-up') return advanced;
    options.onImported?.();
    const { chain } = source;
    const isComplete = await completeBackfill({ chain, store, clock, signal, endAt }, advanced.block);
    return isComplete ? advanced : { kind: 'behind' };
  }

  async function importNewBlocks(
    checkpoint: Checkpoint | undefined,
    finalized: BlockRef,
    endAt: number,
    signal: AbortSignal,
  ): Promise<Advance> {
    if (checkpoint !== undefined && finalized.number <= checkpoint.blockNumber)
      return confirmCheckpoint(checkpoint, finalized);
    return finalized.number < startBlock ? { kind: 'waiting' } : importBlocks(checkpoint, finalized, endAt, signal);
  }

  /** Reads the newest and the finalized block, and stores the head observation. */
  async function readFinalized(checkpoint: Checkpoint | undefined): Promise<BlockRef> {
    const observedAtMilliseconds = clock.nowMilliseconds();
    const [latest, finalized] = await Promise.all([
      source.chain.readHeader('latest'),
      source.chain.readHeader('finalized'),
    ]);
    // Such a node is far behind, or on a restarted chain: its head proves nothing about the index.
    if (checkpoint !== undefined && latest.number < checkpoint.blockNumber) throw new ResponseRejected('head-behind');
    await store.writeHeadObservation({ blockNumber: latest.number, observedAtMilliseconds });
    return finalized;
  }

  /** Compares the checkpoint with the chain when nothing is new or the node is behind. */
  async function confirmCheckpoint(checkpoint: Checkpoint, finalized: BlockRef): Promise<Advance> {
    const isSameHeight = finalized.number === checkpoint.blockNumber;
    const block = isSameHeight ? finalized : await source.chain.readHeader(checkpoint.blockNumber);
    if (block.hash !== checkpoint.blockHash) throw refuseCheckpoint();
    integrity.report('index', undefined);
    const { number, hash, timestamp } = block;
    return { kind: 'caught-up', block: { number, hash, timestamp } };
  }

  async function importBlocks(
    from: Checkpoint | undefined,
    finalized: BlockRef,
    endAt: number,
    signal: AbortSignal,
  ): Promise<Advance> {
    const range = { fromBlock: from === undefined ? startBlock : from.blockNumber + 1, toBlock: finalized.number };
    const isFar = range.toBlock - range.fromBlock > MAX_LAG_BLOCKS;
    const progress = watchBackfill(range, startBlock, clock, log);
    const isOver = () => clock.nowMilliseconds() >= endAt;
    const steps =
      isFar && options.proof !== 'before'
        ? readLogSteps(range, from, finalized, signal, isOver)
        : readVerifiedSteps(range, from, finalized, signal, isOver, isFar);
    let checkpoint = from;
    // The chain reads of a step overlap with storing the previous one. They end the loop, so that none is read in vain.
    for await (const { last, events, ownership, unproven, touched } of readOneAhead(steps)) {
      const next = { blockNumber: last.number, blockHash: last.hash };
      const isStored = await store.advanceMainChain(checkpoint, next, events, ownership, unproven, touched);
      if (!isStored) return { kind: 'waiting' };
      checkpoint = next;
      progress.reach(next.blockNumber);
      if (next.blockNumber === finalized.number) return { kind: 'caught-up', block: last };
    }
    return { kind: 'behind' };
  }

  /**
   * Yields consecutive windows of proven blocks, each with the ownership that its logs name. Nodes of a pool may be on
   * another fork, so that a window is yielded only once a node that has the finalized block has its last block: near the
   * head all windows are confirmed together by the last one, elsewhere each by itself.
   */
  async function* readVerifiedSteps(
    range: BlockRange,
    from: Checkpoint | undefined,
    finalized: BlockRef,
    signal: AbortSignal,
    isOver: () => boolean,
    isFar: boolean,
  ): AsyncGenerator<ImportStep> {
    // Reads at one block always return the same result.
    const alreadyRead = isFar ? new ReadMachines() : undefined;
    let before = from;
    let unconfirmed: ImportStep[] = [];
    let failure: Error | undefined;
    try {
      for await (const window of streamWindows(source.reader.readWindow, adaptiveWindow, range, signal, isOver)) {
        const previous = unconfirmed.at(-1);
        if (previous === undefined) await checkFollows(window, before);
        else if (window.parentHash !== previous.last.hash) throw new ResponseRejected('broken-link');
        const { last, summary, unprovenBlocks } = window;
        const isEnd = last.number === finalized.number;
        if (isEnd && last.hash !== finalized.hash) throw new ResponseRejected('hash-mismatch');
        before = { blockNumber: last.number, blockHash: last.hash };
        const ownership = await readOwnership(window, isFar ? finalized : last, alreadyRead);
        const unproven = unprovenBlocks && { blocks: unprovenBlocks, ownershipOf: [] };
        unconfirmed.push({ last, events: summary.events, ownership, unproven, touched: summary.touched });
        const isDistant = finalized.number - last.number > MAX_LAG_BLOCKS;
        if (isDistant) await checkOnFinalizedChain(last, finalized);
        if (!isEnd && !isDistant) continue;
        yield* unconfirmed;
        unconfirmed = [];
      }
    } catch (error) {
      // What precedes a contradiction may be wrong too.
      if (!isReadFailure(error) || error instanceof ResponseRejected) throw error;
      failure = error;
    }
    const newest = unconfirmed.at(-1);
    if (newest !== undefined && !signal.aborted) {
      await checkOnFinalizedChain(newest.last, finalized);
      yield* unconfirmed;
    }
    if (failure !== undefined) throw failure;
  }

  /** Yields groups of windows read from logs alone; each is confirmed on the finalized chain by a few headers. */
  async function* readLogSteps(
    range: BlockRange,
    from: Checkpoint | undefined,
    finalized: BlockRef,
    signal: AbortSignal,
    isOver: () => boolean,
  ): AsyncGenerator<ImportStep> {
    const { chain } = source;
    const before = from && (await chain.readHeader(from.blockNumber));
    if (before?.hash !== from?.blockHash) throw refuseCheckpoint();
    let startTime = before?.timestamp ?? 0;
    integrity.report('index', undefined);
    const readWindow = (part: BlockRange) => readLogWindow(chain, contracts, part);
    const windows = streamWindows(readWindow, logWindow, range, signal, isOver);
    for await (const group of groupWindows(windows, clock)) {
      const confirmed = await confirmGroup(chain, group, finalized, startTime);
      const { toBlock, last, events, unproven, touched } = confirmed;
      startTime = last.timestamp;
      yield { last, events, ownership: { readAtBlock: toBlock, changes: [] }, unproven, touched };
    }
  }

  /**
   * Reads the ownership of the machines that logs name (chain-evm 4.1). A backfill that begins far from the head reads at
   * the newest final block instead of the window's: nothing is listed yet, nodes may have pruned old states, and later
   * logs name whatever changed in between.
   */
  async function readOwnership(
    { summary }: VerifiedWindow,
    block: BlockRef,
    alreadyRead: ReadMachines | undefined,
  ): Promise<OwnershipReads> {
    const ids = alreadyRead?.listNew(summary.ownershipOf) ?? [...summary.ownershipOf];
    const changes = ids.length === 0 ? [] : await source.chain.readOwnership(block, ids);
    alreadyRead?.add(ids);
    return { readAtBlock: block.number, changes };
  }

  /** Checks that a window follows the stored blocks. */
  async function checkFollows(window: VerifiedWindow, checkpoint: Checkpoint | undefined): Promise<void> {
    if (checkpoint !== undefined && window.parentHash !== checkpoint.blockHash) {
      const block = await source.chain.readHeader(checkpoint.blockNumber);
      if (block.hash !== checkpoint.blockHash) throw refuseCheckpoint();
      throw new ResponseRejected('broken-link');
    }
    integrity.report('index', undefined);
  }

  async function checkOnFinalizedChain({ number, hash }: BlockRef, finalized: BlockRef): Promise<void> {
    const headers = await readOnFinalizedChain(source.chain, [number], finalized);
    if (headers.get(number)!.hash !== hash) throw new ResponseRejected('hash-mismatch');
  }

  function refuseCheckpoint(): IndexRefused {
    integrity.report('index', 'checkpoint-not-on-chain');
    return new IndexRefused('checkpoint-not-on-chain');
  }

  return { claim, advance };
}

/** Blocks to store in one transaction. */
interface ImportStep {
  readonly last: BlockRef;
  readonly events: readonly EventLogEntry[];
  readonly ownership: OwnershipReads;
  readonly unproven: UnprovenWindow | undefined;
  readonly touched: TouchedMachines;
}

/** Bounds the memory of the set; about 20 MB. */
const MAX_READ_MACHINES = 200_000;

/** Machines that were read at the finalized block of this step and stored. */
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
