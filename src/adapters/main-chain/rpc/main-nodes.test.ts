import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  PROXY_KEY,
  rateLimit,
  startRpcProxy,
  type ProxyResponse,
  type RpcProxy,
} from '../../../../testing/harness/rpc-proxy.ts';
import { startDeadline } from '../../rpc/deadline.ts';
import { createMainNodes, type MainNodes } from './main-nodes.ts';
import { MAIN_CHAIN_LIMITS, type MainChainLimits } from '../limits.ts';
import { createMainUpstreamCounters, type MainUpstreamCounters } from './upstream-counters.ts';

const CHAIN_ID = 31_337;

let first: RpcProxy;
let second: RpcProxy;
let nodes: MainNodes;
let counters: MainUpstreamCounters;
let answers: { first: ProxyResponse; second: ProxyResponse };
let chainIds: { first: string; second: string };
let now: number;
let lines: object[];

beforeEach(async () => {
  now = 1_000_000;
  lines = [];
  answers = { first: { result: 'first' }, second: { result: 'second' } };
  chainIds = { first: '0x7a69', second: '0x7a69' };
  const upstream = (name: 'first' | 'second') => (call: { method: string }) =>
    call.method === 'eth_chainId' ? { result: chainIds[name] } : answers[name];
  first = await startRpcProxy(upstream('first'));
  second = await startRpcProxy(upstream('second'));
  open([first.url, second.url]);
});
afterEach(async () => {
  await nodes.close();
  await Promise.all([first.close(), second.close()]);
});

function open(rpcUrls: readonly string[], limits: Partial<MainChainLimits> = {}): void {
  counters = createMainUpstreamCounters();
  const record = (fields: object, message: string) => void lines.push({ ...fields, message });
  nodes = createMainNodes({
    rpcUrls,
    chainId: CHAIN_ID,
    clock: { nowMilliseconds: () => now },
    log: { info: record, warn: record, error: record },
    limits: { ...MAIN_CHAIN_LIMITS, retryDelayMilliseconds: 1, ...limits },
    counters,
  });
}

const ask = async (readMilliseconds = 20_000, requestMilliseconds = 10_000) => {
  const deadline = startDeadline(readMilliseconds, requestMilliseconds);
  const [answer] = await nodes.request([{ method: 'ask', params: [] }], deadline);
  return answer!.ok ? answer!.result : answer!.code;
};

describe('fail-over', () => {
  test('the first healthy node in order answers; its chain id is asked once', async () => {
    expect([await ask(), await ask(), await ask()]).toEqual(['first', 'first', 'first']);
    expect(first.calls.map(({ method }) => method)).toEqual(['eth_chainId', 'ask', 'ask', 'ask']);
    expect(second.requests).toBe(0);
  });

  test('many requests at once ask for the chain id once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(first.calls.filter(({ method }) => method === 'eth_chainId')).toHaveLength(1);
  });

  test.each([
    ['fails', { kind: 'status' as const, status: 503 }, 'transport'],
    ['cuts', { kind: 'cut' as const }, 'transport'],
    ['garbles', { kind: 'body' as const, change: () => '{' }, 'malformed'],
    ['limits the rate', rateLimit(), 'transport'],
  ])(
    'another node answers when the first %s; it is left alone for a growing pause, then asked again',
    async (_, fault, cause) => {
      await ask();
      first.inject(fault);
      for (const pause of [250, 500, 1_000]) {
        expect(await ask()).toBe('second');
        first.resetCounts();
        now += pause - 1;
        expect(await ask()).toBe('second');
        expect(first.requests).toBe(0);
        now += 1;
      }
      first.heal();
      expect(await ask()).toBe('first');
      expect(counters.failures).toEqual({ [cause]: 3 });
      expect(lines).toEqual([
        ...[1, 2, 3].map((failures) => ({
          chain: 'main',
          endpoint: 0,
          cause,
          failures,
          message: 'rpc endpoint failed',
        })),
        { chain: 'main', endpoint: 0, message: 'rpc endpoint recovered' },
      ]);
      first.inject(fault);
      expect(await ask()).toBe('second');
      now += 250;
      first.heal();
      expect(await ask()).toBe('first');
    },
  );

  test('a pause grows no longer than its bound', async () => {
    open([first.url], { maxOpenMilliseconds: 1_000 });
    first.inject({ kind: 'status', status: 503 });
    for (let i = 0; i < 10; i++) {
      await expect(ask()).rejects.toMatchObject({ unreadable: 'transport' });
      now += 1_000;
    }
    first.heal();
    expect(await ask()).toBe('first');
  });

  test('a node that asks to be left alone is, for as long as it asks', async () => {
    await ask();
    first.inject(rateLimit(30), 1);
    expect(await ask()).toBe('second');
    now += 29_999;
    expect(await ask()).toBe('second');
    now += 1;
    expect(await ask()).toBe('first');
  });

  test('with every node paused a request fails at once, with the cause of the first', async () => {
    open([first.url]);
    first.inject({ kind: 'status', status: 503 });
    await expect(ask()).rejects.toMatchObject({ unreadable: 'transport' });
    first.resetCounts();
    await expect(ask()).rejects.toMatchObject({ unreadable: 'transport' });
    expect(first.requests).toBe(0);
  });

  test('requests that fail together are one failure', async () => {
    open([first.url]);
    await ask();
    first.inject({ kind: 'status', status: 503 });
    await Promise.allSettled(Array.from({ length: 20 }, () => ask()));
    now += 250;
    first.heal();
    expect(await ask()).toBe('first');
  });
});

describe('the chain id', () => {
  test('a node of another chain is not used; another one is', async () => {
    chainIds.first = '0x1';
    expect(await ask()).toBe('second');
    expect(first.calls.map(({ method }) => method)).toEqual(['eth_chainId']);
    open([first.url]);
    await expect(ask()).rejects.toMatchObject({ unreadable: 'wrong-chain' });
  });

  test('a node that comes back to the right chain is used', async () => {
    chainIds.first = '0x1';
    await ask();
    chainIds.first = '0x7a69';
    now += 250;
    expect(await ask()).toBe('first');
  });

  test.each(['0x', '31337', '0x7a69zz', null])('%j is no chain id', async (result) => {
    open([first.url]);
    chainIds.first = result as string;
    await expect(ask()).rejects.toMatchObject({ unreadable: 'malformed' });
  });

  test('all can be asked', async () => {
    chainIds.second = '0x1';
    expect(await nodes.readChainIds(startDeadline(20_000, 10_000))).toEqual([CHAIN_ID, 1]);
    first.inject({ kind: 'status', status: 500 });
    expect(await nodes.readChainIds(startDeadline(20_000, 10_000))).toEqual([undefined, 1]);
  });
});

describe('time', () => {
  test('a node that hangs costs the time of one request, then another answers', async () => {
    await ask();
    first.inject({ kind: 'hang' });
    expect(await ask(20_000, 500)).toBe('second');
    expect(counters.failures).toEqual({ deadline: 1 });
  });

  test('a read ends with its own deadline, which is no failure of the node', async () => {
    await ask();
    first.inject({ kind: 'hang' });
    await expect(ask(30, 10_000)).rejects.toMatchObject({ unreadable: 'deadline' });
    expect(counters.failures).toEqual({});
    first.heal();
    expect(await ask()).toBe('first');
  });

  test('the pause before a retry ends with the deadline too', async () => {
    open([first.url], { retryDelayMilliseconds: 60_000 });
    answers.first = { error: { code: -32603, message: 'internal' } };
    await expect(ask(50)).rejects.toMatchObject({ unreadable: 'deadline' });
  });
});

describe('an error that may pass', () => {
  test.each([-32603, -32000])('%i is tried once more, at another node if there is one', async (code) => {
    answers.first = { error: { code, message: 'busy' } };
    expect(await ask()).toBe('second');
    answers.second = answers.first;
    expect(await ask()).toBe(code);
    expect(counters.retries).toBe(2);
  });

  test.each([
    ['revert data', { code: -32000, message: 'reverted', data: '0x7e273289' }],
    ['a size that no retry changes', { code: -32000, message: 'out of gas' }],
    ['another code', { code: -32601, message: 'unknown method' }],
  ])('one with %s is an answer', async (_, error) => {
    answers.first = { error };
    expect(await ask()).toBe(error.code);
    expect(counters.retries).toBe(0);
    expect(second.requests).toBe(0);
  });
});

test('no line, error or property holds a URL or its key', async () => {
  const errors: unknown[] = [];
  for (const fault of [
    { kind: 'status' as const, status: 500 },
    { kind: 'cut' as const },
    { kind: 'body' as const, change: () => 'no' },
    {
      kind: 'answer' as const,
      change: () => ({ error: { code: -32029, message: `key ${PROXY_KEY} is over its quota` } }),
    },
  ]) {
    open([first.url]);
    first.heal();
    first.inject(fault);
    errors.push(await ask().catch((error: unknown) => error));
  }
  open([`http://127.0.0.1:1/v3/${PROXY_KEY}`]);
  errors.push(await ask().catch((error: unknown) => error));
  expect(errors).toHaveLength(5);
  for (const error of errors) expect(describeDeeply(error)).not.toMatch(new RegExp(`${PROXY_KEY}|127\\.0\\.0\\.1`));
  expect(JSON.stringify(lines)).not.toContain(PROXY_KEY);
});

/** Text, stack, and every property, hidden ones and causes included. */
function describeDeeply(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => {
    const value = (error as unknown as Record<string, unknown>)[name];
    return value instanceof Error ? describeDeeply(value) : JSON.stringify(value);
  });
  return [String(error), ...own].join('\n');
}
