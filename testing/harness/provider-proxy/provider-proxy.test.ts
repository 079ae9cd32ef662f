/** Provider proxy: what passes through it, how behaviors compose, and what a client of the documented refusals receives. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ProxyCall, ProxyResponse } from '../rpc-proxy.ts';
import { ALT_BEHAVIORS } from './alt-behaviors.ts';
import { stateless, type Behavior } from './behavior.ts';
import { MAIN_BEHAVIORS } from './behaviors.ts';
import { startProviderProxy, type ProviderProxy } from './provider-proxy.ts';

const HEAD = 200;

/** Answers as a node with one log in each block. */
function answerAsNode({ method, params }: ProxyCall): ProxyResponse {
  const hex = (value: number) => `0x${value.toString(16)}`;
  if (method === 'eth_getBlockByNumber') {
    const number = params[0] === 'latest' ? HEAD : Number(params[0]);
    return { result: { number: hex(number), hash: hex(number), logsBloom: '0x1', receiptsRoot: '0x2' } };
  }
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock } = params[0] as { readonly fromBlock: string; readonly toBlock: string };
    const numbers = Array.from({ length: Number(toBlock) - Number(fromBlock) + 1 }, (_, i) => Number(fromBlock) + i);
    return { result: numbers.map((number) => ({ blockNumber: hex(number), blockTimestamp: '0x1' })) };
  }
  return { result: method };
}

const open: ProviderProxy[] = [];
afterEach(async () => {
  for (const proxy of open.splice(0)) await proxy.close();
});

/** Starts a proxy with the named behaviors. */
async function start(...names: string[]): Promise<ProviderProxy> {
  const behaviors = names.map((name) => [...MAIN_BEHAVIORS, ...ALT_BEHAVIORS].find((each) => each.name === name)!);
  const proxy = await startProviderProxy(answerAsNode, behaviors);
  open.push(proxy);
  return proxy;
}

async function send({ url }: ProviderProxy, payload: unknown): Promise<{ status: number; json: unknown }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(payload) });
  return { status: response.status, json: await response.json().catch(() => undefined) };
}

const call = (id: number, method = 'm', params: readonly unknown[] = []) => ({ jsonrpc: '2.0', id, method, params });
const batch = (size: number) => Array.from({ length: size }, (_, id) => call(id + 1));
const logs = (from: number, to: number) =>
  call(1, 'eth_getLogs', [{ fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }]);

describe('the proxy', () => {
  it('passes single calls and batches through and counts them', async () => {
    const proxy = await start();
    expect(await send(proxy, call(7))).toEqual({ status: 200, json: { jsonrpc: '2.0', id: 7, result: 'm' } });
    expect((await send(proxy, batch(3))).json).toHaveLength(3);
    expect([proxy.requests, proxy.calls.get('m')]).toEqual([2, 4]);
  });

  it('applies the first behavior as the outermost', async () => {
    const append = (text: string): Behavior =>
      stateless(text, 'a test', {
        answer: async (each, next) => ({
          result: `${((await next(each)) as { readonly result: string }).result}${text}`,
        }),
      });
    const proxy = await startProviderProxy(answerAsNode, [append('a'), append('b')]);
    open.push(proxy);
    expect((await send(proxy, call(1))).json).toEqual({ jsonrpc: '2.0', id: 1, result: 'mba' });
  });

  it('sends calls to a node at a URL and returns its errors', async () => {
    const node = await start('logs-off-bnb');
    const proxy = await startProviderProxy(node.url, []);
    open.push(proxy);
    const { json } = await send(proxy, [call(5), logs(1, 2)]);
    expect(json).toEqual([
      { jsonrpc: '2.0', id: 5, result: 'm' },
      { jsonrpc: '2.0', id: 1, error: { code: -32_005, message: 'limit exceeded' } },
    ]);
  });
});

describe('the behaviors', () => {
  it('have distinct names, at least 30 for the main chain', () => {
    const names = [...MAIN_BEHAVIORS, ...ALT_BEHAVIORS].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(MAIN_BEHAVIORS.length).toBeGreaterThanOrEqual(30);
  });

  it.each([
    ['batch-limit-geth', 200, { jsonrpc: '2.0', id: 1, error: { code: -32_600, message: 'batch too large' } }],
    ['batch-limit-proxyd', 413, { error: { code: -32_014 } }],
    ['batch-limit-drpc', 500, { code: 31 }],
    ['batch-limit-array-of-one', 200, [{ id: null }]],
    ['batch-limit-gnosis', 200, { id: null, error: { message: 'Too many ["m"] methods in the batch' } }],
    ['batches-off-http-400', 400, undefined],
  ])('refuse long batches: %s', async (name, status, json) => {
    const refused = await send(await start(name), batch(11));
    expect(refused.status).toBe(status);
    if (json === undefined) expect(refused.json).toBeUndefined();
    else expect(refused.json).toMatchObject(json);
  });

  it('answer the calls before the limit of a batch and refuse the others', async () => {
    const { json } = await send(await start('batch-timeout-geth'), batch(12));
    expect((json as object[]).filter((item) => 'result' in item)).toHaveLength(10);
  });

  it.each([
    ['logs-32-frontier', 33, 34],
    ['logs-50-besu', 50, 51],
    ['logs-results-infura', 60, 61],
  ])('limit log queries: %s passes %i blocks, not %i', async (name, passing, refused) => {
    const proxy = await start(name);
    expect((await send(proxy, logs(10, 9 + passing))).json).toHaveProperty('result');
    expect((await send(proxy, logs(10, 9 + refused))).json).toHaveProperty('error');
  });

  it('suggest a range that passes', async () => {
    const proxy = await start('logs-results-infura');
    const { json } = await send(proxy, logs(10, 150));
    expect(json).toMatchObject({ error: { code: -32_005, data: { from: '0xa', to: '0x45', limit: 60 } } });
    expect((await send(proxy, logs(0xa, 0x45))).json).toHaveProperty('result');
  });

  it('send their own status for their own refusals only', async () => {
    const proxy = await start('logs-timeout-504', 'logs-address-required');
    expect((await send(proxy, logs(0, 40))).status).toBe(504);
    expect(await send(proxy, logs(0, 39))).toMatchObject({ status: 200, json: { error: { code: -32_701 } } });
  });

  it('refuse calls beyond the rate and count each call of a batch', async () => {
    const proxy = await start('rate-429-seconds');
    expect((await send(proxy, batch(25))).status).toBe(200);
    const { status } = await send(proxy, batch(25));
    expect(status).toBe(429);
  });

  it('reset connections', async () => {
    await expect(send(await start('batch-limit-reset'), batch(11))).rejects.toThrow('fetch failed');
  });

  it('compose in pairs', async () => {
    const proxy = await start('ids-as-text', 'zero-blooms');
    const { json } = await send(proxy, call(4, 'eth_getBlockByNumber', ['0x5', false]));
    expect(json).toMatchObject({
      id: '4',
      result: { number: '0x5', logsBloom: expect.stringMatching(/^0x0+$/) as string },
    });
  });
});
