import { describe, expect, it } from 'vitest';

import type { CitedTransaction } from '../../src/domain/rating/paid/source-transaction.ts';
import { FakePaymentSource } from './fake-payment-source.ts';

const sender = `0x${'0a'.repeat(20)}`;
const receiver = `0x${'0b'.repeat(20)}`;
const transferAt = (block: number, logIndex: number) => ({
  ...{ from: sender, to: receiver, token: 'USDC', units: 5n, block, logIndex, time: block },
});

function open() {
  const source = new FakePaymentSource();
  const transaction = { kind: 'evm', success: true, block: 1_000, time: 1_000, from: sender, logs: [] } as const;
  const transfers = [transferAt(900, 0), transferAt(900, 1), transferAt(950, 0)];
  source.put('0x01', transaction);
  for (const row of transfers) source.putTransfer(row);
  source.finalizeAt(2_000);
  const breakNodes = () => {
    source.isDown = true;
  };
  return { source, reference: '0x01', transaction, absentReference: '0x02', transfers, breakNodes };
}

describe('the fake payment source', () => {
  const windowOf = ({ time }: CitedTransaction) => ({ fromTime: time - 604_800, throughTime: time + 60 });

  it('returns a finalized head at or after its transactions', async () => {
    const { source, transaction } = open();
    const head = await source.readFinalizedHead();
    expect(head.block).toBeGreaterThanOrEqual(transaction.block);
    expect(head.time).toBeGreaterThan(transaction.time + 60);
  });

  it('returns a cited transaction whole', async () => {
    const { source, reference, transaction } = open();
    expect(await source.readTransaction(reference, windowOf(transaction))).toEqual(transaction);
  });

  it('returns absent for a reference without a transaction', async () => {
    const { source, absentReference, transaction } = open();
    expect(await source.readTransaction(absentReference, windowOf(transaction))).toBe('absent');
  });

  it('throws SourceUnreadable instead of returning absent before the head has passed the window', async () => {
    const { source, absentReference, transaction } = open();
    const head = await source.readFinalizedHead();
    const window = { fromTime: transaction.time - 604_800, throughTime: head.time };
    await expect(source.readTransaction(absentReference, window)).rejects.toMatchObject({ name: 'SourceUnreadable' });
  });

  it('throws SourceUnreadable with the name of the source while no URL answers', async () => {
    const { source, reference, transaction, breakNodes } = open();
    breakNodes();
    const failure = { name: 'SourceUnreadable', source: source.name };
    await expect(source.readFinalizedHead()).rejects.toMatchObject(failure);
    await expect(source.readTransaction(reference, windowOf(transaction))).rejects.toMatchObject(failure);
  });

  it('returns the transfers of the given senders and blocks in chain order', async () => {
    const { source, transfers } = open();
    const reader = source.transfers!;
    const [first, last] = [transfers[0]!, transfers.at(-1)!];
    const senders = [...new Set(transfers.map(({ from }) => from))];
    expect(await reader.readTransfersFrom(senders, first.block, last.block)).toEqual(transfers);
    expect(await reader.readTransfersFrom([`0x${'77'.repeat(20)}`], first.block, last.block)).toEqual([]);
    const ofFirst = transfers.filter(({ from, block }) => from === first.from && block === first.block);
    expect(await reader.readTransfersFrom([first.from], first.block, first.block)).toEqual(ofFirst);
  });

  it('finds the first block at or after a time', async () => {
    const { source, transaction } = open();
    const head = await source.readFinalizedHead();
    expect(await source.transfers!.findBlock(transaction.time)).toBe(transaction.block);
    expect(await source.transfers!.findBlock(head.time + 1)).toBeUndefined();
  });
});
