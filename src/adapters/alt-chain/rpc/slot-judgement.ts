/**
 * Judges the slots of responses (docs/decisions/alt-chain.md): refuses those of a node that is behind or has stopped, and those that the
 * chain cannot have reached. Accepted ones raise `minContextSlot`.
 */
import type { Clock } from '../../../ports/runtime.ts';
import type { Deadline, Stopwatch } from '../../rpc/deadline.ts';
import type { PoolNode } from '../../rpc/node-pool.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import type { MinContextSlot, Moment } from './min-context-slot.ts';

export interface SlotJudgementOptions {
  readonly minContextSlot: MinContextSlot;
  readonly clock: Clock;
  readonly stopwatch: Pick<Stopwatch, 'nowMilliseconds'>;
  /** Unix seconds of the newest block of the main chain; 0 while none is known. Without it, blocks of this chain may be old. */
  readonly headSeconds: (() => number) | undefined;
  /** Number of the first responses whose blocks are compared with the main chain's while no block time is known. */
  readonly unjudgedSlots: number;
  /** Returns the Unix seconds of a block; undefined where the node does not know them. Throws `RpcFailure`. */
  readonly readBlockSeconds: (node: PoolNode, slot: number, deadline: Deadline) => Promise<number | undefined>;
}

/** What a response is judged by from the time of its request. */
export interface SentRequest {
  readonly minSlot: number;
  readonly isUnjudged: boolean;
}

export interface SlotJudgement {
  noteRequest(): SentRequest;
  /** Accepts the slot of a response. Throws `RpcFailure`: the node is behind, or the chain cannot have reached the slot. */
  accept(node: PoolNode, slot: number, sent: SentRequest, deadline: Deadline): Promise<void>;
  /** Returns the age of a block with this time; undefined if it is not current by the wall clock. */
  currentAge(seconds: number | undefined): number | undefined;
  readMoment(): Moment;
}

/** A finalized block is seconds old; clock and chain may differ by minutes. */
const MAX_BLOCK_AGE_MILLISECONDS = 300_000;
/** Time for which a slot that was compared vouches for later ones: a node may fall behind while its slots rise. */
const COMPARISON_MILLISECONDS = 60_000;
/** Time for which a block time that cannot be read is awaited. */
const MAX_WAIT_MILLISECONDS = 60_000;

export function createSlotJudgement(options: SlotJudgementOptions): SlotJudgement {
  const { minContextSlot, clock, stopwatch, headSeconds } = options;
  /** Number of the next responses whose blocks may still be found to be old. */
  let unjudgedSlots = headSeconds === undefined ? 0 : options.unjudgedSlots;
  /** Whether a block time has shown that the newest slot was current. */
  let isFloorCurrent = unjudgedSlots === 0;
  /** When a slot was last compared. */
  let comparedAt = readMoment();
  /** Monotonic time since which no block time can be read. */
  let failingSinceMilliseconds: number | undefined;
  /** Block time that was read last. */
  let timed: { readonly slot: number; readonly seconds: number } | undefined;

  const toAgeMilliseconds = (seconds: number) => clock.nowMilliseconds() - seconds * 1000;

  function readMoment(): Moment {
    return { stopwatchMilliseconds: stopwatch.nowMilliseconds(), clockMilliseconds: clock.nowMilliseconds() };
  }

  /** Returns whether the last comparison is a minute old by either clock: the monotonic one stands still while the host is suspended. */
  function isComparisonDue({ stopwatchMilliseconds, clockMilliseconds }: Moment): boolean {
    const byStopwatch = stopwatchMilliseconds - comparedAt.stopwatchMilliseconds;
    const byClock = Math.abs(clockMilliseconds - comparedAt.clockMilliseconds);
    return Math.max(byStopwatch, byClock) >= COMPARISON_MILLISECONDS;
  }

  async function accept(node: PoolNode, slot: number, sent: SentRequest, deadline: Deadline): Promise<void> {
    if (slot < sent.minSlot) throw new RpcFailure('block-mismatch', 'behind');
    const now = readMoment();
    const plausibility = minContextSlot.judge(slot, now);
    const isComparable = (headSeconds?.() ?? 0) > 0;
    if (plausibility === 'impossible' && isFloorCurrent) throw new RpcFailure('malformed');
    if (plausibility === 'doubtful' && (await isOfFuture(node, slot, deadline))) throw new RpcFailure('malformed');
    if (plausibility === 'unexplained' || plausibility === 'impossible') {
      if (!(await isCurrent(node, slot, deadline))) throw new RpcFailure('malformed');
      isFloorCurrent = true;
      comparedAt = now;
    } else if (isComparable && (sent.isUnjudged || isComparisonDue(now))) {
      if (await isOld(node, slot, deadline)) throw new RpcFailure('block-mismatch', 'behind');
      comparedAt = now;
    }
    // A slot that cannot be judged yet may be hours old, and would make those of all other nodes impossible.
    if (isComparable || unjudgedSlots === 0) minContextSlot.observe(slot, now);
  }

  /** Returns whether the block of the slot is minutes older than the main chain's and the wall clock; false when its time is not known. */
  async function isOld(node: PoolNode, slot: number, deadline: Deadline): Promise<boolean> {
    const seconds = await readBlockSeconds(node, slot, deadline);
    if (seconds === undefined) {
      unjudgedSlots = Math.max(0, unjudgedSlots - 1);
      return false;
    }
    const ageMilliseconds = toAgeMilliseconds(seconds);
    // Either clock may be ahead.
    if (Math.min(ageMilliseconds, (headSeconds!() - seconds) * 1000) > MAX_BLOCK_AGE_MILLISECONDS) return true;
    unjudgedSlots = 0;
    isFloorCurrent ||= isCurrentAge(ageMilliseconds);
    return false;
  }

  /** Returns whether the block of the slot is as old as the wall clock says. */
  async function isCurrent(node: PoolNode, slot: number, deadline: Deadline): Promise<boolean> {
    const seconds = await options.readBlockSeconds(node, slot, deadline);
    return seconds !== undefined && isCurrentAge(toAgeMilliseconds(seconds));
  }

  /** Returns whether the block of the slot is minutes ahead of the wall clock; false when its time cannot be read. */
  async function isOfFuture(node: PoolNode, slot: number, deadline: Deadline): Promise<boolean> {
    const seconds = await readBlockSeconds(node, slot, deadline).catch(() => undefined);
    return seconds !== undefined && toAgeMilliseconds(seconds) < -MAX_BLOCK_AGE_MILLISECONDS;
  }

  /** Returns undefined when the node does not know the time of the block. Throws for a minute where it may be read later. */
  async function readBlockSeconds(node: PoolNode, slot: number, deadline: Deadline): Promise<number | undefined> {
    if (timed?.slot === slot) return timed.seconds;
    const now = stopwatch.nowMilliseconds();
    try {
      const seconds = await options.readBlockSeconds(node, slot, deadline);
      failingSinceMilliseconds = undefined;
      if (seconds !== undefined) timed = { slot, seconds };
      return seconds;
    } catch (error) {
      if (error instanceof RpcFailure && (error.kind === 'refused' || error.kind === 'no-block')) return undefined;
      failingSinceMilliseconds ??= now;
      if (now - failingSinceMilliseconds >= MAX_WAIT_MILLISECONDS) return undefined;
      // The node has served the call itself: another one is asked, and this one stays in use.
      const hasFailed = error instanceof RpcFailure && error.kind === 'failed';
      throw hasFailed ? new RpcFailure(error.unreadable, 'behind') : error;
    }
  }

  return {
    noteRequest: () => ({ minSlot: minContextSlot.slot, isUnjudged: unjudgedSlots > 0 }),
    accept,
    currentAge(seconds) {
      if (seconds === undefined) return undefined;
      const ageMilliseconds = toAgeMilliseconds(seconds);
      return isCurrentAge(ageMilliseconds) ? ageMilliseconds : undefined;
    },
    readMoment,
  };
}

function isCurrentAge(milliseconds: number): boolean {
  return Math.abs(milliseconds) <= MAX_BLOCK_AGE_MILLISECONDS;
}
