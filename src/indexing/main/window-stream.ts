/**
 * How is a long range read in windows (chain-evm 4.7)? In order, with a few windows being read ahead, smaller ones where the node
 * refuses a range. Memory is bounded by the windows read ahead; no request outlives the stream.
 */
import { Fault } from '../../domain/faults.ts';
import type { BlockRange } from '../../domain/index-rules/block-checks.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { MAX_HALVINGS, type BackfillPace } from './backfill-pace.ts';
import type { BlockReader, VerifiedWindow } from './block-reader.ts';

type Outcome =
  { readonly kind: 'read'; readonly window: VerifiedWindow } | { readonly kind: 'failed'; readonly error: unknown };

interface Reading {
  readonly range: BlockRange;
  readonly outcome: Promise<Outcome>;
}

/**
 * Gives the windows of a range in order, each as soon as it and those before it are read. Ends early when the signal is aborted.
 * Throws what the reader throws.
 */
export async function* streamWindows(
  reader: BlockReader,
  pace: BackfillPace,
  { fromBlock, toBlock }: BlockRange,
  signal: AbortSignal,
): AsyncGenerator<VerifiedWindow> {
  let ahead: Reading[] = [];
  let next = fromBlock;
  let halvings = 0;
  try {
    while (!signal.aborted) {
      while (ahead.length < pace.requestsInFlight && next <= toBlock) {
        const range = { fromBlock: next, toBlock: Math.min(next + pace.windowBlocks - 1, toBlock) };
        ahead.push({ range, outcome: settle(reader.readWindow(range)) });
        next = range.toBlock + 1;
      }
      const first = ahead.shift();
      if (first === undefined) return;
      const outcome = await first.outcome;
      if (outcome.kind === 'read') {
        pace.succeed();
        pace.fit(first.range.toBlock - first.range.fromBlock + 1, outcome.window.news.logCount);
        halvings = 0;
        yield outcome.window;
        continue;
      }
      const isSmaller = slowDown(pace, first.range, outcome.error);
      if (!isRangeRefusal(outcome.error) || !isSmaller || halvings === MAX_HALVINGS) throw outcome.error;
      halvings += 1;
      // What was read ahead had the refused size too.
      await allSettled(ahead);
      ahead = [];
      next = first.range.fromBlock;
    }
  } finally {
    await allSettled(ahead);
  }
}

/** The same items; each is asked for while the one before it is still in use. Nothing is under way when it has ended. */
export async function* readOneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done === true) return;
      next = items.next();
      next.catch(() => undefined);
      yield step.value;
    }
  } finally {
    await next.catch(() => undefined);
    await items.return(undefined);
  }
}

/** Tells the pace what a failure says about it. True when the next window is smaller. */
function slowDown(pace: BackfillPace, { fromBlock, toBlock }: BlockRange, error: unknown): boolean {
  const blocks = toBlock - fromBlock + 1;
  if (isRangeRefusal(error)) return pace.refuseRange(blocks);
  if (error instanceof LogQueryRefused) pace.refuseRate();
  // An answer that does not come in time may have been too long a question.
  if (isLate(error)) pace.refuseRange(blocks);
  return false;
}

function isRangeRefusal(error: unknown): boolean {
  return error instanceof LogQueryRefused && error.reason === 'range-too-large';
}

function isLate(error: unknown): boolean {
  return error instanceof Fault && 'cause' in error.context && error.context.cause === 'deadline';
}

function settle(reading: Promise<VerifiedWindow>): Promise<Outcome> {
  return reading.then(
    (window) => ({ kind: 'read', window }),
    (error: unknown) => ({ kind: 'failed', error }),
  );
}

async function allSettled(readings: readonly Reading[]): Promise<void> {
  await Promise.all(readings.map(({ outcome }) => outcome));
}
