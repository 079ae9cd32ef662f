/** Bad input of a node on a real connection: every kind is refused with a named cause by the clients of both chains. */
import { Agent } from 'undici';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { sendAltRpc } from '../src/adapters/alt-chain/rpc/json-rpc.ts';
import { MAIN_CHAIN_LIMITS } from '../src/adapters/main-chain/limits.ts';
import { sendMainRpc, type MainRpcCall } from '../src/adapters/main-chain/rpc/json-rpc.ts';
import { createMainNodes } from '../src/adapters/main-chain/rpc/main-nodes.ts';
import { createMainUpstreamCounters } from '../src/adapters/main-chain/rpc/upstream-counters.ts';
import { createCallBudget } from '../src/adapters/rpc/call-budget.ts';
import { REAL_STOPWATCH, startDeadline } from '../src/adapters/rpc/deadline.ts';
import { startRpcProxy } from '../testing/harness/rpc-proxy.ts';
import { createHttpPost, parseRpcUrl } from '../src/adapters/rpc/http-post.ts';
import { RpcFailure } from '../src/adapters/rpc/rpc-failure.ts';
import { HOSTILE_RESPONSES, startHostileNode, type HostileNode } from '../testing/harness/hostile-node.ts';

const dispatcher = new Agent();
afterAll(() => dispatcher.destroy());

let node: HostileNode;
afterEach(() => node.close());

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const call = (method: string): MainRpcCall => ({ method, params: [] });
const options = () => ({
  post: createHttpPost(dispatcher),
  signal: AbortSignal.timeout(60_000),
  maxResponseBytes: MAX_RESPONSE_BYTES,
});
const sendMain = (...methods: string[]) => sendMainRpc(parseRpcUrl(node.url), methods.map(call), options());
const sendAlt = (method: string) => sendAltRpc(parseRpcUrl(node.url), { method, params: [] }, options());

/** Causes other than `malformed`. */
const CAUSES: Readonly<Record<string, string>> = { 'a redirect': 'transport', 'a redirect with a result': 'transport' };

/** Kinds that exceed the size limit; a batch is then split. */
const ENDLESS = Object.keys(HOSTILE_RESPONSES).filter((name) => /endless|declared/.test(name));

describe.each(Object.keys(HOSTILE_RESPONSES))('%s', (name) => {
  const cause = CAUSES[name] ?? 'malformed';

  test('is refused by the main chain for a small call', async () => {
    node = await startHostileNode(HOSTILE_RESPONSES[name]!);
    const error = await sendMain('eth_blockNumber').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcFailure);
    expect(error).toMatchObject({ unreadable: cause, kind: 'failed' });
    expect(node.requests).toEqual({ own: 1, redirected: 0 });
  });

  test('is refused by the main chain for a batch', async () => {
    node = await startHostileNode(HOSTILE_RESPONSES[name]!);
    const answer = await sendMain('eth_blockNumber', 'eth_chainId').catch((reason: unknown) => reason);
    if (ENDLESS.includes(name)) {
      const tooLarge = { ok: false, code: 413, revertData: undefined, hint: 'too-large' };
      expect(answer).toEqual([tooLarge, tooLarge]);
    } else expect(answer).toMatchObject({ unreadable: cause });
  });

  test('is refused by the alt chain', async () => {
    node = await startHostileNode(HOSTILE_RESPONSES[name]!);
    const error = await sendAlt('getSlot').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcFailure);
    expect(error).toMatchObject({ unreadable: cause, kind: 'failed' });
  });
});

/** Kinds whose body does not start as JSON-RPC: a gateway in front of the node may have sent it. */
const OF_GATEWAY: ReadonlySet<string> = new Set([
  ...['an empty body', 'an HTML page', 'a redirect', 'a gzip bomb', 'a deflate bomb', 'a brotli bomb'],
  ...['a compressed result', 'a byte order mark', 'a text instead of an entry', 'a null body'],
]);

describe('a first node that is hostile', () => {
  const CHAIN_ID = '0x7a69';
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

  test.each(Object.keys(HOSTILE_RESPONSES))('leaves the answer to the second one: %s', async (name) => {
    node = await startHostileNode((calls, response) => {
      const [first] = calls;
      if (first!.method !== 'eth_chainId') HOSTILE_RESPONSES[name]!(calls, response);
      else response.end(JSON.stringify({ jsonrpc: '2.0', id: first!.id, result: CHAIN_ID }));
    });
    const honest = await startRpcProxy(({ method }) => ({ result: method === 'eth_chainId' ? CHAIN_ID : 'honest' }));
    const nodes = createMainNodes({
      rpcUrls: [node.url, honest.url],
      chainId: Number(CHAIN_ID),
      clock: { nowMilliseconds: () => 1_000_000 },
      log: silent,
      limits: MAIN_CHAIN_LIMITS,
      counters: createMainUpstreamCounters(),
      budget: createCallBudget({ clock: { nowMilliseconds: () => 1_000_000 }, stopwatch: REAL_STOPWATCH }),
    });
    try {
      for (const methods of [['eth_blockNumber'], ['eth_blockNumber', 'eth_getBalance'], ['eth_call']]) {
        const responses = await nodes.request(methods.map(call), startDeadline(60_000, 60_000));
        expect(responses).toEqual(methods.map(() => ({ ok: true, result: 'honest', node: 1 })));
      }
      // Its identity and one request, which is repeated twice where a gateway may have responded: the circuit breaker keeps the others away.
      expect(node.requests.own).toBe(OF_GATEWAY.has(name) ? 4 : 2);
    } finally {
      await Promise.all([nodes.close(), honest.close()]);
    }
  });
});

describe('a response beyond its limit', () => {
  test.each(ENDLESS)('ends the connection: %s', async (name) => {
    node = await startHostileNode(HOSTILE_RESPONSES[name]!);
    await sendAlt('getSlot').catch(() => undefined);
    await node.waitForDisconnect();
    expect(node.requests.own).toBe(1);
  });

  test.each(['eth_call', 'eth_getLogs'])('asks for a smaller query of %s', async (method) => {
    node = await startHostileNode(HOSTILE_RESPONSES['a declared length beyond the limit']!);
    expect(await sendMain(method)).toMatchObject([{ ok: false, hint: 'too-large' }]);
  });

  test('is 64 MiB for logs, and 1 MiB for a call', async () => {
    const text = `"${'0'.repeat(2 * 1024 * 1024)}"`;
    node = await startHostileNode(([sent], response) => {
      response.end(`{"jsonrpc":"2.0","id":${sent!.id},"result":${text}}`);
    });
    expect(await sendMain('eth_getLogs')).toMatchObject([{ ok: true }]);
    expect(await sendMain('eth_call')).toMatchObject([{ ok: false, hint: 'too-large' }]);
  });

  test('is 1 MiB for an HTTP error', async () => {
    node = await startHostileNode((_calls, response) => {
      response.writeHead(500).end(Buffer.alloc(2 * 1024 * 1024, ' '));
    });
    await expect(sendMain('eth_getLogs')).rejects.toMatchObject({ unreadable: 'transport' });
    await expect(sendAlt('getProgramAccounts')).rejects.toMatchObject({ unreadable: 'transport', kind: 'busy' });
  });
});

describe('an error of a node', () => {
  test.each([
    ['an object', '{"toString":1,"valueOf":1}'],
    ['a text of 500,000 characters', `"${'range '.repeat(80_000)}"`],
  ])('may have as its message %s', async (_, message) => {
    node = await startHostileNode(([sent], response) => {
      response.end(`{"jsonrpc":"2.0","id":${sent!.id},"error":{"code":-32602,"message":${message}}}`);
    });
    expect(await sendMain('eth_getLogs')).toMatchObject([{ ok: false, code: -32602 }]);
    await expect(sendAlt('getSlot')).rejects.toMatchObject({ unreadable: 'rpc-error', code: -32602 });
  });
});

describe('a batch', () => {
  const ok = { ok: true, result: '0x1' };
  const send = async (change: (ids: number[]) => unknown[]) => {
    node = await startHostileNode((calls, response) => {
      const entries = change(calls.map(({ id }) => id)).map((id) => ({ jsonrpc: '2.0', id, result: '0x1' }));
      response.end(JSON.stringify(entries));
    });
    return sendMain('eth_blockNumber', 'eth_chainId');
  };

  test('is refused with two entries of one id', async () => {
    await expect(send((ids) => [ids[0], ids[0]])).rejects.toMatchObject({ unreadable: 'malformed' });
  });

  test.each([
    ['a missing entry', (ids: number[]) => [ids[0]]],
    ['another id', (ids: number[]) => [ids[0], 0]],
  ])('lacks the response that %s leaves open', async (_, change) => {
    expect(await send(change)).toEqual([ok, undefined]);
  });

  test('ignores an entry that was not requested', async () => {
    expect(await send((ids) => [...ids, 0])).toEqual([ok, ok]);
  });
});

describe('an id as text', () => {
  const answerWith = async (toText: (id: number) => string) => {
    node = await startHostileNode(([sent], response) => {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: toText(sent!.id), result: '0x1' }));
    });
  };

  test('is accepted when it is the decimal text of the id that was sent', async () => {
    await answerWith(String);
    expect(await sendMain('eth_blockNumber')).toEqual([{ ok: true, result: '0x1' }]);
    expect(await sendAlt('getSlot')).toBe('0x1');
  });

  test.each([
    ['hex', (id: number) => `0x${id.toString(16)}`],
    ['a leading zero', (id: number) => `0${id}`],
    ['white space', (id: number) => ` ${id}`],
    ['a fraction', (id: number) => `${id}.0`],
  ])('is refused with %s', async (_, toText) => {
    await answerWith(toText);
    await expect(sendMain('eth_blockNumber')).rejects.toMatchObject({ unreadable: 'malformed' });
    await expect(sendAlt('getSlot')).rejects.toMatchObject({ unreadable: 'malformed' });
  });
});
