/** Tests the JSON-RPC client: validation of responses and classification of failures. */
import { Agent } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  PROXY_KEY,
  rateLimit,
  startRpcProxy,
  truncateBody,
  type ProxyResponse,
  type RpcFault,
  type RpcProxy,
} from '../../../../testing/harness/rpc-proxy.ts';
import { createHttpPost, parseRpcUrl } from '../../rpc/http-post.ts';
import { RpcFailure } from '../../rpc/rpc-failure.ts';
import { sendAltRpc } from './json-rpc.ts';

let proxy: RpcProxy;
let next: ProxyResponse;
const dispatcher = new Agent();

beforeAll(async () => {
  proxy = await startRpcProxy(() => next);
});
afterAll(async () => {
  await dispatcher.destroy();
  await proxy.close();
});
beforeEach(() => {
  proxy.heal();
  proxy.resetCounts();
  next = { result: 'ok' };
});

function send(maxResponseBytes = 100_000, milliseconds = 20_000): Promise<unknown> {
  const signal = AbortSignal.timeout(milliseconds);
  const options = { post: createHttpPost(dispatcher), signal, maxResponseBytes };
  return sendAltRpc(parseRpcUrl(proxy.url), { method: 'getSlot', params: [1] }, options);
}

async function failure(sending: Promise<unknown>): Promise<object> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RpcFailure);
  expect(String((error as Error).stack)).not.toContain(PROXY_KEY);
  const { unreadable, kind, code, retryAfterSeconds } = error as RpcFailure;
  return { unreadable, kind, ...(code !== undefined && { code }), ...(retryAfterSeconds && { retryAfterSeconds }) };
}

const body = (change: (body: string) => string): RpcFault => ({ kind: 'body', change });
const edit = (change: (response: Record<string, unknown>) => unknown): RpcFault =>
  body((text) => JSON.stringify(change(JSON.parse(text) as Record<string, unknown>)));

describe('a valid response', () => {
  it.each<[name: string, result: unknown]>([
    ['a value', 'ok'],
    ['null', null],
    ['zero', 0],
  ])('returns its result: %s', async (_name, result) => {
    next = { result };
    expect(await send()).toStrictEqual(result);
    expect(proxy.calls).toStrictEqual([{ method: 'getSlot', params: [1] }]);
  });

  it('may contain integers beyond the safe range', async () => {
    const text = '{"rentEpoch":18446744073709551615,"lamports":9007199254740993,"data":["AQI=","base64"]}';
    proxy.inject(body((whole) => whole.replace('"ok"', text)));
    expect(await send()).toMatchObject({ data: ['AQI=', 'base64'] });
  });

  it('is returned after one lost connection', async () => {
    proxy.inject({ kind: 'cut' }, 1);
    expect(await send()).toBe('ok');
    expect(proxy.requests).toBe(2);
  });
});

const EXHAUSTED = { unreadable: 'transport', kind: 'rate', code: 402, retryAfterSeconds: 60 };
const PAYMENT_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":402,"message":"Payment Required"}}';

describe('a failure', () => {
  it.each<[name: string, fault: RpcFault]>([
    ['truncated', truncateBody()],
    ['no JSON', body(() => '<html>busy</html>')],
    ['empty', body(() => '')],
    ['a batch', body((text) => `[${text}]`)],
    ['another id', edit((each) => ({ ...each, id: 1 }))],
    ['id as other text', edit((each) => ({ ...each, id: `0${String(each['id'])}` }))],
    ['no id', edit(({ id: _, ...each }) => each)],
    ['no version', edit(({ jsonrpc: _, ...each }) => each)],
    ['neither result nor error', edit(({ result: _, ...each }) => each)],
    ['both result and error', edit((each) => ({ ...each, error: { code: -32000 } }))],
    ['an error without a code', edit(({ result: _, ...each }) => ({ ...each, error: { message: 'x' } }))],
  ])('is malformed for a response body: %s', async (_name, fault) => {
    proxy.inject(fault);
    expect(await failure(send())).toStrictEqual({ unreadable: 'malformed', kind: 'failed' });
  });

  it('is malformed for a body over the size limit', async () => {
    next = { result: 'x'.repeat(1_000) };
    expect(await failure(send(500))).toStrictEqual({ unreadable: 'malformed', kind: 'failed' });
  });

  it.each<[name: string, fault: RpcFault, expected: object]>([
    ['a reset', { kind: 'cut' }, { unreadable: 'transport', kind: 'failed' }],
    ['403', { kind: 'status', status: 403 }, { unreadable: 'transport', kind: 'failed' }],
    ['301', { kind: 'status', status: 301 }, { unreadable: 'transport', kind: 'failed' }],
    ['500', { kind: 'status', status: 500 }, { unreadable: 'transport', kind: 'busy' }],
    ['502', { kind: 'status', status: 502, body: '<html>' }, { unreadable: 'transport', kind: 'busy' }],
    ['413', { kind: 'status', status: 413 }, { unreadable: 'transport', kind: 'refused', code: 413 }],
    ['402', { kind: 'status', status: 402, body: 'Payment Required' }, EXHAUSTED],
    ['402 with an error', { kind: 'status', status: 402, body: PAYMENT_ERROR }, EXHAUSTED],
    ['429 for the day', { kind: 'status', status: 429, body: 'Daily request count exceeded' }, EXHAUSTED],
    ['429', rateLimit(), { unreadable: 'transport', kind: 'rate' }],
    ['429 with a wait', rateLimit(10), { unreadable: 'transport', kind: 'rate', retryAfterSeconds: 10 }],
    [
      '429 with a date',
      { kind: 'status', status: 429, headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } },
      { unreadable: 'transport', kind: 'rate' },
    ],
    [
      '500 with a result',
      { kind: 'status', status: 500, body: '{"jsonrpc":"2.0","id":1,"result":1}' },
      { unreadable: 'transport', kind: 'busy' },
    ],
    [
      '400 with an error of the call',
      { kind: 'status', status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"x"}}' },
      { unreadable: 'rpc-error', kind: 'refused', code: -32602 },
    ],
  ])('is classified by HTTP status: %s', async (_name, fault, expected) => {
    proxy.inject(fault);
    expect(await failure(send())).toStrictEqual(expected);
  });

  it.each<[name: string, status: number, body: string, isOverload: boolean]>([
    ['503 in HTML', 503, '<html>', true],
    [
      '503 with an error of the gateway',
      503,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32010,"message":"x"}}',
      true,
    ],
    ['502', 502, '<html>', false],
  ])('is an overload of the gateway by HTTP 503 alone: %s', async (_name, status, text, isOverload) => {
    proxy.inject({ kind: 'status', status, body: text });
    await expect(send()).rejects.toMatchObject({ unreadable: 'transport', kind: 'busy', isOverload });
  });

  it('is a rate limit where the error of HTTP 503 names a rate', async () => {
    const text = '{"jsonrpc":"2.0","id":null,"error":{"code":-32016,"message":"over rate limit"}}';
    proxy.inject({ kind: 'status', status: 503, body: text });
    await expect(send()).rejects.toMatchObject({ kind: 'rate', isOverload: false });
  });

  it.each<[code: number, kind: string]>([
    [-32005, 'busy'],
    [429, 'rate'],
    [-32429, 'rate'],
    [-32016, 'behind'],
    [-32004, 'no-block'],
    [-32007, 'no-block'],
    [-32009, 'no-block'],
    [-32014, 'no-block'],
    [-32010, 'refused'],
    [-32015, 'refused'],
    [-32601, 'refused'],
    [-32602, 'refused'],
  ])('is classified by error code: %i is %s', async (code, kind) => {
    next = { error: { code, message: PROXY_KEY, data: { slotsBehind: 5 } } };
    expect(await failure(send())).toStrictEqual({ unreadable: 'rpc-error', kind, code });
  });

  it.each<[code: number, message: string, kind: string]>([
    [-32005, '10/second request limit reached', 'rate'],
    [-32005, 'Too many requests', 'rate'],
    [-32005, 'Node is behind by 42 slots', 'busy'],
    [-32007, '50/second request limit reached - reduce calls per second', 'rate'],
    [-32007, 'Slot 5 was skipped, or missing due to ledger jump to recent snapshot', 'no-block'],
    [-32000, 'Too many requests for a specific RPC call', 'rate'],
    [-32429, 'exceeded 10 requests per second, 1,000,000 per month', 'rate'],
  ])('is classified by its text: %i "%s" is %s', async (code, message, kind) => {
    next = { error: { code, message } };
    expect(await failure(send())).toStrictEqual({ unreadable: 'rpc-error', kind, code });
  });

  it('is deadline when the response is late', async () => {
    proxy.inject({ kind: 'hang' });
    expect(await failure(send(1_000, 50))).toStrictEqual({ unreadable: 'deadline', kind: 'failed' });
  });
});

describe('a URL', () => {
  it('moves its credentials to the authorization header', () => {
    const { origin, path, headers } = parseRpcUrl('https://user:p%40ss@node.example:8899/key?a=1');
    expect([origin, path]).toStrictEqual(['https://node.example:8899', '/key?a=1']);
    expect(headers['authorization']).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
  });

  it('is not part of the error when it cannot be parsed', () => {
    expect(() => parseRpcUrl(`not a url ${PROXY_KEY}`)).toThrow('an RPC URL cannot be parsed');
  });
});
