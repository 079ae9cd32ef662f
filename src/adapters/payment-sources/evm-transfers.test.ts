/** Tests that the transfers in a long response are read in several ticks. */
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

/** Transfers of one unit each in one block, last first. */
class CountedRows extends LogRows {
  readonly counter = createTickCounter();
  readonly #block: number;

  constructor(block: number) {
    super(Buffer.alloc(0));
    this.#block = block;
  }

  override *[Symbol.iterator](): Generator<RawLog, undefined> {
    for (let logIndex = COUNT - 1; logIndex >= 0; logIndex--) {
      this.counter.count();
      yield {
        address: TOKEN,
        topics: [TRANSFER_TOPIC, toWord(PAYER.slice(2)), toWord(PAYEE.slice(2))],
        data: toWord('1'),
        blockNumber: this.#block,
        blockHash: HASH,
        logIndex,
        transactionHash: HASH,
        blockTimestamp: undefined,
      };
    }
  }
}

/** Opens a node with this head that returns rows for a single block only. */
function openTransfers(head: number, readRows: (block: number) => CountedRows) {
  const header = {
    number: `0x${head.toString(16)}`,
    hash: HASH,
    parentHash: HASH,
    timestamp: '0x64',
    logsBloom: ZERO_BLOOM,
    receiptsRoot: HASH,
  };
  const readLogs = ([{ fromBlock, toBlock }]: readonly [{ fromBlock: string; toBlock: string }]): RpcResponse =>
    fromBlock === toBlock
      ? { ok: true, result: readRows(Number(fromBlock)) }
      : { ok: false, code: -32_005, revertData: undefined, hint: 'too-large' };
  const respond = async (calls: readonly MainRpcCall[]) =>
    calls.map(({ method, params }) =>
      method === 'eth_getLogs' ? readLogs(params as never) : { ok: true as const, result: header },
    );
  return createEvmTransfers({
    urls: [{ request: respond, requestTogether: respond }],
    symbols: new Map([[TOKEN, 'USDC']]),
    startRead: () => startDeadline(60_000, 60_000),
  });
}

it('reads the transfers of a long response in several ticks, and returns them in chain order', async () => {
  const rows = new CountedRows(7);
  const readTransfers = openTransfers(7, () => rows);
  expect(await readTransfers([PAYER], { fromBlock: 7, throughBlock: 7 })).toStrictEqual(
    Array.from({ length: COUNT }, (_, logIndex) => {
      return { from: PAYER, to: PAYEE, token: 'USDC', units: 1n, block: 7, logIndex, time: 100 };
    }),
  );
  expect(rows.counter.most).toBeLessThanOrEqual(500);
});

it('refuses a node that returns long responses for very many blocks', async () => {
  const read: number[] = [];
  const readTransfers = openTransfers(500, (block) => {
    read.push(block);
    return new CountedRows(block);
  });
  await expect(readTransfers([PAYER], { fromBlock: 1, throughBlock: 500 })).rejects.toThrow('malformed');
  // Parts of a window that was halved are counted by themselves before they are joined.
  expect(read.length).toBeLessThan((2 * 300_000) / COUNT);
});
