/**
 * Head follower: tracks the newest block and what changed since the one before (architecture, "Log-driven cache"). A
 * poll costs one request; further requests are made only when blocks were skipped, quiet contracts have logged, the
 * chain was reorganized, or the node refuses a range. It notifies its listeners of every step and holds the event logs
 * above the stored index.
 */
import { checkHeaders, checkLogOrder, watchContracts, type BlockRange } from '../../domain/index-rules/block-checks.ts';
import { MAX_LAG_BLOCKS } from '../../domain/index-rules/index-freshness.ts';
import { LogLimits } from '../../domain/index-rules/log-limits.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import {
  LogQueryRefused,
  type ChainLog,
  type HeadListener,
  type HeadResponse,
  type Header,
  type MainChainLog,
} from '../../ports/main-chain.ts';
import type { Checkpoint, MainChainIndexStore } from '../../ports/store.ts';
import { AdaptiveWindow } from '../main/adaptive-window.ts';
import { toEventEntries } from '../main/event-entries.ts';
import { ALL_EFFECTS, countUnknown, sumEffects } from './head-effects.ts';
import { createPollSchedule } from './poll-schedule.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';
import type { NextStep } from '../loops/poll-loop.ts';
import { RECENT_BLOCKS_LIMITS, RecentBlocks, type RecentBlocksLimits } from './recent-blocks.ts';
import { listBlocks, type BlockReader } from '../main/block-reader.ts';
import type { VerifiedLog } from '../main/verified-log.ts';
import { isRangeRefusal, streamWindows } from '../main/window-stream.ts';

export interface HeadFollowerOptions {
  readonly chain: MainChainLog;
  readonly reader: BlockReader;
  readonly store: Pick<MainChainIndexStore, 'readMainChainCheckpoint'>;
  readonly integrity: IndexIntegrity;
  readonly clock: Clock;
  /** For retries, which a jump of the clock must not delay; `clock` where it is left out. */
  readonly monotonicClock?: Clock | undefined;
  readonly log: Log;
  readonly listeners: readonly HeadListener[];
  /** Poll interval when blocks follow no schedule; 1 s by default. */
  readonly intervalMilliseconds?: number | undefined;
  readonly limits?: RecentBlocksLimits | undefined;
  /** Returns whether this process has indexed everything final: a distant checkpoint comes no nearer then. */
  readonly isCaughtUp?: (() => boolean) | undefined;
}

export interface HeadFollower {
  /**
   * Reads the newest block once and returns when to poll next. Throws like every chain read, and `ResponseRejected`;
   * the state is unchanged then.
   */
  poll(): Promise<NextStep>;
  /** Returns the known blocks; undefined before the first poll. */
  recent(): RecentBlocks | undefined;
  /** Returns whether the known head is still the newest one: no poll is overdue. */
  isCurrent(): boolean;
  report(): HeadFollowerReport;
}

export interface HeadFollowerReport {
  /** Times that the chain was reorganized, or that the changes in between were unknown. */
  readonly reorgs: number;
  /** Logs of the contracts in new blocks whose event is unknown. */
  readonly unknownLogs: number;
}

const INTERVAL_MILLISECONDS = 1_000;
/** Time after which a node that still reports an older block is accepted: the chain itself has become shorter. */
const BEHIND_MILLISECONDS = 60_000;
/**
 * Responses may still refer to blocks that the index has passed; snapshots live no longer than it takes to mine these.
 */
const RETAINED_COVERED_BLOCKS = 64;
/** Time after the next poll was due from which on the head is no longer current. */
const OVERDUE_MILLISECONDS = 10_000;
/**
 * Largest distance from a checkpoint that is read at once: up to the finality lag that the index may have, twice. A larger
 * one shrinks without calls while the index is catching up, and its headers would take the calls of the index. Where
 * another process indexes, an index that is catching up is near within this time.
 */
const NEAR_BLOCKS = 2 * MAX_LAG_BLOCKS;
const CATCH_UP_MILLISECONDS = 30_000;
/** Delay before another attempt to read everything above a checkpoint that could not be reached. */
const RECONNECT_MILLISECONDS = 10_000;
/** A poll ends by the deadlines of its reads. */
const NEVER = new AbortController().signal;

interface FollowedHead {
  readonly head: Header;
  readonly recent: RecentBlocks;
}

/** Blocks that connect a known block to a head, with their logs. */
interface Segment {
  readonly headers: readonly Header[];
  readonly logs: readonly VerifiedLog[];
}

/** Input of one poll. */
interface Poll {
  readonly observedAtMilliseconds: number;
  readonly checkpoint: Checkpoint | undefined;
}

export function createHeadFollower(options: HeadFollowerOptions): HeadFollower {
  const { chain, reader, store, integrity, clock, monotonicClock = clock, log, listeners } = options;
  const { limits = RECENT_BLOCKS_LIMITS, intervalMilliseconds = INTERVAL_MILLISECONDS, isCaughtUp } = options;
  const schedule = createPollSchedule(intervalMilliseconds);
  const contracts = watchContracts(chain.addresses);
  /** Limits of the follower alone: what refuses a few blocks may be no limit, and would shrink the ranges of a backfill. */
  const logLimits = new LogLimits(chain.logLimits.bounds);
  const logWindow = new AdaptiveWindow(limits.blocks, () => logLimits);
  let followed: FollowedHead | undefined;
  let behindSinceMilliseconds: number | undefined;
  /** Time from which on no checkpoint was out of reach. */
  let reachableSinceMilliseconds: number | undefined;
  let skipped: { readonly blockHash: string; readonly untilMilliseconds: number } | undefined;
  /** Delay from the start of the current poll to the next. */
  let waitMilliseconds = intervalMilliseconds;
  let reorgs = 0;
  let unknownLogs = 0;
  /** Time at which the known head is no longer current. */
  let currentUntilMilliseconds = Number.NEGATIVE_INFINITY;

  async function poll(): Promise<NextStep> {
    waitMilliseconds = intervalMilliseconds;
    const observedAtMilliseconds = clock.nowMilliseconds();
    const startedAtMilliseconds = monotonicClock.nowMilliseconds();
    const checkpoint = await store.readMainChainCheckpoint();
    for (const listener of listeners) listener.observeFinal?.(checkpoint?.blockNumber);
    const started: Poll = { observedAtMilliseconds, checkpoint };
    if (followed === undefined) await restart(await chain.readHeader('latest'), started);
    else if (!(await reconcileWithIndex(followed, started))) await follow(followed, started);
    currentUntilMilliseconds = startedAtMilliseconds + waitMilliseconds + OVERDUE_MILLISECONDS;
    return { waitMilliseconds };
  }

  /**
   * Drops blocks that the index covers by now, or reads those missing between index and head. Returns true when that
   * completed the poll.
   */
  async function reconcileWithIndex({ head, recent }: FollowedHead, started: Poll): Promise<boolean> {
    const { checkpoint } = started;
    if (checkpoint === undefined) return false;
    if (recent.hashAt(checkpoint.blockNumber) === checkpoint.blockHash) {
      integrity.report('head', undefined);
      recent.raiseFloor(checkpoint.blockNumber - RETAINED_COVERED_BLOCKS);
      return false;
    }
    return connectToIndex(head, started);
  }

  /** Reads what follows the known head: the only request of an ordinary poll. */
  async function follow(known: FollowedHead, started: Poll): Promise<void> {
    // When contracts log in every block, the logs of the new block come in the same request.
    const response = await readAbove(
      { blockNumber: known.head.number, blockHash: known.head.hash },
      reader.matchesBloom(known.head),
    );
    // Undefined means that the range is too large.
    if (response === undefined) await restart(await chain.readHeader('latest'), started);
    else if (response.head.number > known.head.number) await extend(known, response, started);
    else await compare(known, response.head, started);
  }

  async function extend(known: FollowedHead, response: HeadResponse, started: Poll): Promise<void> {
    const { number, hash } = known.head;
    const isNear = response.head.number - number <= limits.blocks;
    const segment = isNear ? await readSegment({ blockNumber: number, blockHash: hash }, response) : undefined;
    if (segment === undefined) return restart(response.head, started);
    notify(response.head, segment.logs, started);
    appendTo(known.recent, segment);
    followed = { head: response.head, recent: known.recent };
  }

  /** Handles a block no newer than the known head: the same block, an older one of its chain, or a fork. */
  async function compare(known: FollowedHead, head: Header, started: Poll): Promise<void> {
    const hash = known.recent.hashAt(head.number);
    const isOlder = head.number < known.head.number;
    if (!isOlder && hash === head.hash) {
      notify(head, [], started);
      return;
    }
    if (isOlder && (hash === undefined || hash === head.hash)) {
      const now = monotonicClock.nowMilliseconds();
      behindSinceMilliseconds ??= now;
      if (now - behindSinceMilliseconds < BEHIND_MILLISECONDS) return;
    }
    await restart(head, started);
  }

  /** Starts over: from the stored index if it is near, otherwise from the head alone, but never below the index, which is final. */
  async function restart(head: Header, started: Poll): Promise<void> {
    if (head.number < (started.checkpoint?.blockNumber ?? 0)) throw new ResponseRejected('head-behind');
    if (await connectToIndex(head, started)) return;
    const isSame = followed?.head.hash === head.hash;
    notify(head, isSame ? [] : undefined, started);
    if (isSame) return;
    followed = { head, recent: new RecentBlocks({ blockNumber: head.number, blockHash: head.hash }, limits) };
  }

  /**
   * Reads everything from the index to the head. Returns false and changes nothing when that is too much or not on one
   * chain.
   */
  async function connectToIndex(newest: Header, started: Poll): Promise<boolean> {
    const { checkpoint } = started;
    if (checkpoint === undefined || !isWithinReach(checkpoint, newest.number)) return false;
    const response = await readAbove(checkpoint);
    if (response !== undefined && response.head.number < newest.number) throw new ResponseRejected('head-behind');
    if (response === undefined || !isWithinReach(checkpoint, response.head.number)) return skipCheckpoint(checkpoint);
    const segment = await readSegment(checkpoint, response).catch((error: unknown) => {
      if (error instanceof ResponseRejected) skipCheckpoint(checkpoint);
      throw error;
    });
    integrity.report('head', segment === undefined ? 'checkpoint-not-on-chain' : undefined);
    if (segment === undefined) return skipCheckpoint(checkpoint);

    const recent = new RecentBlocks(checkpoint, limits);
    appendTo(recent, segment);
    const known = followed?.head;
    const isContinued = known !== undefined && recent.hashAt(known.number) === known.hash;
    const newLogs = isContinued ? segment.logs.filter(({ blockNumber }) => blockNumber > known.number) : undefined;
    schedule.recordBlocks(segment.headers);
    notify(response.head, newLogs, started);
    followed = { head: response.head, recent };
    // When the memory limit was reached, reading the same range again would end the same way.
    if (recent.floor.blockNumber > checkpoint.blockNumber) skipCheckpoint(checkpoint, Infinity);
    return true;
  }

  function isWithinReach({ blockNumber, blockHash }: Checkpoint, headNumber: number): boolean {
    const now = monotonicClock.nowMilliseconds();
    const distance = headNumber - blockNumber;
    if (distance > limits.blocks) reachableSinceMilliseconds = undefined;
    if (distance < 0 || distance > limits.blocks) return false;
    reachableSinceMilliseconds ??= now;
    if (skipped?.blockHash === blockHash && now < skipped.untilMilliseconds) return false;
    const isOld = now - reachableSinceMilliseconds >= CATCH_UP_MILLISECONDS;
    return distance <= NEAR_BLOCKS || isOld || isCaughtUp?.() === true;
  }

  /** Follows the head without connecting it to this checkpoint, for a while or until there is a newer one. */
  function skipCheckpoint({ blockHash }: Checkpoint, forMilliseconds = RECONNECT_MILLISECONDS): false {
    skipped = { blockHash, untilMilliseconds: monotonicClock.nowMilliseconds() + forMilliseconds };
    return false;
  }

  /** Returns the head and all logs after a block; undefined where no query of the node covers them. */
  async function readAbove({ blockNumber }: Checkpoint, withHeadLogs = false): Promise<HeadResponse | undefined> {
    try {
      return await chain.readHeadAndLogs(blockNumber, withHeadLogs);
    } catch (error) {
      if (isRangeRefusal(error)) return readInWindows(blockNumber);
      throw error;
    }
  }

  /** Reads the logs after a block in windows that the node accepts: at most as many as the headers, which are read too. */
  async function readInWindows(since: number): Promise<HeadResponse | undefined> {
    const head = await chain.readHeader('latest');
    if (head.number - since > limits.blocks) return undefined;
    const logs: ChainLog[] = [];
    try {
      const range = { fromBlock: since + 1, toBlock: head.number };
      for await (const window of streamWindows(readLogWindow, logWindow, range, NEVER)) logs.push(...window.logs);
    } catch (error) {
      if (isRangeRefusal(error) || areLogsRefused(error)) return undefined;
      throw error;
    }
    return { head, logs, headLogs: undefined };
  }

  async function readLogWindow(range: BlockRange) {
    const logs = await chain.readLogs(range);
    return { logs, summary: { logCount: logs.length } };
  }

  /** Returns the verified blocks after `base` up to the response's head; undefined when they do not follow it. */
  async function readSegment(base: Checkpoint, { head, logs, headLogs }: HeadResponse): Promise<Segment | undefined> {
    if (head.number === base.blockNumber) return head.hash === base.blockHash ? { headers: [], logs: [] } : undefined;
    const between = listBlocks({ fromBlock: base.blockNumber + 1, toBlock: head.number - 1 });
    const headers = between.length === 0 ? [head] : [...(await chain.readHeaders(between)), head];
    checkHeaders([...between, head.number], headers);
    if (headers[0]!.parentHash !== base.blockHash) return undefined;
    const inRange = logs.filter(({ blockNumber }) => blockNumber <= head.number);
    checkLogOrder(contracts, { fromBlock: base.blockNumber + 1, toBlock: head.number }, inRange);
    return { headers, logs: await reader.verifyBlocks(headers, inRange, headLogs) };
  }

  /** Notifies the listeners of what the logs since the last head change; without logs, everything may have changed. */
  function notify(head: Header, logs: readonly VerifiedLog[] | undefined, { observedAtMilliseconds }: Poll): void {
    if (logs === undefined && followed !== undefined) {
      reorgs += 1;
      log.warn(
        { fromBlock: followed.head.number, toBlock: head.number },
        'the new head does not follow the previous one',
      );
    }
    const effects = logs === undefined ? ALL_EFFECTS : sumEffects(logs);
    unknownLogs += countUnknown(logs ?? []);
    behindSinceMilliseconds = undefined;
    waitMilliseconds = schedule.recordHead(head, observedAtMilliseconds);
    const step = { head, observedAtMilliseconds, waitMilliseconds, ...effects };
    for (const listener of listeners) listener.advanceHead(step);
  }

  return {
    poll,
    recent: () => followed?.recent,
    isCurrent: () => monotonicClock.nowMilliseconds() <= currentUntilMilliseconds,
    report: () => ({ reorgs, unknownLogs }),
  };
}

/** Returns whether the node refused a log query for one block. */
function areLogsRefused(error: unknown): boolean {
  return error instanceof LogQueryRefused && error.reason === 'logs-refused';
}

function appendTo(recent: RecentBlocks, { headers, logs }: Segment): void {
  const byBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
  for (const header of headers) {
    const ofBlock = byBlock.get(header.number) ?? [];
    recent.append(header, toEventEntries(ofBlock));
  }
}
