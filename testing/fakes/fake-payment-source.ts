/** In-memory payment source: blocks of one length, transactions and transfers that tests place, and outages. */
import type { CitedTransaction, SourceTransfer } from '../../src/domain/rating/paid/source-transaction.ts';
import {
  SourceUnreadable,
  type CitationWindow,
  type FinalizedHead,
  type PaymentSource,
  type TransferReader,
  type TransfersRead,
} from '../../src/ports/payment-sources.ts';

export interface FakeSourceOptions {
  readonly name?: string;
  readonly id?: bigint;
  readonly kind?: 'evm' | 'solana';
  readonly tokens?: ReadonlyMap<string, string>;
  readonly blockSeconds?: number;
}

export class FakePaymentSource implements PaymentSource {
  readonly name: string;
  readonly id: bigint;
  readonly kind: 'evm' | 'solana';
  readonly tokens: ReadonlyMap<string, string>;
  readonly transfers: TransferReader | undefined;
  /** Names of the calls, in order. */
  readonly requests: string[] = [];
  /** Whether every call fails. */
  isDown = false;
  /** Name of calls that fail. */
  failing: string | undefined;
  /** Transactions that no node returns. */
  readonly unreadable = new Set<string>();
  /** Numbers of addresses and blocks of each read of transfers. */
  readonly windows: { readonly addresses: number; readonly blocks: number }[] = [];
  headBlock = 0;
  /** Transfers of one read; it ends after the block of the last one. */
  maxTransfers = Infinity;
  readonly #blockSeconds: number;
  readonly #transactions = new Map<string, CitedTransaction>();
  readonly #rows: SourceTransfer[] = [];

  constructor(options: FakeSourceOptions = {}) {
    this.name = options.name ?? 'eip155:8453';
    this.id = options.id ?? 8453n;
    this.kind = options.kind ?? 'evm';
    this.tokens = options.tokens ?? new Map([['USDC', `0x${'ee'.repeat(20)}`]]);
    this.#blockSeconds = options.blockSeconds ?? 1;
    this.transfers =
      this.kind === 'solana'
        ? undefined
        : {
            findBlock: (time, head) => this.#answer('block', () => this.#findBlock(time, head)),
            readTransfersFrom: (addresses, from, through) =>
              this.#answer('transfers', () => this.#listRows(addresses, from, through)),
          };
  }

  /** Sets the finalized head to the last block before or at a time. */
  finalizeAt(time: number): void {
    this.headBlock = Math.floor(time / this.#blockSeconds);
  }

  timeOf(block: number): number {
    return block * this.#blockSeconds;
  }

  put(reference: string, transaction: CitedTransaction): void {
    this.#transactions.set(reference, transaction);
  }

  putTransfer(row: SourceTransfer): void {
    this.#rows.push(row);
  }

  readFinalizedHead(): Promise<FinalizedHead> {
    return this.#answer('head', () => ({ block: this.headBlock, time: this.timeOf(this.headBlock) }));
  }

  readTransaction(reference: string, window: CitationWindow): Promise<CitedTransaction | 'absent'> {
    return this.#answer('transaction', () => {
      if (this.unreadable.has(reference)) throw new SourceUnreadable(this.name, 'transport');
      const found = this.#transactions.get(reference);
      if (found !== undefined && found.block <= this.headBlock) return found;
      // Without a head past the window there is no witness of absence.
      if (this.timeOf(this.headBlock) <= window.throughTime) throw new SourceUnreadable(this.name, 'no-head');
      return 'absent';
    });
  }

  #findBlock(time: number, head: FinalizedHead): number | undefined {
    if (head.time < time) return undefined;
    return this.#finalized(Math.ceil(time / this.#blockSeconds));
  }

  /** Returns the block. Throws `SourceUnreadable` when it is not finalized. */
  #finalized(block: number): number {
    if (block > this.headBlock) throw new SourceUnreadable(this.name, 'block-mismatch');
    return block;
  }

  #listRows(addresses: readonly string[], from: number, through: number): TransfersRead {
    this.windows.push({ addresses: addresses.length, blocks: this.#finalized(through) - from + 1 });
    const rows = this.#rows
      .filter((row) => addresses.includes(row.from) && row.block >= from && row.block <= through && row.units > 0n)
      .sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
    const last = rows.length > this.maxTransfers ? rows[this.maxTransfers - 1]!.block : through;
    return { transfers: rows.filter(({ block }) => block <= last), throughBlock: last };
  }

  async #answer<T>(name: string, answer: () => T): Promise<T> {
    this.requests.push(name);
    if (this.isDown || name === this.failing) throw new SourceUnreadable(this.name, 'transport');
    return Promise.resolve(answer());
  }
}
