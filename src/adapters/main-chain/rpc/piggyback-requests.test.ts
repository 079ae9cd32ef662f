import { beforeEach, expect, test } from 'vitest';
import { startDeadline, type Deadline, type Stopwatch } from '../../rpc/deadline.ts';
import { MainRpcError, type RpcResponse, type MainRpcCall } from './json-rpc.ts';
import { createPiggybackRequests, PIGGYBACK_MILLISECONDS, type PiggybackRequests } from './piggyback-requests.ts';

const MAX_BATCH_CALLS = 8;
const REST_MILLISECONDS = 60_000;

/** One request to a node, and how it is answered. */
interface Sent {
  readonly methods: readonly string[];
  readonly needed: number | undefined;
  readonly requestMilliseconds: number;
  readonly answer: (outcome: MainRpcError | ((call: MainRpcCall) => RpcResponse)) => void;
}

let now: number;
let ends: { atMilliseconds: number; end: () => void }[];
let sent: Sent[];
let patient: PiggybackRequests;

const stopwatch: Stopwatch = {
  nowMilliseconds: () => now,
  startTimeout: () => new AbortController().signal,
  pause: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      ends.push({ atMilliseconds: now + milliseconds, end: () => resolve(undefined) });
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    }),
};

beforeEach(() => {
  now = 0;
  ends = [];
  sent = [];
  patient = createPiggybackRequests({
    nodes: {
      request: (calls, { requestMilliseconds }, needed) =>
        new Promise((resolve, reject) => {
          const methods = calls.map(({ method }) => method);
          const answer: Sent['answer'] = (outcome) =>
            outcome instanceof MainRpcError ? reject(outcome) : resolve(calls.map(outcome));
          sent.push({ methods, needed, requestMilliseconds, answer });
        }),
    },
    stopwatch,
    maxBatchCalls: MAX_BATCH_CALLS,
    requestTimeoutMilliseconds: 2_500,
  });
});

const deadline = (): Deadline => startDeadline(60_000, 20_000, stopwatch);
const toCalls = (methods: readonly string[]): MainRpcCall[] => methods.map((method) => ({ method, params: [] }));
const lead = (...methods: readonly string[]) => patient.flushWith(toCalls(methods), deadline());
const ask = (...methods: readonly string[]) => patient.request(toCalls(methods), deadline());
const settled = () => new Promise((resolve) => setImmediate(resolve));

const echo = ({ method }: MainRpcCall): RpcResponse => ({ ok: true, result: method });
const echoes = (...methods: readonly string[]) => toCalls(methods).map(echo);
const refused = (code: number): RpcResponse => ({ ok: false, code, revertData: undefined, hint: undefined });
const asked = () => sent.map(({ methods }) => methods);

async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  for (const { atMilliseconds, end } of ends) if (atMilliseconds <= now) end();
  await settled();
}

test('what waits travels behind the calls that lead, in one shorter request, and everyone gets its own answers', async () => {
  const waiting = [ask('a', 'b'), ask('c')];
  await settled();
  expect(sent).toEqual([]);
  const leading = lead('head', 'logs');
  expect(sent).toMatchObject([{ methods: ['head', 'logs', 'a', 'b', 'c'], needed: 2, requestMilliseconds: 2_500 }]);
  sent[0]!.answer(echo);
  expect(await leading).toEqual(echoes('head', 'logs'));
  expect(await Promise.all(waiting)).toEqual([echoes('a', 'b'), echoes('c')]);
  await pass(PIGGYBACK_MILLISECONDS);
  expect(sent).toHaveLength(1);
});

test('what leads alone is asked as ever', async () => {
  const leading = lead('head');
  expect(sent).toMatchObject([{ methods: ['head'], needed: undefined, requestMilliseconds: 20_000 }]);
  sent[0]!.answer(echo);
  expect(await leading).toEqual(echoes('head'));
});

test('what finds no room waits for the next that leads; what never could goes at once', () => {
  void ask('a', 'b', 'c', 'd');
  void ask('e', 'f', 'g');
  void ask('h');
  void lead('head', 'logs');
  void lead('head', 'logs');
  void ask('1', '2', '3', '4', '5');
  expect(asked()).toEqual([
    ['head', 'logs', 'a', 'b', 'c', 'd', 'h'],
    ['head', 'logs', 'e', 'f', 'g'],
    ['1', '2', '3', '4', '5'],
  ]);
});

test('what nobody leads goes on its own when its patience ends', async () => {
  const waiting = ask('a');
  await pass(PIGGYBACK_MILLISECONDS - 1);
  expect(sent).toEqual([]);
  await pass(1);
  sent[0]!.answer(echo);
  expect([asked(), await waiting]).toEqual([[['a']], echoes('a')]);
  void lead('head');
  expect(asked()).toEqual([['a'], ['head']]);
});

test('an error that may pass is asked again apart, and only by whom it concerns', async () => {
  const waiting = [ask('a'), ask('b')];
  const leading = lead('head');
  sent[0]!.answer((call) => (call.method === 'a' ? refused(-32_000) : echo(call)));
  expect([await leading, await waiting[1]]).toEqual([echoes('head'), echoes('b')]);
  expect(asked()).toEqual([['head', 'a', 'b'], ['a']]);
  sent[1]!.answer(echo);
  expect(await waiting[0]).toEqual(echoes('a'));
});

test.each<[string, MainRpcError | ((call: MainRpcCall) => RpcResponse)]>([
  ['fails', new MainRpcError('deadline')],
  ['is refused as a whole', () => refused(-32_600)],
])('a batch that %s is sent again in parts, and for a while, that doubles, nothing waits', async (_, outcome) => {
  for (const restMilliseconds of [REST_MILLISECONDS, 2 * REST_MILLISECONDS, 4 * REST_MILLISECONDS]) {
    sent = [];
    const waiting = ask('a');
    const leading = lead('head');
    sent[0]!.answer(outcome);
    await settled();
    expect(asked()).toEqual([['head', 'a'], ['head'], ['a']]);
    for (const each of sent) each.answer(echo);
    expect([await leading, await waiting]).toEqual([echoes('head'), echoes('a')]);
    await pass(restMilliseconds - 1);
    void ask('b');
    expect(asked().at(-1)).toEqual(['b']);
    await pass(1);
  }
});

test('after a batch that went well the rest is short again', async () => {
  const failing = [ask('a'), lead('head')];
  sent[0]!.answer(new MainRpcError('transport'));
  await settled();
  for (const each of sent) each.answer(echo);
  await Promise.all(failing);
  await pass(REST_MILLISECONDS);
  const carried = [ask('b'), lead('head')];
  sent.at(-1)!.answer(echo);
  await Promise.all(carried);
  void ask('c');
  void lead('head');
  sent.at(-1)!.answer(new MainRpcError('transport'));
  await settled();
  await pass(REST_MILLISECONDS);
  const before = sent.length;
  void ask('d');
  expect(sent).toHaveLength(before);
});

test('a rate limit is everyone’s failure: nothing is sent again', async () => {
  const waiting = ask('a');
  const leading = lead('head');
  sent[0]!.answer(new MainRpcError('transport', true, 7));
  const failure = { rateLimited: true, retryAfterSeconds: 7 };
  await expect(leading).rejects.toMatchObject(failure);
  await expect(waiting).rejects.toMatchObject(failure);
  expect(sent).toHaveLength(1);
});

test('a service that ends waits for nothing', async () => {
  const waiting = ask('a');
  patient.drain();
  void ask('b');
  expect(asked()).toEqual([['a'], ['b']]);
  sent[0]!.answer(echo);
  expect(await waiting).toEqual(echoes('a'));
  void lead('head');
  expect(asked().at(-1)).toEqual(['head']);
});
