/** Batching of non-urgent calls with the head poll. */
import { beforeEach, expect, test } from 'vitest';
import { startDeadline, type Deadline, type Stopwatch } from '../../rpc/deadline.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import type { RpcResponse, MainRpcCall } from './json-rpc.ts';
import { createPiggybackRequests, PIGGYBACK_MILLISECONDS, type PiggybackRequests } from './piggyback-requests.ts';

const MAX_BATCH_CALLS = 8;
const BACKOFF_MILLISECONDS = 60_000;
/** Code of an error that another node would not return. */
const REPLACED = -32_001;

/** A request to a node, which the test settles. */
interface Sent {
  readonly methods: readonly string[];
  readonly needed: number | undefined;
  readonly requestMilliseconds: number;
  readonly settle: (outcome: RpcFailure | ((call: MainRpcCall) => RpcResponse)) => void;
}

let now: number;
let timers: { atMilliseconds: number; end: () => void }[];
let sent: Sent[];
let piggyback: PiggybackRequests;

const stopwatch: Stopwatch = {
  nowMilliseconds: () => now,
  startTimeout: () => new AbortController().signal,
  pause: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      timers.push({ atMilliseconds: now + milliseconds, end: () => resolve(undefined) });
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    }),
};

beforeEach(() => {
  now = 0;
  timers = [];
  sent = [];
  piggyback = createPiggybackRequests({
    nodes: {
      request: (calls, { requestMilliseconds }, needed) =>
        new Promise((resolve, reject) => {
          const methods = calls.map(({ method }) => method);
          const settle: Sent['settle'] = (outcome) =>
            outcome instanceof RpcFailure ? reject(outcome) : resolve(calls.map(outcome));
          sent.push({ methods, needed, requestMilliseconds, settle });
        }),
      batchRoom: () => MAX_BATCH_CALLS,
      mayReplace: (_, responses) => responses.some((each) => !each.ok && each.code === REPLACED),
    },
    stopwatch,
    requestTimeoutMilliseconds: 2_500,
  });
});

const deadline = (): Deadline => startDeadline(60_000, 20_000, stopwatch);
const toCalls = (methods: readonly string[]): MainRpcCall[] => methods.map((method) => ({ method, params: [] }));
const flush = (...methods: readonly string[]) => piggyback.flushWith(toCalls(methods), deadline());
const defer = (...methods: readonly string[]) => piggyback.request(toCalls(methods), deadline());
const settled = () => new Promise((resolve) => setImmediate(resolve));

const echo = ({ method }: MainRpcCall): RpcResponse => ({ ok: true, result: method });
const echoes = (...methods: readonly string[]) => toCalls(methods).map(echo);
const refused = (code: number): RpcResponse => ({ ok: false, code, revertData: undefined, hint: undefined });
const sentMethods = () => sent.map(({ methods }) => methods);

async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  for (const { atMilliseconds, end } of timers) if (atMilliseconds <= now) end();
  await settled();
}

test('sends waiting calls after the head calls in one request with a shorter timeout, and returns each caller its own responses', async () => {
  const waiting = [defer('a', 'b'), defer('c')];
  await settled();
  expect(sent).toEqual([]);
  const flushed = flush('head', 'logs');
  expect(sent).toMatchObject([{ methods: ['head', 'logs', 'a', 'b', 'c'], needed: 2, requestMilliseconds: 2_500 }]);
  sent[0]!.settle(echo);
  expect(await flushed).toEqual(echoes('head', 'logs'));
  expect(await Promise.all(waiting)).toEqual([echoes('a', 'b'), echoes('c')]);
  await pass(PIGGYBACK_MILLISECONDS);
  expect(sent).toHaveLength(1);
});

test('sends head calls unchanged when nothing waits', async () => {
  const flushed = flush('head');
  expect(sent).toMatchObject([{ methods: ['head'], needed: undefined, requestMilliseconds: 20_000 }]);
  sent[0]!.settle(echo);
  expect(await flushed).toEqual(echoes('head'));
});

test('defers calls that do not fit to the next flush, and sends calls that never fit at once', () => {
  void defer('a', 'b', 'c', 'd');
  void defer('e', 'f', 'g');
  void defer('h');
  void flush('head', 'logs');
  void flush('head', 'logs');
  void defer('1', '2', '3', '4', '5');
  expect(sentMethods()).toEqual([
    ['head', 'logs', 'a', 'b', 'c', 'd', 'h'],
    ['head', 'logs', 'e', 'f', 'g'],
    ['1', '2', '3', '4', '5'],
  ]);
});

test('sends waiting calls alone when no flush comes in time', async () => {
  const waiting = defer('a');
  await pass(PIGGYBACK_MILLISECONDS - 1);
  expect(sent).toEqual([]);
  await pass(1);
  sent[0]!.settle(echo);
  expect([sentMethods(), await waiting]).toEqual([[['a']], echoes('a')]);
  void flush('head');
  expect(sentMethods()).toEqual([['a'], ['head']]);
});

test.each([
  ['had a transient error', -32_000],
  ['another node may serve', REPLACED],
])('repeats only the calls that %s, in a separate request', async (_, code) => {
  const waiting = [defer('a'), defer('b')];
  const flushed = flush('head');
  sent[0]!.settle((call) => (call.method === 'a' ? refused(code) : echo(call)));
  expect([await flushed, await waiting[1]]).toEqual([echoes('head'), echoes('b')]);
  expect(sentMethods()).toEqual([['head', 'a', 'b'], ['a']]);
  sent[1]!.settle(echo);
  expect(await waiting[0]).toEqual(echoes('a'));
});

test.each<[string, RpcFailure | ((call: MainRpcCall) => RpcResponse)]>([['fails', new RpcFailure('deadline')]])(
  'sends a batch that %s again in parts, and then carries nothing for a backoff that doubles',
  async (_, outcome) => {
    for (const backoffMilliseconds of [BACKOFF_MILLISECONDS, 2 * BACKOFF_MILLISECONDS, 4 * BACKOFF_MILLISECONDS]) {
      sent = [];
      const waiting = defer('a');
      const flushed = flush('head');
      sent[0]!.settle(outcome);
      await settled();
      expect(sentMethods()).toEqual([['head', 'a'], ['head'], ['a']]);
      for (const each of sent) each.settle(echo);
      expect([await flushed, await waiting]).toEqual([echoes('head'), echoes('a')]);
      await pass(backoffMilliseconds - 1);
      void defer('b');
      expect(sentMethods().at(-1)).toEqual(['b']);
      await pass(1);
    }
  },
);

test('resets the backoff after a successful batch', async () => {
  const failing = [defer('a'), flush('head')];
  sent[0]!.settle(new RpcFailure('transport'));
  await settled();
  for (const each of sent) each.settle(echo);
  await Promise.all(failing);
  await pass(BACKOFF_MILLISECONDS);
  const carried = [defer('b'), flush('head')];
  sent.at(-1)!.settle(echo);
  await Promise.all(carried);
  void defer('c');
  void flush('head');
  sent.at(-1)!.settle(new RpcFailure('transport'));
  await settled();
  await pass(BACKOFF_MILLISECONDS);
  const before = sent.length;
  void defer('d');
  expect(sent).toHaveLength(before);
});

test('rejects all callers on a rate limit and sends nothing again', async () => {
  const waiting = defer('a');
  const flushed = flush('head');
  sent[0]!.settle(new RpcFailure('transport', 'rate', { retryAfterSeconds: 7 }));
  const failure = { kind: 'rate', retryAfterSeconds: 7 };
  await expect(flushed).rejects.toMatchObject(failure);
  await expect(waiting).rejects.toMatchObject(failure);
  expect(sent).toHaveLength(1);
});

test('sends waiting and later calls at once after drain()', async () => {
  const waiting = defer('a');
  piggyback.drain();
  void defer('b');
  expect(sentMethods()).toEqual([['a'], ['b']]);
  sent[0]!.settle(echo);
  expect(await waiting).toEqual(echoes('a'));
  void flush('head');
  expect(sentMethods().at(-1)).toEqual(['head']);
});
