/**
 * Reads a long range in windows (chain-evm 4.7): in order, a few windows ahead, and smaller ones when the node refuses
 * a range. Memory is bounded by the windows read ahead, and no request outlives the stream.
 */
import { Fault } from '../../domain/faults.ts';
import type { BlockRange } from '../../domain/index-rules/block-checks.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { MAX_HALVINGS, type AdaptiveWindow } from './adaptive-window.ts';
import type { WindowSummary } from './window-summary.ts';

type Outcome<Window> =
  { readonly kind: 'read'; readonly window: Window } | { readonly kind: 'failed'; readonly error: unknown };

interface Reading<Window> {
  readonly range: BlockRange;
  readonly outcome: Promise<Outcome<Window>>;
}

/**
 * Yields the windows of a range in order. Ends early when the signal is aborted. Once `isOver` returns true, only what was
 * requested before is yielded; the first window always is. Throws what `readWindow` throws.
 */
export async function* streamWindows<Window extends { readonly summary: Pick<WindowSummary, 'logCount'> }>(
  readWindow: (range: BlockRange) => Promise<Window>,
  adaptiveWindow: AdaptiveWindow,
  { fromBlock, toBlock }: BlockRange,
  signal: AbortSignal,
  isOver: () => boolean = () => false,
): AsyncGenerator<Window> {
  let pending: Reading<Window>[] = [];
  let next = fromBlock;
  let halvings = 0;
  const hasNext = () => next <= toBlock && (next === fromBlock || !isOver());
  try {
    while (!signal.aborted) {
      while (pending.length < adaptiveWindow.concurrency && hasNext()) {
        const range = { fromBlock: next, toBlock: Math.min(next + adaptiveWindow.windowBlocks - 1, toBlock) };
        pending.push({ range, outcome: settle(readWindow(range)) });
        next = range.toBlock + 1;
      }
      const first = pending.shift();
      if (first === undefined) return;
      const outcome = await first.outcome;
      if (outcome.kind === 'read') {
        const blocks = first.range.toBlock - first.range.fromBlock + 1;
        adaptiveWindow.recordSuccess(blocks, outcome.window.summary.logCount);
        halvings = 0;
        yield outcome.window;
        continue;
      }
      const isSmaller = slowDown(adaptiveWindow, first.range, outcome.error);
      if (!isRangeRefusal(outcome.error)) throw outcome.error;
      if (!isSmaller) throw new LogQueryRefused('logs-refused');
      if (halvings === MAX_HALVINGS) throw outcome.error;
      halvings += 1;
      // The windows read ahead have the refused size too.
      await allSettled(pending);
      pending = [];
      next = first.range.fromBlock;
    }
  } finally {
    await allSettled(pending);
  }
}

/**
 * Prefetches one item: each is requested while the previous one is in use. No request is in flight after the generator
 * has ended.
 */
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

/** Adapts the window to a failure. Returns true when the next window is smaller. */
function slowDown(adaptiveWindow: AdaptiveWindow, { fromBlock, toBlock }: BlockRange, error: unknown): boolean {
  const blocks = toBlock - fromBlock + 1;
  if (isRangeRefusal(error)) return adaptiveWindow.refuseWindow(blocks);
  if (error instanceof LogQueryRefused) adaptiveWindow.reduceConcurrency();
  // A timeout may mean that the range was too large.
  if (isTimeout(error)) adaptiveWindow.reduceWindow(blocks);
  return false;
}

/** Returns whether the node refused a log query because its range is too large. */
export function isRangeRefusal(error: unknown): boolean {
  return error instanceof LogQueryRefused && error.reason === 'range-too-large';
}

/** Returns whether the chain read failed because its deadline expired. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Fault && 'cause' in error.context && error.context.cause === 'deadline';
}

function settle<Window>(reading: Promise<Window>): Promise<Outcome<Window>> {
  return reading.then(
    (window) => ({ kind: 'read', window }),
    (error: unknown) => ({ kind: 'failed', error }),
  );
}

async function allSettled(readings: readonly Reading<unknown>[]): Promise<void> {
  await Promise.all(readings.map(({ outcome }) => outcome));
}
