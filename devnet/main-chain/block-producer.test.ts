/** Block production of a devnet that runs for days: blocks on demand, and memory that stays flat while nothing happens. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RETAINED_STATES, startAnvil, type Anvil } from './anvil.ts';
import { createBlockProducer, IDLE_TICKS, TICK_MILLISECONDS, type BlockProducer } from './block-producer.ts';
import { createRpc, type Rpc } from './rpc.ts';

let anvil: Anvil;
let rpc: Rpc;
let producer: BlockProducer;

beforeEach(async () => {
  anvil = await startAnvil();
  rpc = createRpc(anvil.rpcUrl);
  producer = createBlockProducer(rpc);
});
afterEach(() => anvil.stop());

const toAccount = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
const readHeight = async () => Number(await rpc.request('eth_blockNumber'));
const send = () =>
  rpc.request('eth_sendTransaction', [{ from: toAccount(1), to: toAccount(2), gasPrice: '0x77359400', gas: '0x5208' }]);

/** The height after each tick. */
async function tick(times: number): Promise<number[]> {
  const heights: number[] = [];
  for (let count = 0; count < times; count++) {
    await producer.tick();
    heights.push(await readHeight());
  }
  return heights;
}

describe('an idle chain', () => {
  it('gets one block every 40 seconds', async () => {
    const heights = await tick(2 * IDLE_TICKS);
    expect((IDLE_TICKS * TICK_MILLISECONDS) / 1000).toBe(40);
    expect([heights[IDLE_TICKS - 2], heights[IDLE_TICKS - 1]]).toEqual([0, 1]);
    expect(heights.slice(-2)).toEqual([1, 2]);
  });
});

describe('a transaction', () => {
  it('is mined at the next tick and final two ticks later', async () => {
    await rpc.request('anvil_setBalance', [toAccount(1), '0xde0b6b3a7640000']);
    await producer.tick();
    await send();
    expect(await tick(5)).toEqual([1, 2, 3, 3, 3]);
    const { number } = await rpc.request<{ number: string }>('eth_getBlockByNumber', ['finalized', false]);
    expect(Number(number)).toBe(1);
  });

  it('is finalized in a block that another caller mined', async () => {
    await producer.tick();
    await rpc.request('evm_mine');
    expect(await tick(4)).toEqual([2, 3, 3, 3]);
  });
});

describe('the memory of a node', () => {
  const ACCOUNTS = 40;
  const SLOTS_PER_ACCOUNT = 250;
  const MEGABYTE = 2 ** 20;

  const readResident = () =>
    1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${anvil.pid}/status`, 'utf8'))![1]);

  async function mine(count: number): Promise<void> {
    for (let block = 0; block < count; block++) await rpc.request('evm_mine');
  }

  it('stays flat over the blocks of five idle hours, as only the newest states are retained', async () => {
    await rpc.batch(
      Array.from({ length: ACCOUNTS * SLOTS_PER_ACCOUNT }, (_, index) => ({
        method: 'anvil_setStorageAt',
        params: [toAccount(1000 + (index % ACCOUNTS)), `0x${index.toString(16)}`, `0x${'ab'.repeat(32)}`],
      })),
    );
    await mine(2 * RETAINED_STATES);
    const before = readResident();
    await mine(300);
    expect(readResident() - before).toBeLessThan(32 * MEGABYTE);

    const height = await readHeight();
    const readAt = (number: number) => rpc.request('eth_getBalance', [toAccount(1), `0x${number.toString(16)}`]);
    expect(await readAt(height - RETAINED_STATES / 2)).toBe('0x0');
    await expect(readAt(height - 2 * RETAINED_STATES)).rejects.toThrow();
    // Blocks remain available, because an index is filled from them.
    expect(await rpc.request('eth_getBlockByNumber', ['0x1', true])).toMatchObject({ number: '0x1' });
  });
});
