/** Fail-over, circuit breakers and deadlines of the main chain's nodes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  PROXY_KEY,
  rateLimit,
  startRpcProxy,
  type ProxyError,
  type ProxyResponse,
  type RpcProxy,
} from '../../../../testing/harness/rpc-proxy.ts';
import { createCallBudget } from '../../rpc/call-budget.ts';
import { REAL_STOPWATCH, startDeadline } from '../../rpc/deadline.ts';
import type { MainRpcCall } from './json-rpc.ts';
import { createMainNodes, type MainNodes } from './main-nodes.ts';
import { MAIN_CHAIN_LIMITS, type MainChainLimits } from '../limits.ts';
import { createMainUpstreamCounters, type MainUpstreamCounters } from './upstream-counters.ts';

const CHAIN_ID = 31_337;

let first: RpcProxy;
let second: RpcProxy;
let nodes: MainNodes;
let counters: MainUpstreamCounters;
let responses: { first: ProxyResponse; second: ProxyResponse };
let chainIds: { first: string; second: string };
/** Errors of the first node by method. */
let refusals: Record<string, ProxyError>;
let now: number;
let lines: object[];

beforeEach(async () => {
  now = 1_000_000;
  lines = [];
  responses = { first: { result: 'first' }, second: { result: 'second' } };
  chainIds = { first: '0x7a69', second: '0x7a69' };
  refusals = {};
  const upstream =
    (name: 'first' | 'second') =>
    ({ method }: { method: string }) => {
      if (name === 'first' && refusals[method] !== undefined) return { error: refusals[method] };
      return method === 'eth_chainId' ? { result: chainIds[name] } : responses[name];
    };
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
    budget: createCallBudget({ clock: { nowMilliseconds: () => now }, stopwatch: REAL_STOPWATCH }),
  });
}

const request = async (readMilliseconds = 20_000, requestMilliseconds = 10_000) => {
  const deadline = startDeadline(readMilliseconds, requestMilliseconds);
  const [response] = await nodes.request([{ method: 'eth_example', params: [] }], deadline);
  return response!.ok ? response!.result : response!.code;
};

describe('fail-over', () => {
  test('uses the first healthy node in order and queries its chain id once', async () => {
    expect([await request(), await request(), await request()]).toEqual(['first', 'first', 'first']);
    expect(first.calls.map(({ method }) => method)).toEqual([
      'eth_chainId',
      'eth_example',
      'eth_example',
      'eth_example',
    ]);
    expect(second.requests).toBe(0);
  });

  test('uses the next node after a response beyond the size limit, which is an error when every node sends one', async () => {
    open([first.url, second.url], { maxResponseBytes: 1_000 });
    responses.first = { result: 'x'.repeat(2_000) };
    const batch = [{ method: 'eth_call', params: [] }];
    const deadline = () => startDeadline(20_000, 10_000);
    expect(await nodes.request(batch, deadline())).toEqual([{ ok: true, result: 'second', node: 1 }]);
    expect(lines).toMatchObject([{ endpoint: 1, cause: 'malformed' }]);
    now += 60_000;
    responses.second = responses.first;
    expect(await nodes.request(batch, deadline())).toMatchObject([{ ok: false, hint: 'too-large' }]);
  });

  test('does not leave out a node for a response beyond the size limit that the next node refuses to send', async () => {
    open([first.url, second.url], { maxResponseBytes: 1_000 });
    responses.first = { result: 'x'.repeat(2_000) };
    responses.second = { error: { code: -32000, message: 'result exceeds the returndata limit' } };
    const call: MainRpcCall = { method: 'eth_call', params: [] };
    const [response] = await nodes.request([call], startDeadline(20_000, 10_000));
    expect(response).toMatchObject({ ok: false, hint: 'too-large' });
    expect([nodes.members[0]!.isAvailable(), nodes.listMalformed(), counters.failures, lines]).toEqual([
      true,
      [],
      {},
      [],
    ]);
  });

  test('queries the chain id once for many concurrent requests', async () => {
    await Promise.all(Array.from({ length: 20 }, () => request()));
    expect(first.calls.filter(({ method }) => method === 'eth_chainId')).toHaveLength(1);
  });

  test.each([
    ['fails with HTTP 503', { kind: 'status' as const, status: 503 }, 'transport'],
    ['cuts the connection', { kind: 'cut' as const }, 'transport'],
    ['sends malformed JSON', { kind: 'body' as const, change: () => '{' }, 'malformed'],
    ['limits the rate', rateLimit(), 'transport'],
  ])(
    'uses another node when the first %s, and tries the first again after a growing open time',
    async (_, fault, cause) => {
      await request();
      first.inject(fault);
      for (const openMilliseconds of [250, 500, 1_000]) {
        expect(await request()).toBe('second');
        first.resetCounts();
        now += openMilliseconds - 1;
        expect(await request()).toBe('second');
        expect(first.requests).toBe(0);
        now += 1;
      }
      first.heal();
      expect(await request()).toBe('first');
      expect(counters.failures).toEqual({ [cause]: 3 });
      expect(lines).toEqual([
        ...[1, 2, 3].map((failures) => ({
          chain: 'main',
          endpoint: 1,
          cause,
          failures,
          message: 'rpc endpoint failed',
        })),
        { chain: 'main', endpoint: 1, message: 'rpc endpoint recovered' },
      ]);
      first.inject(fault);
      expect(await request()).toBe('second');
      now += 250;
      first.heal();
      expect(await request()).toBe('first');
    },
  );

  test('bounds the open time of a breaker', async () => {
    open([first.url], { maxOpenMilliseconds: 1_000 });
    first.inject({ kind: 'status', status: 503 });
    for (let i = 0; i < 10; i++) {
      await expect(request()).rejects.toMatchObject({ unreadable: 'transport' });
      now += 1_000;
    }
    first.heal();
    expect(await request()).toBe('first');
  });

  test('respects the Retry-After of a node', async () => {
    await request();
    first.inject(rateLimit(30), 1);
    expect(await request()).toBe('second');
    now += 29_999;
    expect(await request()).toBe('second');
    now += 1;
    expect(await request()).toBe('first');
  });

  test('fails at once with the last cause while every breaker is open', async () => {
    open([first.url]);
    first.inject({ kind: 'status', status: 503 });
    await expect(request()).rejects.toMatchObject({ unreadable: 'transport' });
    first.resetCounts();
    await expect(request()).rejects.toMatchObject({ unreadable: 'transport' });
    expect(first.requests).toBe(0);
  });

  test('counts concurrent failures as one', async () => {
    open([first.url]);
    await request();
    first.inject({ kind: 'status', status: 503 });
    await Promise.allSettled(Array.from({ length: 20 }, () => request()));
    now += 250;
    first.heal();
    expect(await request()).toBe('first');
  });
});

describe('chain identity', () => {
  test('skips a node that serves another chain', async () => {
    chainIds.first = '0x1';
    expect(await request()).toBe('second');
    expect(first.calls.map(({ method }) => method)).toEqual(['eth_chainId']);
    open([first.url]);
    await expect(request()).rejects.toMatchObject({ unreadable: 'wrong-chain' });
  });

  test('uses a node again once it serves the right chain', async () => {
    chainIds.first = '0x1';
    await request();
    chainIds.first = '0x7a69';
    now += 250;
    expect(await request()).toBe('first');
  });

  test.each(['0x', '31337', '0x7a69zz', null])('rejects %j as a chain id', async (result) => {
    open([first.url]);
    chainIds.first = result as string;
    await expect(request()).rejects.toMatchObject({ unreadable: 'malformed' });
  });

  test('is reported for every node', async () => {
    chainIds.second = '0x1';
    expect(await nodes.readChainIds(startDeadline(20_000, 10_000))).toEqual([CHAIN_ID, 1]);
    first.inject({ kind: 'status', status: 500 });
    expect(await nodes.readChainIds(startDeadline(20_000, 10_000))).toEqual([undefined, 1]);
  });
});

describe('deadlines', () => {
  test('use another node after a request to a hanging node times out', async () => {
    await request();
    first.inject({ kind: 'hang' });
    expect(await request(20_000, 500)).toBe('second');
    expect(counters.failures).toEqual({ deadline: 1 });
  });

  test('end a read without counting a failure of the node', async () => {
    await request();
    first.inject({ kind: 'hang' });
    await expect(request(30, 10_000)).rejects.toMatchObject({ unreadable: 'deadline' });
    expect(counters.failures).toEqual({});
    first.heal();
    expect(await request()).toBe('first');
  });

  test('end the delay before a second attempt', async () => {
    open([first.url], { retryDelayMilliseconds: 60_000 });
    responses.first = { error: { code: -32603, message: 'internal' } };
    await expect(request(50)).rejects.toMatchObject({ unreadable: 'deadline' });
  });
});

describe('an error response', () => {
  test.each([-32603, -32000])('with code %i is tried once more, on another node if there is one', async (code) => {
    responses.first = { error: { code, message: 'busy' } };
    expect(await request()).toBe('second');
    responses.second = responses.first;
    expect(await request()).toBe(code);
    expect(counters.retries).toBe(2);
  });

  test.each([
    ['revert data', { code: -32000, message: 'reverted', data: '0x7e273289' }],
    ['a limit of contract calls, which the caller divides', { code: -32000, message: 'out of gas' }],
  ])('with %s is returned at once', async (_, error) => {
    responses.first = { error };
    expect(await send({ method: 'eth_call', params: [] })).toEqual([error.code]);
    expect(counters.retries).toBe(0);
    expect(second.requests).toBe(0);
  });
});

/** Returns the result or the code of each response. */
async function send(...calls: readonly MainRpcCall[]): Promise<unknown[]> {
  const found = await nodes.request(calls, startDeadline(20_000, 10_000));
  return found.map((response) => (response.ok ? response.result : response.code));
}

const EXAMPLE: MainRpcCall = { method: 'eth_example', params: [] };
const OTHER: MainRpcCall = { method: 'eth_other', params: [] };
const RANGE_REFUSED: ProxyError = { code: -32614, message: 'eth_getLogs is limited to a 10,000 range' };
const logsOf = (filter: object): MainRpcCall => ({ method: 'eth_getLogs', params: [filter] });

describe('a node that refuses a method', () => {
  test.each([
    ['a method that it does not know', EXAMPLE, { code: -32601, message: 'the method does not exist' }],
    ['a method that is not paid for', EXAMPLE, { code: -32001, message: 'Unauthorized' }],
    [
      'the logs of one block',
      logsOf({ fromBlock: '0x1', toBlock: '0x1' }),
      { code: -32005, message: 'limit exceeded' },
    ],
    ['the logs of a block hash', logsOf({ blockHash: '0x01' }), { code: -32005, message: 'limit exceeded' }],
    ['the newest logs', logsOf({ fromBlock: '0x1', toBlock: 'latest' }), { code: -32005, message: 'limit exceeded' }],
    ['old logs', logsOf({ fromBlock: '0x1', toBlock: '0x9' }), { code: 4444, message: 'pruned history unavailable' }],
    [
      'a block of many receipts',
      { method: 'eth_getBlockReceipts', params: ['0x1'] },
      { code: -32008, message: 'too big' },
    ],
  ])('is replaced for %s', async (_, call, error) => {
    refusals[call.method] = error;
    expect(await send(call)).toEqual(['second']);
    expect([counters.retries, counters.failures, lines]).toEqual([0, {}, []]);
    open([first.url]);
    first.resetCounts();
    expect(await send(call)).toEqual([error.code]);
    expect(first.calls.filter(({ method }) => method === call.method).length).toBeLessThanOrEqual(2);
  });

  test('is not replaced where the range of a log query is too large, which the caller divides', async () => {
    refusals['eth_getLogs'] = { code: -32005, message: 'limit exceeded' };
    expect(await send(logsOf({ fromBlock: '0x1', toBlock: '0x2' }))).toEqual([-32005]);
    expect(second.requests).toBe(0);
  });

  test.each([
    ['with the JSON-RPC error of QuickNode', JSON.stringify({ jsonrpc: '2.0', id: null, error: RANGE_REFUSED })],
    ['with the page of a gateway', '<html>413 Request Entity Too Large</html>'],
  ])('does not count as malformed for a call that HTTP 413 refuses %s', async (_, body) => {
    await send(EXAMPLE);
    first.inject({ kind: 'status', status: 413, body });
    for (const divisible of [logsOf({ fromBlock: '0x1', toBlock: '0x2710' }), { method: 'eth_call', params: [{}] }]) {
      const [response] = await nodes.request([divisible], startDeadline(20_000, 10_000));
      expect(response).toMatchObject({ ok: false, hint: 'too-large' });
    }
    expect(second.requests).toBe(0);
    expect(await send(logsOf({ fromBlock: '0x1', toBlock: '0x1' }))).toEqual(['second']);
    expect([nodes.listMalformed(), counters.failures, lines]).toEqual([[], {}, []]);
  });

  test('has its error returned where no other node serves the method', async () => {
    responses.first = { error: { code: -32001, message: 'Unauthorized' } };
    responses.second = { error: { code: -32601, message: 'the method does not exist' } };
    expect([await request(), await request()]).toEqual([-32001, -32001]);
    await second.close();
    expect(await request()).toBe(-32001);
    second = await startRpcProxy(() => responses.second);
  });

  test('answers no call of a request in which another node replaces it', async () => {
    refusals['eth_other'] = { code: -32601, message: 'the method does not exist' };
    expect(await send(EXAMPLE, OTHER)).toEqual(['second', 'second']);
    const deadline = startDeadline(20_000, 10_000);
    const found = await nodes.request([EXAMPLE, OTHER], deadline, 1);
    expect(found).toMatchObject([{ result: 'first' }, { code: -32601 }]);
    expect(nodes.mayReplace([EXAMPLE, OTHER], found)).toBe(true);
    expect(nodes.mayReplace([EXAMPLE], found)).toBe(false);
    open([first.url]);
    expect(nodes.mayReplace([EXAMPLE, OTHER], found)).toBe(false);
  });

  test.each([-32601, -32001, -32603])(
    'with code %i is asked for it after the others once it has refused it five times, and first again after ten minutes',
    async (code) => {
      refusals['eth_other'] = { code, message: 'no' };
      for (let i = 0; i < 5; i++) expect(await send(OTHER)).toEqual(['second']);
      first.resetCounts();
      expect(await send(OTHER)).toEqual(['second']);
      expect(first.requests).toBe(0);
      expect(nodes.firstProfile('eth_other')).toBe(nodes.members[1]!.profile);
      expect(nodes.firstProfile('eth_example')).toBe(nodes.members[0]!.profile);
      expect(await send(EXAMPLE)).toEqual(['first']);
      now += 600_000;
      delete refusals['eth_other'];
      expect(await send(OTHER)).toEqual(['first']);
      refusals['eth_other'] = { code, message: 'no' };
      expect(await send(OTHER)).toEqual(['second']);
      first.resetCounts();
      expect(await send(OTHER)).toEqual(['second']);
      expect(first.requests).toBe(1);
    },
  );

  describe.each([
    ['last', () => [first.url, second.url]],
    ['first', () => [second.url, first.url]],
  ])('five times in a row, and is configured %s,', (_, listUrls) => {
    const RECEIPTS: MainRpcCall = { method: 'eth_getBlockReceipts', params: ['0x1'] };
    const NOT_FOUND = { error: { code: -32601, message: 'no' } };

    /** The first node serves the method now and then, the second one never. */
    beforeEach(async () => {
      open(listUrls());
      responses.second = NOT_FOUND;
      for (let i = 0; i < 5; i++) {
        responses.first = NOT_FOUND;
        expect(await send(RECEIPTS)).toEqual([-32601]);
        responses.first = { result: 'first' };
        expect(await send(RECEIPTS)).toEqual(['first']);
      }
      second.resetCounts();
    });

    test('is not asked for ten minutes, even where one that serves it now and then does not know it', async () => {
      responses.first = NOT_FOUND;
      expect(await send(RECEIPTS)).toEqual([-32601]);
      responses.first = { result: 'first' };
      expect(await send(RECEIPTS)).toEqual(['first']);
      expect(second.requests).toBe(0);
      now += 600_000;
      responses.first = NOT_FOUND;
      responses.second = { result: 'second' };
      expect(await send(RECEIPTS)).toEqual(['second']);
    });

    test('is asked because one that serves it now and then refuses it with another error', async () => {
      responses.first = { error: { code: -32001, message: 'no' } };
      expect(await send(RECEIPTS)).toEqual([-32001]);
      expect(second.requests).toBe(1);
    });

    test('is asked for calls that are needed beside a call of the method that is not', async () => {
      responses.first = NOT_FOUND;
      responses.second = { result: 'second' };
      const served = await nodes.request([OTHER, RECEIPTS], startDeadline(20_000, 10_000), 1);
      expect(served[0]).toEqual({ ok: true, result: 'second', node: expect.any(Number) });
    });

    test('is asked while every node has refused it so often', async () => {
      responses.first = NOT_FOUND;
      for (let i = 0; i < 5; i++) await send(RECEIPTS);
      responses.second = { result: 'second' };
      expect(await send(RECEIPTS)).toEqual(['second']);
    });
  });

  describe('among nodes that differ', () => {
    const RECEIPTS: MainRpcCall = { method: 'eth_getBlockReceipts', params: ['0xfff'] };
    const FINALIZED: MainRpcCall = { method: 'eth_getBlockByNumber', params: ['finalized', false] };
    const NOT_FOUND = { error: { code: -32601, message: 'no' } };
    const PRUNED = { error: { code: 4444, message: 'pruned history unavailable' } };
    const isOld = ({ params }: MainRpcCall) => params[0] === '0x1';
    const toOld = ({ method }: MainRpcCall): MainRpcCall => ({ method, params: ['0x1'] });
    let proxies: RpcProxy[] = [];

    afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

    /** Opens a node for each function. */
    async function openNodes(...answers: readonly ((call: MainRpcCall) => ProxyResponse)[]): Promise<void> {
      const start = (answer: (call: MainRpcCall) => ProxyResponse) =>
        startRpcProxy((call) => (call.method === 'eth_chainId' ? { result: chainIds.first } : answer(call)));
      proxies = await Promise.all(answers.map(start));
      open(proxies.map(({ url }) => url));
    }

    test('is asked first for the finalized block, which another one lacks, after old headers that it has dropped', async () => {
      await openNodes(
        (call) => (isOld(call) ? PRUNED : { result: 'pruned' }),
        (call) => ({ result: call.params[0] === 'finalized' ? null : 'archive' }),
      );
      await nodes.members[1]!.request([FINALIZED], startDeadline(20_000, 10_000));
      for (let i = 0; i < 5; i++) expect(await send(toOld(FINALIZED))).toEqual(['archive']);
      expect(await send(FINALIZED)).toEqual(['pruned']);
    });

    test('is asked for recent receipts, which another one does not know, after old ones that it has dropped', async () => {
      await openNodes(
        (call) => (isOld(call) ? PRUNED : { result: 'pruned' }),
        (call) => (isOld(call) ? { result: 'archive' } : NOT_FOUND),
      );
      for (let i = 0; i < 5; i++) expect(await send(toOld(RECEIPTS))).toEqual(['archive']);
      expect(await send(RECEIPTS)).toEqual(['pruned']);
    });

    test.each([
      ['another error first', PRUNED, NOT_FOUND],
      ['another error last', NOT_FOUND, PRUNED],
    ])('and did not know it five times is asked where the others refuse it, %s', async (_, ...refusalsThen) => {
      let isServing = false;
      const serveNow = () => (isServing ? { result: 'unknown before' } : NOT_FOUND);
      const [one, two] = refusalsThen.map((refusal) => () => (isServing ? refusal : { result: 'known before' }));
      await openNodes(serveNow, one!, two!);
      for (let i = 0; i < 5; i++) expect(await send(OTHER)).toEqual(['known before']);
      isServing = true;
      expect(await send(OTHER)).toEqual(['unknown before']);
    });

    test('is asked before one that lacks a needed call, where it refuses only a call that is not needed', async () => {
      const logs = logsOf({ fromBlock: '0x1', toBlock: '0x1' });
      await openNodes(
        ({ method }) => (method === RECEIPTS.method ? NOT_FOUND : { result: 'first' }),
        ({ method }) => (method === logs.method ? NOT_FOUND : { result: 'second' }),
      );
      for (let i = 0; i < 5; i++) await nodes.members[0]!.request([RECEIPTS], startDeadline(20_000, 10_000));
      await nodes.members[1]!.request([logs], startDeadline(20_000, 10_000));
      proxies[1]!.resetCounts();
      const found = await nodes.request([logs, RECEIPTS], startDeadline(20_000, 10_000), 1);
      expect(found[0]).toMatchObject({ result: 'first' });
      expect(proxies[1]!.requests).toBe(0);
    });
  });

  test('is asked for it first while it serves other calls of the method', async () => {
    for (let i = 0; i < 9; i++) {
      responses.first = { error: { code: -32001, message: 'no' } };
      expect(await send(OTHER)).toEqual(['second']);
      responses.first = { result: 'first' };
      expect(await send(OTHER)).toEqual(['first']);
    }
  });
});

test('never includes a URL or its key in a log line, error or property', async () => {
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
    errors.push(await request().catch((error: unknown) => error));
  }
  open([`http://127.0.0.1:1/v3/${PROXY_KEY}`]);
  errors.push(await request().catch((error: unknown) => error));
  expect(errors).toHaveLength(5);
  for (const error of errors) expect(describeDeeply(error)).not.toMatch(new RegExp(`${PROXY_KEY}|127\\.0\\.0\\.1`));
  expect(JSON.stringify(lines)).not.toContain(PROXY_KEY);
});

/** Returns text, stack and all properties, including hidden ones and causes. */
function describeDeeply(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => {
    const value = (error as unknown as Record<string, unknown>)[name];
    return value instanceof Error ? describeDeeply(value) : JSON.stringify(value);
  });
  return [String(error), ...own].join('\n');
}
