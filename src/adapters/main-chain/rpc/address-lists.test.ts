/** Log queries at a node that accepts one address: their parts together have the limit of one response. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  startHttpNode,
  toError,
  toResult,
  type HttpNode,
  type HttpNodeCall,
} from '../../../../testing/harness/http-node.ts';
import { createCallBudget } from '../../rpc/call-budget.ts';
import { REAL_STOPWATCH, startDeadline } from '../../rpc/deadline.ts';
import { MAIN_CHAIN_LIMITS } from '../limits.ts';
import { LogRows, readLogRows } from '../logs/log-rows.ts';
import type { MainRpcCall, RpcResponse } from './json-rpc.ts';
import { createMainNodes, type MainNodes } from './main-nodes.ts';
import { createMainUpstreamCounters } from './upstream-counters.ts';

const MAX_RESPONSE_BYTES = 20_000;
const ADDRESSES = ['11', '22', '33', '44', '55', '66', '77', '88'].map((byte) => `0x${byte.repeat(20)}`);
const HASH = `0x${'ab'.repeat(32)}`;

let node: HttpNode;
let nodes: MainNodes;
/** Blocks in which each address has one log. */
let blocks: number;
/** Whether the node serves batches. */
let isBatching: boolean;

beforeEach(async () => {
  blocks = 20;
  isBatching = true;
  node = await startHttpNode((calls, isBatch) => {
    if (isBatch && !isBatching) return { body: toError(calls[0]!.id, -32005, 'no batches') };
    const responses = calls.map(respond);
    return { body: isBatch ? responses : responses[0] };
  });
  const clock = { nowMilliseconds: Date.now };
  nodes = createMainNodes({
    rpcUrls: [node.url],
    chainId: 1,
    clock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    limits: { ...MAIN_CHAIN_LIMITS, maxResponseBytes: MAX_RESPONSE_BYTES },
    counters: createMainUpstreamCounters(),
    budget: createCallBudget({ clock, stopwatch: REAL_STOPWATCH }),
  });
});
afterEach(async () => {
  await nodes.close();
  await node.close();
});

function respond(call: HttpNodeCall): object {
  if (call.method !== 'eth_getLogs') return toResult(call, '0x1');
  const [address, ...others] = [(call.params[0] as { readonly address: string | string[] }).address].flat();
  if (others.length > 0) return toError(call.id, -32602, 'invalid params');
  return toResult(
    call,
    Array.from({ length: blocks }, (_, i) => ({
      address,
      topics: [HASH],
      data: '0x',
      blockNumber: `0x${(i + 1).toString(16)}`,
      blockHash: HASH,
      logIndex: `0x${ADDRESSES.indexOf(address!).toString(16)}`,
      transactionHash: HASH,
    })),
  );
}

const logsOf = (address: readonly string[]): MainRpcCall => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: '0x1', toBlock: '0x100', address }],
  read: readLogRows,
});
const send = (...calls: readonly MainRpcCall[]) => nodes.request(calls, startDeadline(20_000, 10_000));

/** Returns block number and index of each log; the hint of an error. */
function summarize(response: RpcResponse | undefined): unknown {
  if (response?.ok !== true) return response?.hint;
  if (!(response.result instanceof LogRows)) return response.result;
  return [...response.result].map(({ blockNumber, logIndex }) => [blockNumber, logIndex]);
}

describe('a query for several addresses at a node that accepts one', () => {
  const HEAD: MainRpcCall = { method: 'eth_blockNumber', params: [] };

  test('has the logs of all addresses in chain order', async () => {
    const [found] = await send(logsOf(ADDRESSES.slice(0, 3)));
    expect(summarize(found)).toEqual(
      Array.from({ length: blocks }, (_, i) => [0, 1, 2].map((logIndex) => [i + 1, logIndex])).flat(),
    );
  });

  test.each([true, false])(
    'is too large when its logs exceed one response in sum, and other calls are answered, in batches: %o',
    async (batches) => {
      isBatching = batches;
      blocks = 40;
      await send(logsOf(ADDRESSES.slice(0, 2)));
      node.requests.length = 0;
      const found = await send(HEAD, logsOf(ADDRESSES), logsOf(ADDRESSES.slice(0, 1)));
      const one = Array.from({ length: blocks }, (_, i) => [i + 1, 0]);
      expect(found.map(summarize)).toEqual(['0x1', 'too-large', one]);
      // The parts that follow are not requested.
      if (!batches) expect(JSON.stringify(node.requests)).not.toContain(ADDRESSES[7]);
      blocks = 5;
      expect((await send(logsOf(ADDRESSES)))[0]).toMatchObject({ ok: true });
    },
  );
});
