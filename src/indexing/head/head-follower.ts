/**
 * What is the newest block, and what has changed since the one before? (architecture, "Log-driven cache".) One request per poll; more only
 * where blocks were skipped, quiet contracts have logged, or the chain took another way. Tells every step to its
 * listeners and keeps the event logs above the stored index.
 */
import { checkHeaders, checkLogOrder, watchContracts } from '../../domain/index-rules/block-checks.ts';
import { AnswerRejected } from '../../domain/index-rules/rejected-answer.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { HeadListener } from '../../ports/main-chain.ts';
import { LogQueryRefused, type HeadAnswer, type Header, type MainChainLog } from '../../ports/main-chain.ts';
import type { Checkpoint, MainChainIndexStore } from '../../ports/store.ts';
import { toEventEntries } from '../main/event-entries.ts';
import { EVERYTHING, countUnknown, sumEffects } from './head-effects.ts';
import { createHeadPace } from './head-pace.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';
import type { NextStep } from '../loops/poll-loop.ts';
import { RECENT_BLOCKS_LIMITS, RecentBlocks, type RecentBlocksLimits } from './recent-blocks.ts';
import { listBlocks, type BlockReader, type VerifiedLog } from '../main/block-reader.ts';

export interface HeadFollowerOptions {
  readonly chain: MainChainLog;
  readonly reader: BlockReader;
  readonly store: Pick<MainChainIndexStore, 'readMainChainCheckpoint'>;
  readonly standing: IndexIntegrity;
  readonly clock: Clock;
  readonly log: Log;
  readonly listeners: readonly HeadListener[];
  /** Between two questions where blocks come when they like; a second when not given. */
  readonly intervalMilliseconds?: number | undefined;
  readonly limits?: RecentBlocksLimits | undefined;
}

export interface HeadFollower {
  /**
   * Asks for the newest block once, and tells when to ask again. Throws like every read of the chain, and `AnswerRejected`; then nothing
   * has moved.
   */
  poll(): Promise<NextStep>;
  /** The blocks known; undefined before the first poll. */
  recent(): RecentBlocks | undefined;
  report(): HeadFollowerReport;
}

export interface HeadFollowerReport {
  readonly headBlock: number | undefined;
  /** Times that the chain took another way, or that it was not known what happened in between. */
  readonly reorgs: number;
  readonly unknownLogs: number;
}

const INTERVAL_MILLISECONDS = 1_000;
/** A node that tells an older block for longer than this is believed: the chain has really become shorter. */
const BEHIND_MILLISECONDS = 60_000;
/** Answers may still stand on blocks that the index has passed; snapshots are not kept for longer than these take. */
const KEPT_COVERED_BLOCKS = 64;
/** Before another attempt to know everything above a checkpoint that could not be reached. */
const REACH_AGAIN_MILLISECONDS = 10_000;

interface Followed {
  readonly head: Header;
  readonly recent: RecentBlocks;
}

/** Blocks that join a known block to a head, and what was logged in them. */
interface Stretch {
  readonly headers: readonly Header[];
  readonly logs: readonly VerifiedLog[];
}

/** What one poll starts from. */
interface Poll {
  readonly observedAtMilliseconds: number;
  readonly checkpoint: Checkpoint | undefined;
}

export function createHeadFollower(options: HeadFollowerOptions): HeadFollower {
  const { chain, reader, store, standing, clock, log, listeners, limits = RECENT_BLOCKS_LIMITS } = options;
  const { intervalMilliseconds = INTERVAL_MILLISECONDS } = options;
  const pace = createHeadPace(intervalMilliseconds);
  const contracts = watchContracts(chain.addresses);
  let followed: Followed | undefined;
  let behindSinceMilliseconds: number | undefined;
  let unreached: { readonly blockHash: string; readonly untilMilliseconds: number } | undefined;
  /** From the asking of the running poll to the next. */
  let waitMilliseconds = intervalMilliseconds;
  let reorgs = 0;
  let unknownLogs = 0;

  async function poll(): Promise<NextStep> {
    waitMilliseconds = intervalMilliseconds;
    const observedAtMilliseconds = clock.nowMilliseconds();
    const checkpoint = await store.readMainChainCheckpoint();
    const started: Poll = { observedAtMilliseconds, checkpoint };
    if (followed === undefined) await restart(await chain.readHeader('latest'), started);
    else if (!(await meetIndex(followed, started))) await follow(followed, started);
    return { waitMilliseconds };
  }

  /** Lets go of what the index covers by now, or reads what is missing between the two. True when that was this poll's work. */
  async function meetIndex({ head, recent }: Followed, started: Poll): Promise<boolean> {
    const { checkpoint } = started;
    if (checkpoint === undefined) return false;
    if (recent.hashAt(checkpoint.blockNumber) === checkpoint.blockHash) {
      standing.tell('head', undefined);
      recent.raiseFloor(checkpoint.blockNumber - KEPT_COVERED_BLOCKS);
      return false;
    }
    return joinIndex(head, started);
  }

  /** Asks for what came after the known head: the one request of an ordinary poll. */
  async function follow(known: Followed, started: Poll): Promise<void> {
    // Where contracts log in every block, what the new one logged comes with it.
    const answer = await readAbove(
      { blockNumber: known.head.number, blockHash: known.head.hash },
      reader.isNamed(known.head),
    );
    // So much has happened since that it cannot be asked for at once.
    if (answer === undefined) await restart(await chain.readHeader('latest'), started);
    else if (answer.head.number > known.head.number) await extend(known, answer, started);
    else await compare(known, answer.head, started);
  }

  async function extend(known: Followed, answer: HeadAnswer, started: Poll): Promise<void> {
    const { number, hash } = known.head;
    const isNear = answer.head.number - number <= limits.blocks;
    const stretch = isNear ? await readStretch({ blockNumber: number, blockHash: hash }, answer) : undefined;
    if (stretch === undefined) return restart(answer.head, started);
    tell(answer.head, stretch.logs, started);
    appendTo(known.recent, stretch);
    followed = { head: answer.head, recent: known.recent };
  }

  /** The node tells a block no newer than the known head: the same, an older one of its chain, or another. */
  async function compare(known: Followed, head: Header, started: Poll): Promise<void> {
    const hash = known.recent.hashAt(head.number);
    const isOlder = head.number < known.head.number;
    if (!isOlder && hash === head.hash) return tell(head, [], started);
    if (isOlder && (hash === undefined || hash === head.hash)) {
      behindSinceMilliseconds ??= started.observedAtMilliseconds;
      if (started.observedAtMilliseconds - behindSinceMilliseconds < BEHIND_MILLISECONDS) return;
    }
    await restart(head, started);
  }

  /** Begins anew: from the stored index where it is near, else from the head alone. */
  async function restart(head: Header, started: Poll): Promise<void> {
    if (await joinIndex(head, started)) return;
    const isSame = followed?.head.hash === head.hash;
    tell(head, isSame ? [] : undefined, started);
    if (isSame) return;
    followed = { head, recent: new RecentBlocks({ blockNumber: head.number, blockHash: head.hash }, limits) };
  }

  /** Reads everything from the index to the head. False, and nothing changed: too much, or not of one chain. */
  async function joinIndex(newest: Header, started: Poll): Promise<boolean> {
    const { checkpoint } = started;
    if (checkpoint === undefined || !isWithinReach(checkpoint, newest.number)) return false;
    const answer = await readAbove(checkpoint);
    if (answer !== undefined && answer.head.number < newest.number) throw new AnswerRejected('head-behind');
    if (answer === undefined || !isWithinReach(checkpoint, answer.head.number)) return giveUp(checkpoint);
    const stretch = await readStretch(checkpoint, answer).catch((error: unknown) => {
      if (error instanceof AnswerRejected) giveUp(checkpoint);
      throw error;
    });
    standing.tell('head', stretch === undefined ? 'checkpoint-not-on-chain' : undefined);
    if (stretch === undefined) return giveUp(checkpoint);

    const recent = new RecentBlocks(checkpoint, limits);
    appendTo(recent, stretch);
    const known = followed?.head;
    const isContinued = known !== undefined && recent.hashAt(known.number) === known.hash;
    const news = isContinued ? stretch.logs.filter(({ blockNumber }) => blockNumber > known.number) : undefined;
    tell(answer.head, news, started);
    followed = { head: answer.head, recent };
    // Where memory did not suffice, asking again for the same would end the same.
    if (recent.floor.blockNumber > checkpoint.blockNumber) giveUp(checkpoint, Infinity);
    return true;
  }

  function isWithinReach({ blockNumber, blockHash }: Checkpoint, headNumber: number): boolean {
    const isGivenUp = unreached?.blockHash === blockHash && clock.nowMilliseconds() < unreached.untilMilliseconds;
    return !isGivenUp && headNumber >= blockNumber && headNumber - blockNumber <= limits.blocks;
  }

  /** The head is followed without the blocks down to this checkpoint, for a while or until there is a newer one. */
  function giveUp({ blockHash }: Checkpoint, forMilliseconds = REACH_AGAIN_MILLISECONDS): false {
    unreached = { blockHash, untilMilliseconds: clock.nowMilliseconds() + forMilliseconds };
    return false;
  }

  async function readAbove({ blockNumber }: Checkpoint, withHeadLogs = false): Promise<HeadAnswer | undefined> {
    try {
      return await chain.readHeadAndLogs(blockNumber, withHeadLogs);
    } catch (error) {
      if (isRangeRefusal(error)) return undefined;
      throw error;
    }
  }

  /** The verified blocks after `base` up to the answer's head; undefined when these do not follow it. */
  async function readStretch(base: Checkpoint, { head, logs, headLogs }: HeadAnswer): Promise<Stretch | undefined> {
    if (head.number === base.blockNumber) return head.hash === base.blockHash ? { headers: [], logs: [] } : undefined;
    const between = listBlocks({ fromBlock: base.blockNumber + 1, toBlock: head.number - 1 });
    const headers = between.length === 0 ? [head] : [...(await chain.readHeaders(between)), head];
    checkHeaders([...between, head.number], headers);
    if (headers[0]!.parentHash !== base.blockHash) return undefined;
    const told = logs.filter(({ blockNumber }) => blockNumber <= head.number);
    checkLogOrder(contracts, { fromBlock: base.blockNumber + 1, toBlock: head.number }, told);
    return { headers, logs: await reader.verifyBlocks(headers, told, headLogs) };
  }

  /** Tells the listeners what the logs since the head before change; without logs to go by, everything may have changed. */
  function tell(head: Header, logs: readonly VerifiedLog[] | undefined, { observedAtMilliseconds }: Poll): void {
    if (logs === undefined && followed !== undefined) {
      reorgs += 1;
      log.warn({ fromBlock: followed.head.number, toBlock: head.number }, 'the head does not follow the one before');
    }
    const effects = logs === undefined ? EVERYTHING : sumEffects(logs);
    unknownLogs += countUnknown(logs ?? []);
    behindSinceMilliseconds = undefined;
    waitMilliseconds = pace.note(head, observedAtMilliseconds);
    const step = { head, observedAtMilliseconds, waitMilliseconds, ...effects };
    for (const listener of listeners) listener.advanceHead(step);
  }

  return {
    poll,
    recent: () => followed?.recent,
    report: () => ({ headBlock: followed?.head.number, reorgs, unknownLogs }),
  };
}

function isRangeRefusal(error: unknown): boolean {
  return error instanceof LogQueryRefused && error.reason === 'range-too-large';
}

function appendTo(recent: RecentBlocks, { headers, logs }: Stretch): void {
  const byBlock = Map.groupBy(logs, ({ blockNumber }) => blockNumber);
  for (const header of headers) recent.append(header, toEventEntries(byBlock.get(header.number) ?? []));
}
