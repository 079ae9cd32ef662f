import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { LogQueryRefused } from '../../ports/main-chain.ts';
import { AdaptiveWindow } from './adaptive-window.ts';
import type { BlockReader, VerifiedWindow } from './block-reader.ts';
import { WindowSummary } from './window-summary.ts';
import { streamWindows } from './window-stream.ts';

interface Requested {
  readonly fromBlock: number;
  readonly response: PromiseWithResolvers<unknown>;
}

/** Creates a reader whose responses the test resolves. */
function createReader() {
  const requested: Requested[] = [];
  const reader: Pick<BlockReader, 'readWindow'> = {
    async readWindow(range) {
      const response = Promise.withResolvers<unknown>();
      requested.push({ fromBlock: range.fromBlock, response });
      await response.promise;
      const last = { number: range.toBlock, hash: `0x${range.toBlock}`, timestamp: 0 };
      return {
        ...range,
        parentHash: `0x${range.fromBlock - 1}`,
        last,
        summary: new WindowSummary(),
        unprovenBlocks: [],
      };
    },
  };
  return { reader: reader as BlockReader, requested };
}

/** Creates a window of at most ten blocks at a node that has accepted as many. */
function createWindow(): AdaptiveWindow {
  const adaptiveWindow = new AdaptiveWindow(10);
  adaptiveWindow.recordSuccess(10, 0);
  return adaptiveWindow;
}

/** Reads a stream in the background and records its outcome. */
function follow(windows: AsyncGenerator<VerifiedWindow>) {
  const seen: number[] = [];
  const state = { seen, ended: 'no' as string };
  const read = async () => {
    for await (const { fromBlock } of windows) seen.push(fromBlock);
  };
  read().then(
    () => (state.ended = 'completed'),
    (error: unknown) => (state.ended = (error as Error).message),
  );
  return state;
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const RANGE = { fromBlock: 0, toBlock: 69 };

describe('a stream of windows', () => {
  it('yields windows in order, however they are returned', async () => {
    const { reader, requested } = createReader();
    const state = follow(streamWindows(reader.readWindow, createWindow(), RANGE, new AbortController().signal));
    await settle();
    expect(requested.map(({ fromBlock }) => fromBlock)).toEqual([0, 10, 20, 30]);
    requested[1]!.response.resolve(undefined);
    await settle();
    expect(state.seen).toEqual([]);
    requested[0]!.response.resolve(undefined);
    await settle();
    expect(state.seen).toEqual([0, 10]);
    for (let i = 2; i < 7; i++) {
      requested[i]!.response.resolve(undefined);
      await settle();
    }
    expect(state).toEqual({ seen: [0, 10, 20, 30, 40, 50, 60], ended: 'completed' });
  });

  it('ends only when no request is in flight', async () => {
    const { reader, requested } = createReader();
    const state = follow(streamWindows(reader.readWindow, createWindow(), RANGE, new AbortController().signal));
    await settle();
    requested[0]!.response.reject(chainUnreadable('main', 'transport'));
    await settle();
    expect(state.ended).toBe('no');
    for (const { response } of requested.slice(1)) response.reject(new Error('late'));
    await settle();
    expect(state).toEqual({ seen: [], ended: 'ChainUnreadable' });
  });

  it('requests half the range, once, only after the larger windows have settled', async () => {
    const { reader, requested } = createReader();
    const state = follow(streamWindows(reader.readWindow, createWindow(), RANGE, new AbortController().signal));
    await settle();
    requested[0]!.response.reject(new LogQueryRefused('range-too-large'));
    await settle();
    expect(requested).toHaveLength(4);
    for (const { response } of requested.slice(1)) response.resolve(undefined);
    await settle();
    expect(requested.slice(4).map(({ fromBlock }) => fromBlock)).toEqual([0]);
    expect(state).toEqual({ seen: [], ended: 'no' });
  });

  it('requests smaller windows after a response that timed out', async () => {
    const { reader, requested } = createReader();
    const adaptiveWindow = createWindow();
    follow(streamWindows(reader.readWindow, adaptiveWindow, RANGE, new AbortController().signal));
    await settle();
    requested[0]!.response.reject(chainUnreadable('main', 'deadline'));
    await settle();
    expect(adaptiveWindow.windowBlocks).toBe(5);
  });

  it('ends early when the signal is aborted', async () => {
    const { reader, requested } = createReader();
    const abort = new AbortController();
    const state = follow(streamWindows(reader.readWindow, createWindow(), RANGE, abort.signal));
    await settle();
    abort.abort();
    for (const { response } of requested) response.resolve(undefined);
    await settle();
    expect(state).toEqual({ seen: [0], ended: 'completed' });
    expect(requested).toHaveLength(4);
  });

  it('yields what was requested when its time is over, and requests nothing else', async () => {
    const { reader, requested } = createReader();
    let isOver = false;
    const { signal } = new AbortController();
    const state = follow(streamWindows(reader.readWindow, createWindow(), RANGE, signal, () => isOver));
    await settle();
    isOver = true;
    for (const { response } of requested) response.resolve(undefined);
    await settle();
    expect(state).toEqual({ seen: [0, 10, 20, 30], ended: 'completed' });
    expect(requested).toHaveLength(4);
  });

  it('yields one window when its time was over before', async () => {
    const { reader, requested } = createReader();
    const { signal } = new AbortController();
    const state = follow(streamWindows(reader.readWindow, createWindow(), RANGE, signal, () => true));
    await settle();
    requested[0]!.response.resolve(undefined);
    await settle();
    expect(state).toEqual({ seen: [0], ended: 'completed' });
    expect(requested).toHaveLength(1);
  });
});
