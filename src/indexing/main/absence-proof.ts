/**
 * Proves that blocks without stored logs hold none, newest range first. With two hosts or more that serve logs, those of
 * two of them must name no other block; with one, random headers and their receipts are read. In mode `full` every header follows,
 * in ranges that need no link to each other: a broken link is `unprovable` where two hosts return it alike, and leaves
 * its range unproven otherwise.
 */
import { checkHeaders, checkLogOrder, watchContracts, type BlockRange } from '../../domain/index-rules/block-checks.ts';
import { digestLogs, NO_LOGS_DIGEST } from '../../domain/index-rules/log-digest.ts';
import { MAX_LOG_WINDOW_BLOCKS } from '../../domain/index-rules/log-limits.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { ProofSegment } from '../../ports/index-proof.ts';
import {
  LogQueryRefused,
  type ChainLog,
  type ChainWitness,
  type Header,
  type LogRefusal,
  type MainChainLog,
} from '../../ports/main-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { Checkpoint, Store } from '../../ports/store.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';
import { AdaptiveWindow } from './adaptive-window.ts';
import type { BlockProof } from './block-proof.ts';
import { MAX_EVIDENCE_DISTANCE, type BloomEvidence } from './bloom-evidence.ts';
import { listBlocks } from './block-reader.ts';
import { readIndexedHeaders } from './indexed-headers.ts';
import { isReadFailure } from './read-failure.ts';
import { isRangeRefusal, isTimeout } from './window-stream.ts';

/** Returns a random integer from 0 to `bound - 1`. */
export type RandomBelow = (bound: number) => number;

export interface AbsenceProof {
  /** Proves one more range. `idle`: nothing is left that can be proven. Throws like every chain read. */
  prove(checkpoint: Checkpoint): Promise<StepOutcome>;
}

export interface AbsenceProofOptions {
  readonly chain: MainChainLog;
  readonly store: Store;
  readonly log: Log;
  readonly blocks: BlockProof;
  readonly evidence: BloomEvidence;
  readonly startBlock: number;
  readonly random: RandomBelow;
  readonly isFull: boolean;
  readonly clock: Clock;
}

/** Finds a node that hides the logs of one block in two hundred with a probability of 99.3 %. */
const SAMPLED_BLOCKS = 1_000;
/** Blocks that one node behind a URL may be behind another. */
const MAX_NODE_DISTANCE = 8;
const MAX_HEADERS_PER_READ = 500;
const MIN_HEADERS_PER_READ = 10;
/** Headers by which a read grows after each segment. */
const HEADERS_MORE_PER_READ = 10;
/** Hosts that must return the same. */
const REQUIRED_HOSTS = 2;

/** Refusals that no later attempt changes. */
const LASTING_REFUSALS: readonly LogRefusal[] = ['logs-refused', 'history-pruned'];

/** Time after which ranges that could not be proven are tried again; it doubles up to an hour. One for which a host was silent is tried each time. */
const FIRST_RETRY_MILLISECONDS = 60_000;
const MAX_RETRY_MILLISECONDS = 3_600_000;

export function createAbsenceProof(options: AbsenceProofOptions): AbsenceProof {
  const { chain, store, log, blocks, evidence, startBlock, random, isFull, clock } = options;
  const contracts = watchContracts(chain.addresses);
  const windows = new Map<ChainWitness, AdaptiveWindow>();
  /** Ranges that could not be proven since the last retry. */
  let unproven: BlockRange[] = [];
  /** Ranges that wait for a host that did not answer. */
  let waiting: BlockRange[] = [];
  /** Gaps in which a sample found hidden logs, so that only all of their headers prove them. */
  const distrusted: BlockRange[] = [];
  /** Ranges whose proven log blocks are needed no more, at first those of the stored segments; undefined until the first step. */
  let forgettable: BlockRange[] | undefined;
  let askedAt = clock.nowMilliseconds();
  let retriedAt = clock.nowMilliseconds();
  let retryMilliseconds = FIRST_RETRY_MILLISECONDS;
  /** Smaller behind a node that does not serve more within the deadline of one read. */
  let headersPerRead = MAX_HEADERS_PER_READ;

  async function prove({ blockNumber }: Checkpoint): Promise<StepOutcome> {
    if (hasPassed(clock, retriedAt, retryMilliseconds)) {
      const hasFailed = unproven.length + waiting.length > 0;
      retryMilliseconds = hasFailed
        ? Math.min(MAX_RETRY_MILLISECONDS, 2 * retryMilliseconds)
        : FIRST_RETRY_MILLISECONDS;
      unproven = waiting = [];
      retriedAt = clock.nowMilliseconds();
    }
    if (hasPassed(clock, askedAt, FIRST_RETRY_MILLISECONDS)) {
      waiting = waiting.slice(1);
      askedAt = clock.nowMilliseconds();
    }
    const skipped = [...unproven, ...waiting];
    const segments = await store.listProofSegments();
    forgettable ??= segments.filter(isForgettable);
    if (forgettable.length > 0) return forget(forgettable);
    const gap = findNewestGap({ fromBlock: startBlock, toBlock: blockNumber }, [...segments, ...skipped]);
    if (gap !== undefined) {
      if (distrusted.some((range) => overlaps(range, gap))) return proveByHeaders(gap);
      return chain.witnesses.length >= REQUIRED_HOSTS ? proveByHosts(gap) : proveBySample(gap);
    }
    if (!isFull) return 'idle';
    const complete = segments.filter(isReadByHeaders);
    const unread = findNewestGap({ fromBlock: startBlock, toBlock: blockNumber }, [...complete, ...skipped]);
    return unread === undefined ? 'idle' : proveByHeaders(unread);
  }

  async function complete(segment: ProofSegment): Promise<StepOutcome> {
    headersPerRead = Math.min(MAX_HEADERS_PER_READ, headersPerRead + HEADERS_MORE_PER_READ);
    await store.addProofSegment(segment);
    if (isForgettable(segment)) forgettable?.push(segment);
    return 'more';
  }

  /** Blocks with logs are needed again until every header was read. */
  function isForgettable({ kind }: ProofSegment): boolean {
    return !isFull || kind === 'headers';
  }

  async function forget(ranges: BlockRange[]): Promise<StepOutcome> {
    const { fromBlock, toBlock } = ranges.at(-1)!;
    const next = await store.forgetProvenBlocks(fromBlock, toBlock);
    ranges.splice(-1, 1, ...(next === undefined ? [] : [{ fromBlock: next, toBlock }]));
    return 'more';
  }

  function giveUp(range: BlockRange, reason: string): StepOutcome {
    unproven.push(range);
    log.warn({ ...range, reason }, 'a range of the index stays unproven');
    return 'more';
  }

  /** The whole gap waits, so that a silent host is asked once. */
  function waitForHost(gap: BlockRange): StepOutcome {
    if (waiting.length === 0) log.warn({ ...gap }, 'a host does not answer; ranges of the index wait for it unproven');
    waiting.push(gap);
    return 'more';
  }

  /** Compares the stored blocks with the logs of every host that answers; two must be alike, unless only one serves these logs. */
  async function proveByHosts(gap: BlockRange): Promise<StepOutcome> {
    const widest = Math.min(...chain.witnesses.map((witness) => windowOf(witness).windowBlocks));
    const range = { fromBlock: Math.max(gap.fromBlock, gap.toBlock - widest + 1), toBlock: gap.toBlock };
    const answers: { readonly node: number; readonly byBlock: ReadonlyMap<number, readonly ChainLog[]> }[] = [];
    let refusing = 0;
    let silent = 0;
    for (const witness of chain.witnesses) {
      const logs = await readWitness(witness, range);
      if (logs === 'smaller') return 'more';
      if (logs === 'refused') refusing += 1;
      if (logs === undefined) silent += 1;
      if (logs === 'refused' || logs === undefined) continue;
      const { node } = witness;
      answers.push({ node, byBlock: Map.groupBy(logs, ({ blockNumber }) => blockNumber) });
    }
    const known = new Set((await listDigests(range)).keys());
    for (const { node, byBlock } of answers) {
      const unknown = [...byBlock.keys()].filter((number) => !known.has(number));
      for (const number of unknown) known.add(number);
      if (!(await proveUnknown(unknown, node))) return giveUp(range, 'unproven-receipts');
    }
    const digests = await listDigests(range);
    const [alike, others] = [answers.filter(isAlike), answers.filter((answer) => !isAlike(answer))];
    for (const { node } of others) log.warn({ ...range, node: node + 1 }, 'a node returns other logs than are stored');
    if (alike.length >= REQUIRED_HOSTS) {
      waiting = [];
      return complete({ ...range, kind: 'second-node' });
    }
    const isAlone = chain.witnesses.length - refusing < REQUIRED_HOSTS;
    if (silent > 0 && !isAlone) return waitForHost(gap);
    return isAlone && others.length === 0 ? proveBySample(gap) : giveUp(range, 'hosts-differ');

    /** Returns whether a host returned the stored logs of exactly the stored blocks. */
    function isAlike({ byBlock }: (typeof answers)[number]): boolean {
      if (byBlock.size !== digests.size) return false;
      return [...byBlock].every(([number, logs]) => digests.get(number) === digestLogs(logs));
    }
  }

  async function listDigests({ fromBlock, toBlock }: BlockRange): Promise<ReadonlyMap<number, string>> {
    const stored = await store.listLogBlocks(fromBlock, toBlock);
    // A repair leaves blocks whose forged logs were removed.
    const withLogs = stored.filter(({ digest }) => digest !== NO_LOGS_DIGEST);
    return new Map(withLogs.map(({ blockNumber, digest }) => [blockNumber, digest]));
  }

  /**
   * Returns the logs of one host; `smaller` after a refusal of the range, `refused` where it serves no such logs, undefined where it does
   * not answer now.
   */
  async function readWitness(
    witness: ChainWitness,
    range: BlockRange,
  ): Promise<ChainLog[] | 'smaller' | 'refused' | undefined> {
    const window = windowOf(witness);
    const size = range.toBlock - range.fromBlock + 1;
    try {
      const logs = await witness.readLogs(range);
      checkLogOrder(contracts, range, logs);
      window.recordSuccess(size, logs.length);
      return logs;
    } catch (error) {
      if (isRangeRefusal(error)) return window.refuseWindow(size) ? 'smaller' : 'refused';
      // The range may have been too large.
      if (isTimeout(error)) window.reduceWindow(size);
      if (error instanceof LogQueryRefused && LASTING_REFUSALS.includes(error.reason)) return 'refused';
      if (isReadFailure(error)) return undefined;
      throw error;
    }
  }

  /** Reads blocks that only this host names. Returns false when their receipts prove nothing. */
  async function proveUnknown(numbers: readonly number[], node: number): Promise<boolean> {
    if (numbers.length === 0) return true;
    const headers = await readIndexedHeaders(chain, store, numbers);
    checkHeaders(numbers, headers);
    return blocks.proveEmpty(headers, node);
  }

  /**
   * Reads random headers of the gap. Hidden logs among them refute that there are no others. They do not in the newest blocks, of which a
   * node that was behind returned no logs: these are read all.
   */
  async function proveBySample(gap: BlockRange): Promise<StepOutcome> {
    const newest = { ...gap, fromBlock: Math.max(gap.fromBlock, gap.toBlock - MAX_NODE_DISTANCE + 1) };
    const older = { ...gap, toBlock: newest.fromBlock - 1 };
    const numbers = drawBlocks(older, await store.findNewestLogBlock(gap.fromBlock, gap.toBlock));
    const isSample = numbers.length < older.toBlock - older.fromBlock + 1;
    const differences = blocks.differences();
    const hasHidden = () => isSample && blocks.differences() > differences;
    try {
      if (!(await proveBlocks(numbers, hasHidden))) return giveUp(gap, 'unproven-receipts');
    } finally {
      if (hasHidden()) distrust(gap);
    }
    if (hasHidden()) return 'more';
    if (!(await proveBlocks(listBlocks(newest)))) return giveUp(gap, 'unproven-receipts');
    return complete({ ...gap, kind: 'sample' });
  }

  /** Proves the blocks, until it has proven enough. Returns false when nothing proves one of them. */
  async function proveBlocks(numbers: readonly number[], isEnough = () => false): Promise<boolean> {
    for (let from = 0; from < numbers.length && !isEnough();) {
      const batch = numbers.slice(from, from + headersPerRead);
      const headers = await readHeaders(batch);
      checkHeaders(batch, headers);
      if (!(await proveHeaders(headers))) return false;
      from += batch.length;
    }
    return true;
  }

  function distrust(gap: BlockRange): void {
    log.warn({ ...gap }, 'a sample of blocks found hidden logs, so that every header of the range is read');
    distrusted.push(gap);
  }

  async function readHeaders(numbers: readonly number[]): Promise<Header[]> {
    try {
      return await readIndexedHeaders(chain, store, numbers);
    } catch (error) {
      if (isTimeout(error)) headersPerRead = Math.max(MIN_HEADERS_PER_READ, Math.floor(numbers.length / 2));
      throw error;
    }
  }

  /** Draws blocks, ascending, with the newest one that has logs; all of them where there are few. */
  function drawBlocks({ fromBlock, toBlock }: BlockRange, newestWithLogs: number | undefined): number[] {
    const size = toBlock - fromBlock + 1;
    const drawn = new Set<number>();
    if (size <= 2 * SAMPLED_BLOCKS) for (const number of listBlocks({ fromBlock, toBlock })) drawn.add(number);
    else for (let i = 0; i < SAMPLED_BLOCKS; i++) drawn.add(fromBlock + random(size));
    // A block with logs shows whether blooms are real.
    if (newestWithLogs !== undefined) drawn.add(newestWithLogs);
    return [...drawn].sort((a, b) => a - b);
  }

  /** Reads the newest headers of the gap, their links, and the receipts of those that blooms do not settle. */
  async function proveByHeaders(gap: BlockRange): Promise<StepOutcome> {
    const range = { fromBlock: Math.max(gap.fromBlock, gap.toBlock - headersPerRead + 1), toBlock: gap.toBlock };
    const numbers = listBlocks(range);
    const headers = await readHeaders(numbers);
    if (headers.some(({ number }, i) => number !== numbers[i])) throw new ResponseRejected('missing-header');
    const broken = headers.findLast((header, i) => i > 0 && headers[i - 1]!.hash !== header.parentHash);
    if (broken !== undefined) return endSegment(broken, range);
    if (!(await proveHeaders(headers))) return giveUp(range, 'unproven-receipts');
    return complete({ ...range, kind: 'headers' });
  }

  /** Ends the segment above a broken link. The blocks above it are read again without it. */
  async function endSegment(broken: Header, range: BlockRange): Promise<StepOutcome> {
    const link = { fromBlock: broken.number, toBlock: broken.number };
    if (!(await isBrokenForTwo(broken)) || !(await proveBlock(broken))) return giveUp(link, 'broken-link');
    log.warn({ ...range, block: broken.number }, 'two hosts return a block that is not the child of the one before it');
    return complete({ ...link, kind: 'unprovable' });
  }

  /** Proves one block, whose stored logs are compared with those of its receipts. Returns false when nothing proves it. */
  async function proveBlock(header: Header): Promise<boolean> {
    const stored = await store.listLogBlocks(header.number, header.number);
    return stored.length > 0 ? (await blocks.proveStored(stored)) === 0 : proveHeaders([header]);
  }

  /** Returns whether two hosts return this block and the same other block before it. */
  async function isBrokenForTwo(broken: Header): Promise<boolean> {
    const pairs: string[] = [];
    for (const witness of chain.witnesses) {
      const [before, block] = await witness.readHeaders([broken.number - 1, broken.number]).catch(() => []);
      if (before !== undefined && block?.hash === broken.hash && block.parentHash !== before.hash)
        pairs.push(before.hash);
    }
    return pairs.some((hash) => pairs.filter((other) => other === hash).length >= REQUIRED_HOSTS);
  }

  /** Proves that those of the blocks that are not stored with logs hold none. */
  async function proveHeaders(headers: readonly Header[]): Promise<boolean> {
    const known = new Set(await store.filterLogBlocks(headers.map(({ number }) => number)));
    await evidence.seek(headers, () => readLogBlockNear(headers.at(-1)!));
    const unknown = headers.filter(({ number }) => !known.has(number));
    return blocks.proveEmpty(unknown.filter((header) => !evidence.settles(header)));
  }

  /** Returns the header of a block with logs near this one, the newest; without receipts its bloom shows whether zero blooms are real. */
  async function readLogBlockNear({ number }: Header): Promise<readonly Header[]> {
    if (chain.servesReceipts) return [];
    const fromBlock = Math.max(startBlock, number - MAX_EVIDENCE_DISTANCE);
    const newest = await store.findNewestLogBlock(fromBlock, number + MAX_EVIDENCE_DISTANCE);
    return newest === undefined ? [] : chain.readHeaders([newest]);
  }

  function windowOf(witness: ChainWitness): AdaptiveWindow {
    const window = windows.get(witness) ?? new AdaptiveWindow(MAX_LOG_WINDOW_BLOCKS, () => witness.logLimits);
    windows.set(witness, window);
    return window;
  }

  return { prove };
}

function overlaps(a: BlockRange, b: BlockRange): boolean {
  return a.fromBlock <= b.toBlock && b.fromBlock <= a.toBlock;
}

/** Returns whether the time has passed; a clock that was set back makes it at most twice as long. */
export function hasPassed(clock: Clock, since: number, milliseconds: number): boolean {
  return Math.abs(clock.nowMilliseconds() - since) >= milliseconds;
}

/** Returns whether every header of the segment was read. */
export function isReadByHeaders({ kind }: ProofSegment): boolean {
  return kind === 'headers' || kind === 'unprovable';
}

/** Returns the newest part of the range that no segment covers; undefined where all is covered. */
export function findNewestGap(range: BlockRange, segments: readonly BlockRange[]): BlockRange | undefined {
  let { toBlock } = range;
  for (const segment of segments.toSorted((a, b) => b.toBlock - a.toBlock)) {
    if (segment.toBlock < toBlock) return { fromBlock: Math.max(range.fromBlock, segment.toBlock + 1), toBlock };
    toBlock = Math.min(toBlock, segment.fromBlock - 1);
    if (toBlock < range.fromBlock) return undefined;
  }
  return toBlock < range.fromBlock ? undefined : { fromBlock: range.fromBlock, toBlock };
}
