/**
 * Port of payment sources: the chains on which cited payments are followed (design/scoring.md, Sources and payout accounts). Implemented by
 * `adapters/payment-sources`. Everything read is final, so that a result never changes.
 *
 * Account and contract addresses are canonical texts: `0x` and 40 lower-case hex digits on EVM sources, base58 on Solana sources.
 */
import type { UnreadableCause } from '../domain/faults.ts';
import type { CitedTransaction, SourceTransfer } from '../domain/rating/paid/source-transaction.ts';

/** Thrown when no URL of a source answers as promised. The message names the source, never a URL. */
export class SourceUnreadable extends Error {
  readonly source: string;
  readonly problem: UnreadableCause;

  constructor(source: string, problem: UnreadableCause) {
    super(`payment source ${source} unreadable: ${problem}`);
    this.name = 'SourceUnreadable';
    this.source = source;
    this.problem = problem;
  }
}

/** Newest finalized block (or slot) of a source, with its time in Unix seconds. */
export interface FinalizedHead {
  readonly block: number;
  readonly time: number;
}

/**
 * Times between which a citation may refer to a payment. A URL is a witness of absence only if its finalized head is later than
 * `throughTime` and its history reaches back to the first block at or after `fromTime`.
 */
export interface CitationWindow {
  readonly fromTime: number;
  readonly throughTime: number;
}

export interface TransfersRead {
  /** In chain order. */
  readonly transfers: readonly SourceTransfer[];
  /** Block through which all of them are read: an earlier one than asked for where there are very many. */
  readonly throughBlock: number;
}

/** Transfers of an EVM source by sender. */
export interface TransferReader {
  /**
   * Returns the first block at or after a time, up to a finalized head; undefined when that head is earlier. Throws
   * `SourceUnreadable`.
   */
  findBlock(time: number, head: FinalizedHead): Promise<number | undefined>;
  /**
   * Reads the transfers of more than 0 units of listed tokens that the addresses sent in the finalized blocks, both ends included. At most
   * 500 addresses and 5,000 blocks per call. Throws `SourceUnreadable`.
   */
  readTransfersFrom(addresses: readonly string[], fromBlock: number, throughBlock: number): Promise<TransfersRead>;
}

export interface PaymentSource {
  /** CAIP-2. */
  readonly name: string;
  /** The `source_chain_id` of events that cite its transactions. */
  readonly id: bigint;
  readonly kind: 'evm' | 'solana';
  /** Contract or mint address by symbol. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Returns the latest finalized head of its URLs. Throws `SourceUnreadable`. */
  readFinalizedHead(): Promise<FinalizedHead>;
  /**
   * Returns a cited transaction as of finalized blocks; `reference` is the transaction hash (EVM, `0x` and 64 lower-case hex digits) or the
   * signature (Solana, base58). 'absent' requires one witness and no URL that finds it. A transaction outside the window is returned as
   * found. Throws `SourceUnreadable`.
   */
  readTransaction(reference: string, window: CitationWindow): Promise<CitedTransaction | 'absent'>;
  /** Undefined on Solana. */
  readonly transfers: TransferReader | undefined;
}

export interface PaymentSources {
  /** SHA-256 of the canonical configuration without URLs, in hex; null without sources. */
  readonly hash: string | null;
  readonly list: readonly PaymentSource[];
}
