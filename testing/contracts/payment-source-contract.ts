/** Contract of `PaymentSource`: registers the tests of `ports/payment-sources` for one implementation. */
import { describe, expect, it } from 'vitest';
import type { CitedTransaction, SourceTransfer } from '../../src/domain/rating/paid/source-transaction.ts';
import type { PaymentSource } from '../../src/ports/payment-sources.ts';

/** A source with one transaction and some transfers, all finalized. */
export interface PaymentSourceWorld {
  readonly source: PaymentSource;
  /** A transaction of the source, and its reference. */
  readonly reference: string;
  readonly transaction: CitedTransaction;
  /** A well-formed reference that no transaction has. */
  readonly absentReference: string;
  /** Transfers of listed tokens in chain order, at least two; empty on Solana. */
  readonly transfers: readonly SourceTransfer[];
  /** Makes every URL fail. */
  readonly breakNodes: () => void;
}

export function testPaymentSource(name: string, open: () => Promise<PaymentSourceWorld>): void {
  describe(`${name}, as a payment source`, () => {
    const windowOf = ({ time }: CitedTransaction) => ({ fromTime: time - 604_800, throughTime: time + 60 });

    it('returns a finalized head at or after its transactions', async () => {
      const { source, transaction } = await open();
      const head = await source.readFinalizedHead();
      expect(head.block).toBeGreaterThanOrEqual(transaction.block);
      expect(head.time).toBeGreaterThan(transaction.time + 60);
    });

    it('returns a cited transaction whole', async () => {
      const { source, reference, transaction } = await open();
      expect(await source.readTransaction(reference, windowOf(transaction))).toEqual(transaction);
    });

    it('returns absent for a reference without a transaction', async () => {
      const { source, absentReference, transaction } = await open();
      expect(await source.readTransaction(absentReference, windowOf(transaction))).toBe('absent');
    });

    it('throws SourceUnreadable instead of returning absent before the head has passed the window', async () => {
      const { source, absentReference, transaction } = await open();
      const head = await source.readFinalizedHead();
      const window = { fromTime: transaction.time - 604_800, throughTime: head.time };
      await expect(source.readTransaction(absentReference, window)).rejects.toMatchObject({ name: 'SourceUnreadable' });
    });

    it('throws SourceUnreadable with the name of the source while no URL answers', async () => {
      const { source, reference, transaction, breakNodes } = await open();
      breakNodes();
      const failure = { name: 'SourceUnreadable', source: source.name };
      await expect(source.readFinalizedHead()).rejects.toMatchObject(failure);
      await expect(source.readTransaction(reference, windowOf(transaction))).rejects.toMatchObject(failure);
    });

    it('returns the transfers of the given senders and blocks in chain order', async () => {
      const { source, transfers } = await open();
      const reader = source.transfers;
      if (reader === undefined) {
        expect([source.kind, transfers]).toEqual(['solana', []]);
        return;
      }
      const [first, last] = [transfers[0]!, transfers.at(-1)!];
      const senders = [...new Set(transfers.map(({ from }) => from))];
      const read = (from: readonly string[], through: number) => reader.readTransfersFrom(from, first.block, through);
      const throughBlock = last.block;
      expect(await read(senders, throughBlock)).toEqual({ transfers, throughBlock });
      expect(await read([`0x${'77'.repeat(20)}`], throughBlock)).toEqual({ transfers: [], throughBlock });
      const ofFirst = transfers.filter(({ from, block }) => from === first.from && block === first.block);
      expect(await read([first.from], first.block)).toEqual({ transfers: ofFirst, throughBlock: first.block });
    });

    it('finds the first block at or after a time, up to a head', async () => {
      const { source, transaction } = await open();
      if (source.transfers === undefined) return;
      const head = await source.readFinalizedHead();
      expect(await source.transfers.findBlock(transaction.time, head)).toBe(transaction.block);
      expect(await source.transfers.findBlock(head.time + 1, head)).toBeUndefined();
    });
  });
}
