/**
 * Contract of the payment source: what a source returns of transactions that a chain holds. Runs against imitated nodes
 * and against the real local chains.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfiguredSource } from '../../src/adapters/payment-sources/sources-file.ts';
import type { CitedTransaction, SourceTransfer } from '../../src/domain/rating/paid/source-transaction.ts';
import type { FinalizedHead } from '../../src/ports/payment-sources.ts';
import { openPaymentSource, type PaymentSourceHarness } from '../harness/payment-source.ts';
import type { ProxyCall, ProxyResponse } from '../harness/rpc-proxy.ts';

/** Chain with payments that were finalized before the test. */
export interface PaidChain {
  readonly node: string | ((call: ProxyCall) => ProxyResponse);
  readonly configured: Omit<ConfiguredSource, 'rpcUrls'>;
  /** Cited transactions by what they show. */
  readonly transactions: readonly {
    readonly about: string;
    readonly reference: string;
    readonly expected: CitedTransaction;
  }[];
  /** Reference of a transaction that is in no block. */
  readonly unknown: string;
  /** Newest block that must be finalized, and its time. */
  readonly finalized: FinalizedHead;
  /** Transfers of listed tokens in these blocks by the senders; undefined on Solana. */
  readonly transfers?: {
    readonly senders: readonly string[];
    readonly fromBlock: number;
    readonly throughBlock: number;
    readonly expected: readonly SourceTransfer[];
  };
  close(): Promise<void>;
}

const HOUR = 3_600;

export function describePaymentSource(name: string, start: () => Promise<PaidChain>): void {
  describe(`the payment source on ${name}`, () => {
    let chain: PaidChain;
    let harness: PaymentSourceHarness;

    beforeAll(async () => {
      chain = await start();
      harness = await openPaymentSource({ nodes: [chain.node], configured: chain.configured });
    });
    afterAll(async () => {
      await harness.close();
      await chain.close();
    });

    it('has the identity and the tokens of the configuration', () => {
      const { name: configuredName, id, kind, tokens } = chain.configured;
      expect(harness.source).toMatchObject({ name: configuredName, id: BigInt(id), kind });
      expect([...harness.source.tokens]).toEqual(tokens.map(({ symbol, address }) => [symbol, address]));
    });

    it('reports a finalized head that includes the payments', async () => {
      const head = await harness.source.readFinalizedHead();
      expect(head.block).toBeGreaterThanOrEqual(chain.finalized.block);
      expect(head.time).toBeGreaterThanOrEqual(chain.finalized.time);
    });

    it('returns every cited transaction as the chain holds it', async () => {
      expect(chain.transactions.length).toBeGreaterThan(1);
      const window = { fromTime: chain.finalized.time - HOUR, throughTime: chain.finalized.time };
      for (const { about, reference, expected } of chain.transactions) {
        expect(await harness.source.readTransaction(reference, window), about).toEqual(expected);
      }
    });

    it('states the absence of a transaction once its window has passed', async () => {
      const { time } = chain.finalized;
      const window = { fromTime: time - HOUR, throughTime: time - HOUR / 2 };
      expect(await harness.source.readTransaction(chain.unknown, window)).toBe('absent');
    });

    it('does not state the absence before its window has passed', async () => {
      const later = (await harness.source.readFinalizedHead()).time + HOUR;
      const window = { fromTime: chain.finalized.time - HOUR, throughTime: later };
      await expect(harness.source.readTransaction(chain.unknown, window)).rejects.toMatchObject({
        name: 'SourceUnreadable',
      });
    });

    it('passes its own check', async () => {
      expect(await harness.opened.check()).toMatchObject([{ position: 0, identity: 'expected', isDeep: true }]);
    });

    it('returns the transfers by sender where the chain has logs', async () => {
      const { transfers } = harness.source;
      expect(transfers === undefined).toBe(chain.transfers === undefined);
      if (transfers === undefined || chain.transfers === undefined) return;
      const { senders, fromBlock, throughBlock, expected } = chain.transfers;
      expect(await transfers.readTransfersFrom(senders, fromBlock, throughBlock)).toEqual(expected);
      const times = new Map(expected.map(({ block, time }) => [block, time]));
      for (const [block, time] of times) expect(await transfers.findBlock(time)).toBeLessThanOrEqual(block);
    });
  });
}
