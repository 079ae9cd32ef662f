import { describe, expect, it } from 'vitest';
import type { ProxyCall, ProxyResponse } from '../rpc-proxy.ts';
import { createRestingNode } from './resting-node.ts';

/** Creates a cache in front of a chain of 16 blocks that counts its calls. */
function createNode() {
  const calls: string[] = [];
  let head = 16;
  const respond = ({ method, params }: ProxyCall): ProxyResponse => {
    calls.push(`${method} ${JSON.stringify(params)}`);
    if (method !== 'eth_getBlockByNumber') return { result: calls.length };
    const number = params[0] === 'latest' ? head : Number(params[0]);
    return { result: number > head ? null : { number: `0x${number.toString(16)}` } };
  };
  const node = createRestingNode(async (call) => respond(call));
  const grow = () =>
    node.grow(async () => {
      head += 1;
    });
  return { node, calls, grow };
}

const LATEST = { method: 'eth_getBlockByNumber', params: ['latest', false] };
const HASH = `0x${'1'.repeat(64)}`;

describe('a resting node', () => {
  it('reads each response once until the chain grows', async () => {
    const { node, calls, grow } = createNode();
    const [first, second] = await Promise.all([node.answer(LATEST), node.answer(LATEST)]);
    expect([first, second]).toEqual([{ result: { number: '0x10' } }, { result: { number: '0x10' } }]);
    expect(calls).toHaveLength(1);
    await grow();
    expect(await node.answer(LATEST)).toEqual({ result: { number: '0x11' } });
  });

  it.each([
    ['a block by number', { method: 'eth_getBlockReceipts', params: ['0x10'] }],
    ['state at a number', { method: 'eth_call', params: [{ data: '0x' }, '0x3'] }],
    ['state at a hash', { method: 'eth_call', params: [{ data: '0x' }, { blockHash: HASH }] }],
    ['logs of a range', { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x10' }] }],
    ['logs of a hash', { method: 'eth_getLogs', params: [{ blockHash: HASH }] }],
  ])('reads %s that exists once for good', async (_, call) => {
    const { node, grow } = createNode();
    await node.answer(LATEST);
    const before = await node.answer(call);
    await grow();
    expect(await node.answer(call)).toEqual(before);
  });

  it.each([
    ['a block that is not there yet', { method: 'eth_getBlockByNumber', params: ['0x11', false] }],
    ['state at a tag', { method: 'eth_call', params: [{ data: '0x' }, 'latest'] }],
    ['logs up to a block that is not there yet', { method: 'eth_getLogs', params: [{ toBlock: '0x11' }] }],
    ['a method without a block', { method: 'eth_chainId', params: [] }],
  ])('reads %s again after the chain grew', async (_, call) => {
    const { node, grow } = createNode();
    await node.answer(LATEST);
    const before = await node.answer(call);
    await grow();
    expect(await node.answer(call)).not.toEqual(before);
  });

  it('does not reuse a response that was read while the chain grew', async () => {
    const { node } = createNode();
    let during: ProxyResponse | undefined;
    await node.grow(async () => {
      during = await node.answer({ method: 'eth_chainId', params: [] });
    });
    expect(await node.answer({ method: 'eth_chainId', params: [] })).not.toEqual(during);
  });

  it('does not reuse a failure', async () => {
    let failures = 1;
    const node = createRestingNode(async () => {
      if (failures-- > 0) throw new Error('reset');
      return { result: { number: '0x1' } };
    });
    await expect(node.answer(LATEST)).rejects.toThrow('reset');
    expect(await node.answer(LATEST)).toEqual({ result: { number: '0x1' } });
  });
});
