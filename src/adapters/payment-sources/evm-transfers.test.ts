/** Tests reads of very many transfers: in several ticks, in parts of bounded size, and without those of 0 units. */
import { expect, it } from 'vitest';
import { createTickCounter } from '../../../testing/harness/tick-counter.ts';
import { startDeadline } from '../rpc/deadline.ts';
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { TRANSFER_TOPIC } from '../../domain/rating/paid/transfer-log.ts';
import { LogRows } from '../main-chain/logs/log-rows.ts';
import type { RawLog } from '../main-chain/logs/raw-log.ts';
import type { MainRpcCall, RpcResponse } from '../main-chain/rpc/json-rpc.ts';
import { createEvmTransfers } from './evm-transfers.ts';

const [TOKEN, PAYER, PAYEE] = ['aa', '11', '22'].map((digits) => `0x${digits.repeat(20)}`) as [string, string, string];
const HASH = `0x${'cc'.repeat(32)}` as const;
const COUNT = 3_000;

const toWord = (hex: string) => `0x${hex.padStart(64, '0')}` as const;

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;

/** Transfers of one sender in one block, last first. */
class CountedRows extends LogRows {
  readonly counter = createTickCounter();
  readonly #block: number;
  readonly #sender: string;
  readonly #units: string;
  readonly #count: number;

  constructor(block: number, { sender = PAYER, units = '1', count = COUNT } = {}) {
    super(Buffer.alloc(0));
    this.#block = block;
    this.#sender = sender;
    this.#units = units;
    this.#count = count;
  }

  override *[Symbol.iterator](): Generator<RawLog, undefined> {
    for (let logIndex = this.#count - 1; logIndex >= 0; logIndex--) {
      this.counter.count();
      yield {
        address: TOKEN,
        topics: [TRANSFER_TOPIC, toWord(this.#sender.slice(2)), toWord(PAYEE.slice(2))],
        data: toWord(this.#units),
        blockNumber: this.#block,
        blockHash: HASH,
        logIndex,
        transactionHash: HASH,
        blockTimestamp: undefined,
      };
    }
  }
}

/** Opens a node with this head that returns the transfers of one sender in a single block only. */
function openTransfers(head: number, readRows: (block: number, sender: string) => CountedRows) {
  const headerOf = (number: number) => ({
    number: `0x${number.toString(16)}`,
    hash: HASH,
    parentHash: HASH,
    timestamp: '0x64',
    logsBloom: ZERO_BLOOM,
    receiptsRoot: HASH,
  });
  const readLogs = ({ fromBlock, toBlock, topics: [, [sender, ...others]] }: LogFilter): RpcResponse =>
    fromBlock === toBlock && others.length === 0
      ? { ok: true, result: readRows(Number(fromBlock), `0x${sender!.slice(-40)}`) }
      : { ok: false, code: -32_005, revertData: undefined, hint: 'too-large' };
  /** Numbers of headers by number in each request. */
  const headers: number[] = [];
  const respond = async (calls: readonly MainRpcCall[]) => {
    const numbered = calls.filter(({ method, params }) => method !== 'eth_getLogs' && params[0] !== 'finalized');
    if (numbered.length > 0) headers.push(numbered.length);
    return calls.map(({ method, params: [first] }) =>
      method === 'eth_getLogs'
        ? readLogs(first as LogFilter)
        : { ok: true as const, result: headerOf(first === 'finalized' ? head : Number(first)) },
    );
  };
  const readHead = async () => ({ block: head, time: 0 });
  const readTransfers = createEvmTransfers({
    urls: [
      { request: respond, requestTogether: respond, requestKnown: respond, head: { get: readHead, renew: readHead } },
    ],
    symbols: new Map([[TOKEN, 'USDC']]),
    startRead: () => startDeadline(60_000, 60_000),
    knownLogs: { find: async () => undefined, forget: () => undefined },
  });
  return { readTransfers, headers };
}

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly topics: readonly [string, readonly string[]];
}

it('reads the transfers of a long response in several ticks, and returns them in chain order', async () => {
  const rows = new CountedRows(7);
  const { readTransfers } = openTransfers(7, () => rows);
  expect(await readTransfers([PAYER], { fromBlock: 7, throughBlock: 7 })).toStrictEqual({
    transfers: Array.from({ length: COUNT }, (_, logIndex) => {
      return { from: PAYER, to: PAYEE, token: 'USDC', units: 1n, block: 7, logIndex, time: 100 };
    }),
    throughBlock: 7,
  });
  expect(rows.counter.most).toBeLessThanOrEqual(500);
});

it('ends a read after the block with which it has enough transfers, and continues there in the next one', async () => {
  const read: number[] = [];
  const { readTransfers } = openTransfers(500, (block) => {
    read.push(block);
    return new CountedRows(block);
  });
  for (const fromBlock of [1, 8]) {
    read.length = 0;
    const { transfers, throughBlock } = await readTransfers([PAYER], { fromBlock, throughBlock: 500 });
    expect([throughBlock, transfers.length, transfers.at(-1)!.block]).toEqual([fromBlock + 6, 21_000, fromBlock + 6]);
    expect(read).toEqual(Array.from({ length: 7 }, (_, i) => fromBlock + i));
  }
});

it('reads any number of transfers of 0 units, which anyone can emit, without the headers of their blocks', async () => {
  const { readTransfers, headers } = openTransfers(110, (block) => new CountedRows(block, { units: '0' }));
  const range = { fromBlock: 1, throughBlock: 110 };
  expect(await readTransfers([PAYER], range)).toEqual({ transfers: [], throughBlock: 110 });
  expect(headers).toEqual([]);
});

it('reads the headers of many blocks in parts, each with its own deadline', async () => {
  const { readTransfers, headers } = openTransfers(120, (block) => new CountedRows(block, { count: 1 }));
  const { transfers } = await readTransfers([PAYER], { fromBlock: 1, throughBlock: 120 });
  expect([transfers.length, headers]).toEqual([120, [50, 50, 20]]);
});

it('refuses a node that returns a long response for each of very many addresses', async () => {
  const senders = Array.from({ length: 500 }, (_, i) => addressOf(i + 1));
  const read: string[] = [];
  const { readTransfers } = openTransfers(1, (block, sender) => {
    read.push(sender);
    return new CountedRows(block, { sender });
  });
  await expect(readTransfers(senders, { fromBlock: 1, throughBlock: 1 })).rejects.toThrow('malformed');
  expect(read).toHaveLength(300_000 / COUNT + 1);
});
