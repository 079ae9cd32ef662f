/** Tests that the transfers in a long response are read in several ticks. */
import { expect, it } from 'vitest';
import { createTickCounter } from '../../../testing/harness/tick-counter.ts';
import { startDeadline } from '../rpc/deadline.ts';
import { ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { TRANSFER_TOPIC } from '../../domain/rating/paid/transfer-log.ts';
import { LogRows } from '../main-chain/logs/log-rows.ts';
import type { RawLog } from '../main-chain/logs/raw-log.ts';
import type { MainRpcCall } from '../main-chain/rpc/json-rpc.ts';
import { createEvmTransfers } from './evm-transfers.ts';

const [TOKEN, PAYER, PAYEE] = ['aa', '11', '22'].map((digits) => `0x${digits.repeat(20)}`) as [string, string, string];
const HASH = `0x${'cc'.repeat(32)}` as const;
const COUNT = 3_000;

const toWord = (hex: string) => `0x${hex.padStart(64, '0')}` as const;

/** Transfers of one unit each in block 7, last first. */
class CountedRows extends LogRows {
  readonly counter = createTickCounter();

  override *[Symbol.iterator](): Generator<RawLog, undefined> {
    for (let logIndex = COUNT - 1; logIndex >= 0; logIndex--) {
      this.counter.count();
      yield {
        address: TOKEN,
        topics: [TRANSFER_TOPIC, toWord(PAYER.slice(2)), toWord(PAYEE.slice(2))],
        data: toWord('1'),
        blockNumber: 7,
        blockHash: HASH,
        logIndex,
        transactionHash: HASH,
        blockTimestamp: undefined,
      };
    }
  }
}

it('reads the transfers of a long response in several ticks, and returns them in chain order', async () => {
  const rows = new CountedRows(Buffer.alloc(0));
  const header = {
    number: '0x7',
    hash: HASH,
    parentHash: HASH,
    timestamp: '0x64',
    logsBloom: ZERO_BLOOM,
    receiptsRoot: HASH,
  };
  const respond = async (calls: readonly MainRpcCall[]) =>
    calls.map(({ method }) => ({ ok: true as const, result: method === 'eth_getLogs' ? rows : header }));
  const readTransfers = createEvmTransfers({
    urls: [{ request: respond, requestTogether: respond }],
    symbols: new Map([[TOKEN, 'USDC']]),
    startRead: () => startDeadline(60_000, 60_000),
  });
  expect(await readTransfers([PAYER], { fromBlock: 7, throughBlock: 7 })).toStrictEqual(
    Array.from({ length: COUNT }, (_, logIndex) => {
      return { from: PAYER, to: PAYEE, token: 'USDC', units: 1n, block: 7, logIndex, time: 100 };
    }),
  );
  expect(rows.counter.most).toBeLessThanOrEqual(500);
});
