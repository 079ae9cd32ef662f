/** Validation of JSON-RPC responses from one node. */
import { Agent } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  startRpcProxy,
  truncateBody,
  type ProxyResponse,
  type RpcProxy,
} from '../../../../testing/harness/rpc-proxy.ts';
import { countTicks } from '../../../../testing/harness/tick-counter.ts';
import { createHttpPost, parseRpcUrl, type PostRpc } from '../../rpc/http-post.ts';
import { IrregularJson } from './json-cursor.ts';
import { sendMainRpc, type MainRpcCall } from './json-rpc.ts';
import { MAX_INLINE_BYTES } from './large-response-reader.ts';
import type { ResponseEntry } from './large-responses.ts';

let proxy: RpcProxy;
let answer: ProxyResponse;
const dispatcher = new Agent();

beforeAll(async () => {
  proxy = await startRpcProxy(({ method }) => (method === 'echo' ? answer : { result: method }));
});
afterAll(async () => {
  await dispatcher.destroy();
  await proxy.close();
});
beforeEach(() => {
  proxy.heal();
  proxy.resetCounts();
  answer = { result: 'ok' };
});

const call = (method: string): MainRpcCall => ({ method, params: [] });

function send(calls: readonly MainRpcCall[] = [call('echo')], maxResponseBytes = 100_000, milliseconds = 20_000) {
  const signal = AbortSignal.timeout(milliseconds);
  return sendMainRpc(parseRpcUrl(proxy.url), calls, { post: createHttpPost(dispatcher), signal, maxResponseBytes });
}

const reorder = (change: (responses: unknown[]) => unknown) => ({
  kind: 'body' as const,
  change: (body: string) => JSON.stringify(change(JSON.parse(body) as unknown[])),
});
const edit = (change: (answer: Record<string, unknown>) => unknown) => ({
  kind: 'body' as const,
  change: (body: string) => JSON.stringify(change(JSON.parse(body) as Record<string, unknown>)),
});

describe('a response is accepted', () => {
  test('for one call, and for a batch in any order', async () => {
    expect(await send()).toEqual([{ ok: true, result: 'ok' }]);
    proxy.inject(reorder((responses) => responses.reverse()));
    const responses = await send([call('a'), call('b'), call('c')]);
    expect(responses).toEqual(['a', 'b', 'c'].map((result) => ({ ok: true, result })));
    expect(proxy.requests).toBe(2);
  });

  test('for a call with a reader beside calls without one, and as parsed where the reader rejects it', async () => {
    const read: MainRpcCall['read'] = (json) => {
      const text = json.takeText();
      if (text === 'c') throw new IrregularJson();
      return { read: text };
    };
    const responses = await send([call('a'), { ...call('b'), read }, { ...call('c'), read }]);
    expect(responses).toEqual(['a', { read: 'b' }, 'c'].map((result) => ({ ok: true, result })));
  });

  test('when its result is null', async () => {
    answer = { result: null };
    expect(await send()).toEqual([{ ok: true, result: null }]);
  });

  test.each<[string, unknown, string | undefined]>([
    ['hex text', '0x7E273289', '0x7e273289'],
    ['an object', { data: '0x7e273289', message: 'reverted' }, '0x7e273289'],
    ['no data, for a reverted execution', undefined, '0x'],
    ['hex text after a word', 'Reverted 0x7e273289', '0x7e273289'],
    ['text that is not hex', 'Reverted: 0x7e273289', '0x'],
  ])('with revert data given as %s', async (_, data, revertData) => {
    answer = { error: { code: 3, message: 'execution reverted', data } };
    expect(await send()).toEqual([{ ok: false, code: 3, revertData, hint: undefined }]);
  });

  test.each([
    ['execution reverted', undefined, '0x'],
    ['execution reverted', null, '0x'],
    ['execution reverted', '0x7e273289', '0x7e273289'],
    ['execution reverted', 'Reverted', undefined],
    ['Execution reverted', undefined, '0x'],
    ['VM execution error.', 'Reverted 0x', '0x'],
    ['VM execution error.', 'Reverted 0x7e273289', '0x7e273289'],
    ['VM execution error.', 'Bad instruction fe', undefined],
    ['execution reverted: paused', undefined, undefined],
  ])('as error -32000 "%s" with data %j has revert data %s', async (message, data, revertData) => {
    answer = { error: { code: -32000, message, data } };
    expect(await send()).toEqual([{ ok: false, code: -32000, revertData, hint: undefined }]);
  });

  test.each<[number, string, string, string | undefined]>([
    [-32005, 'query returned more than 10000 results', 'eth_getLogs', 'too-large'],
    [-32005, 'limit', 'eth_getLogs', 'too-large'],
    [-32614, 'eth_getLogs is limited to a 10,000 range', 'eth_getLogs', 'too-large'],
    [-32602, 'block range is too wide', 'eth_getLogs', 'too-large'],
    [-32602, 'Log response size exceeded', 'eth_getLogs', 'too-large'],
    [-32000, 'exceed maximum block range: 5000', 'eth_getLogs', 'too-large'],
    [-32000, 'out of gas', 'eth_call', 'too-large'],
    [-32000, 'header not found', 'eth_call', 'unknown-block'],
    [-32602, 'BlockOutOfRangeError: block height is 5 but requested was 9', 'eth_call', 'unknown-block'],
    [-32000, 'execution aborted', 'eth_call', undefined],
  ])('with error %i "%s" to %s classified as %s', async (code, message, method, hint) => {
    proxy.inject({ kind: 'answer', change: () => ({ error: { code, message } }) });
    expect(await send([call(method)])).toEqual([{ ok: false, code, revertData: undefined, hint }]);
  });

  test('as too large over the size limit, and over the limit of the node', async () => {
    answer = { result: 'x'.repeat(1_000) };
    const tooLarge = { ok: false, code: 413, revertData: undefined, hint: 'too-large' };
    expect(await send([call('echo'), call('a')], 500)).toEqual([tooLarge, tooLarge]);
    proxy.inject({ kind: 'status', status: 413 });
    expect(await send()).toEqual([tooLarge]);
  });

  test.each([
    [-32614, 'eth_getLogs is limited to a 10,000 range', 'too-large'],
    [-32000, 'refused by policy 7', 'too-large'],
    [-32000, 'header not found', 'unknown-block'],
  ])('as the JSON-RPC error in the body of HTTP 413, %i "%s" classified as %s', async (code, message, hint) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
    proxy.inject({ kind: 'status', status: 413, body });
    expect(await send([call('eth_getLogs')])).toEqual([{ ok: false, code, revertData: undefined, hint }]);
  });

  test.each([
    ['a missing response', reorder((responses) => responses.slice(1)), [undefined, 'b', 'c']],
    ['a duplicate response', reorder((responses) => [...responses, responses[0]]), [undefined, 'b', 'c']],
    ['a foreign response', reorder((all) => [...all, { jsonrpc: '2.0', id: 0, result: 1 }]), ['a', 'b', 'c']],
    ['a response in another form', reorder(([, ...responses]) => ['a', ...responses]), [undefined, 'b', 'c']],
    ['one object for all', reorder((responses) => responses[0]), ['a', undefined, undefined]],
  ])('in part when a batch has %s', async (_, fault, results) => {
    proxy.inject(fault);
    const expected = results.map((result) => result && { ok: true, result });
    expect(await send([call('a'), call('b'), call('c')])).toEqual(expected);
  });

  test('with ids as text', async () => {
    proxy.inject(edit((a) => ({ ...a, id: String(a['id']) })));
    expect(await send()).toEqual([{ ok: true, result: 'ok' }]);
  });

  test('when an HTTP error carries a JSON-RPC error without an id', async () => {
    proxy.inject({
      kind: 'status',
      status: 500,
      body: '{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal"}}',
    });
    expect(await send()).toEqual([{ ok: false, code: -32603, revertData: undefined, hint: undefined }]);
  });
});

describe('a large response is accepted', () => {
  const failed = { ok: false, code: -32000, revertData: undefined, hint: undefined };

  /** Returns the responses to 20 calls with texts of this length and one with logs, and the number of ticks in which texts are parsed. */
  async function sendLarge(textBytes: number) {
    const calls = Array.from({ length: 21 }, () => ({ ...call('eth_getLogs'), read: () => undefined }));
    const [start, end] = ['{"code":-32000,"message":"', '"}'];
    const text = Buffer.from(start + 'a'.repeat(textBytes - start.length - end.length) + end);
    let tick = 0;
    let next = setImmediate(function count() {
      tick += 1;
      next = setImmediate(count);
    });
    const ticks = new Set<number>();
    const failure = {
      kind: 'error' as const,
      get text() {
        ticks.add(tick);
        return text;
      },
    };
    const responses = await sendMainRpc(parseRpcUrl(proxy.url), calls, {
      post: async () => ({ status: 200, retryAfterSeconds: undefined, body: Buffer.alloc(MAX_INLINE_BYTES + 1) }),
      signal: AbortSignal.timeout(20_000),
      maxResponseBytes: 64 * 1024 * 1024,
      largeResponses: {
        read: async (_body, kinds) =>
          new Map<number, ResponseEntry>(
            Array.from(kinds.keys(), (id, i) => [id, i < 20 ? failure : { kind: 'read', value: 'logs' }]),
          ),
        close: async () => undefined,
      },
    });
    clearImmediate(next);
    expect(responses.pop()).toEqual({ ok: true, result: 'logs' });
    return { responses, ticks: ticks.size };
  }

  test('with each of its long texts parsed in its own tick', async () => {
    expect(await sendLarge(400_000)).toEqual({ responses: Array.from({ length: 20 }, () => failed), ticks: 20 });
  });

  test('with short texts parsed in ticks of 256 KiB', async () => {
    expect(await sendLarge(26_000)).toEqual({ responses: Array.from({ length: 20 }, () => failed), ticks: 2 });
  });

  test('with the entries of a long batch read in ticks', async () => {
    const entry = (id: unknown) => ({ jsonrpc: '2.0', id, result: 'ok'.repeat(30) });
    const post: PostRpc = async (_, payload) => {
      const ids = (JSON.parse(payload) as { id: number }[]).map(({ id }) => id);
      const others = Array.from({ length: 5_000 }, () => entry(0));
      return { status: 200, retryAfterSeconds: undefined, body: JSON.stringify([...others, ...ids.map(entry)]) };
    };
    const options = { post, signal: AbortSignal.timeout(20_000), maxResponseBytes: 1024 * 1024 };
    let responses: unknown;
    const ticks = await countTicks(async () => {
      responses = await sendMainRpc(parseRpcUrl(proxy.url), [call('a'), call('b')], options);
    });
    expect(responses).toEqual(Array(2).fill({ ok: true, result: 'ok'.repeat(30) }));
    expect(ticks).toBe(5);
  });

  test('with 16 MiB of texts, and without those beyond', async () => {
    const { responses } = await sendLarge(1024 * 1024);
    expect(responses).toEqual(Array.from({ length: 20 }, (_, i) => (i < 16 ? failed : undefined)));
  });
});

describe('a response is rejected', () => {
  test.each([
    ['it is cut off', truncateBody()],
    ['it is not JSON', { kind: 'body' as const, change: () => '<html>busy</html>' }],
    ['it is empty', { kind: 'body' as const, change: () => '' }],
    ['it has another id', edit((a) => ({ ...a, id: 1 }))],
    ['it has no version', edit(({ jsonrpc: _, ...a }) => a)],
    ['it has neither result nor error', edit(({ result: _, ...a }) => a)],
    ['it has both result and error', edit((a) => ({ ...a, error: { code: 1, message: '' } }))],
    ['its error has no code', edit(({ result: _, ...a }) => ({ ...a, error: { message: 'no' } }))],
    ['it is an array for one call', edit((a) => [a])],
  ])('when %s', async (_, fault) => {
    proxy.inject(fault);
    await expect(send()).rejects.toMatchObject({ unreadable: 'malformed' });
  });

  test.each([
    ['nothing', reorder(() => [])],
    ['responses to no request', reorder((responses) => responses.map(() => ({ jsonrpc: '2.0', id: 0, result: 1 })))],
    ['only duplicates', reorder((responses) => [...responses, ...responses])],
  ])('when a batch has %s', async (_, fault) => {
    proxy.inject(fault);
    await expect(send([call('a'), call('b'), call('c')])).rejects.toMatchObject({ unreadable: 'malformed' });
  });

  test('when the server fails', async () => {
    proxy.inject({ kind: 'status', status: 502 });
    await expect(send()).rejects.toMatchObject({ unreadable: 'transport', kind: 'failed' });
  });

  test.each([
    ['HTTP 429', { kind: 'status' as const, status: 429, headers: { 'retry-after': '7' } }, 7],
    [
      'HTTP 429 with a date',
      { kind: 'status' as const, status: 429, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } },
      0,
    ],
    [
      '-32029',
      { kind: 'answer' as const, change: () => ({ error: { code: -32029, message: 'slow down' } }) },
      undefined,
    ],
    [
      '-32005 for a rate',
      { kind: 'answer' as const, change: () => ({ error: { code: -32005, message: 'request count exceeded' } }) },
      undefined,
    ],
    [
      '-32009 of a busy server',
      {
        kind: 'answer' as const,
        change: () => ({ error: { code: -32009, message: 'Server is busy, try again later' } }),
      },
      undefined,
    ],
    [
      '-32005 alone',
      { kind: 'answer' as const, change: () => ({ error: { code: -32005, message: 'limit exceeded' } }) },
      undefined,
    ],
  ])('as a rate limit by %s', async (_, fault, retryAfterSeconds) => {
    proxy.inject(fault);
    await expect(send()).rejects.toMatchObject({ unreadable: 'transport', kind: 'rate', retryAfterSeconds });
  });

  test('as a rate limit by -32005 whose text names a rate, for log queries too', async () => {
    proxy.inject({ kind: 'answer', change: () => ({ error: { code: -32005, message: 'request rate exceeded' } }) });
    await expect(send([call('eth_getLogs')])).rejects.toMatchObject({ unreadable: 'transport', kind: 'rate' });
  });

  test.each([429, -32029, -32429])('as a rate limit by %d whose text names batches', async (code) => {
    const error = { code, message: 'a batch counts as its calls; limit exceeded' };
    proxy.inject({ kind: 'answer', change: () => ({ error }) });
    const failure = { unreadable: 'transport', kind: 'rate' };
    await expect(send()).rejects.toMatchObject(failure);
    await expect(send([call('a'), call('b')])).rejects.toMatchObject(failure);
    proxy.inject(reorder(() => ({ jsonrpc: '2.0', id: null, error })));
    await expect(send([call('a'), call('b')])).rejects.toMatchObject(failure);
  });

  test.each([
    [503, true],
    [502, false],
    [504, false],
  ])('as a failure of the gateway by an error with HTTP %d, as an overload: %s', async (status, isOverload) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32010, message: 'backend offline' } });
    proxy.inject({ kind: 'status', status, body });
    await expect(send()).rejects.toMatchObject({ kind: 'failed', isOfGateway: true, isOverload });
  });

  test('as an overload by the page of HTTP 503', async () => {
    proxy.inject({ kind: 'status', status: 503, body: '<html>Service Temporarily Unavailable</html>' });
    await expect(send()).rejects.toMatchObject({ kind: 'failed', isOfGateway: true, isOverload: true });
  });

  test('when it does not arrive before the deadline', async () => {
    proxy.inject({ kind: 'hang' });
    await expect(send(undefined, undefined, 20)).rejects.toMatchObject({ unreadable: 'deadline' });
  });
});

describe('a batch is refused', () => {
  const error = { code: -32600, message: 'batch too long' };

  test.each([
    ['an object', reorder(() => ({ jsonrpc: '2.0', id: null, error }))],
    ['an array of one', reorder(([first]) => [{ jsonrpc: '2.0', id: (first as { id: number }).id, error }])],
    ['an HTTP error', { kind: 'status' as const, status: 400, body: JSON.stringify({ jsonrpc: '2.0', error }) }],
  ])('by one error in %s', async (_, fault) => {
    proxy.inject(fault);
    await expect(send([call('a'), call('b')])).rejects.toMatchObject({ kind: 'refused', code: -32600 });
  });

  test.each([
    ['a text', { kind: 'status' as const, status: 405, body: 'no batches' }],
    ['another envelope', { kind: 'status' as const, status: 500, body: '{"message":"Batch of 3","code":31}' }],
  ])('by an HTTP error with %s', async (_, fault) => {
    proxy.inject(fault);
    await expect(send([call('a'), call('b')])).rejects.toMatchObject({ kind: 'failed', unreadable: 'transport' });
  });
});

test.each([
  ['a text', { kind: 'status' as const, status: 402, body: 'Payment Required' }],
  [
    'a JSON-RPC error',
    {
      kind: 'status' as const,
      status: 402,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":402,"message":"Used up"}}',
    },
  ],
  [
    'HTTP 200 and a JSON-RPC error',
    { kind: 'answer' as const, change: () => ({ error: { code: 402, message: 'Payment Required' } }) },
  ],
  [
    'HTTP 429 for the day',
    {
      kind: 'status' as const,
      status: 429,
      body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"daily request count exceeded, request rate limited"}}',
    },
  ],
  [
    'HTTP 200 and an error for the day',
    { kind: 'answer' as const, change: () => ({ error: { code: -32005, message: 'Quota per day exceeded' } }) },
  ],
])(
  'prepaid calls that are used up (402) and those of a day are a rate limit with a long pause: %s',
  async (_, fault) => {
    proxy.inject(fault);
    await expect(send()).rejects.toMatchObject({ kind: 'rate', code: 402, retryAfterSeconds: 60 });
  },
);

const PLAN = 'Too many requests: your plan allows 25 requests per second and 12,000,000 per month';

test.each([
  ['a text that names a rate per second', { status: 429, body: PLAN }],
  ['a text that names a rate as N/s', { status: 429, body: 'rate limit of 25/s, 3,000,000 a day' }],
  ['a short Retry-After', { status: 429, body: 'Daily request count exceeded', headers: { 'retry-after': '5' } }],
  [
    'an error with a short Retry-After',
    {
      status: 400,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"daily request count exceeded"}}',
      headers: { 'retry-after': '5' },
    },
  ],
])('a refusal for the rate that also names the quota of a day is no used-up plan: %s', async (_, response) => {
  proxy.inject({ kind: 'status', ...response });
  const failure = await send().catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'rate', code: undefined });
});

test('one error for a batch whose calls are used up names a long pause', async () => {
  const error = { code: -32005, message: 'Quota per day exceeded' };
  proxy.inject(reorder(() => ({ jsonrpc: '2.0', id: null, error })));
  await expect(send([call('a'), call('b')])).rejects.toMatchObject({ kind: 'rate', code: 402, retryAfterSeconds: 60 });
});

describe('a lost connection', () => {
  test('is repeated once at once', async () => {
    proxy.inject({ kind: 'cut' }, 1);
    expect(await send()).toEqual([{ ok: true, result: 'ok' }]);
    expect(proxy.requests).toBe(2);
  });

  test('fails when it is lost again', async () => {
    proxy.inject({ kind: 'cut' });
    await expect(send()).rejects.toMatchObject({ unreadable: 'transport' });
    expect(proxy.requests).toBe(2);
  });
});

test('parseRpcUrl moves credentials into a header and never names an invalid URL', () => {
  expect(parseRpcUrl('https://user:p%40ss@node.example/v3/key?x=1')).toEqual({
    origin: 'https://node.example',
    path: '/v3/key?x=1',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    },
  });
  expect(() => parseRpcUrl('secret key')).toThrow(/^an RPC URL cannot be parsed$/);
});
