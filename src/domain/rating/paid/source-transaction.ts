/** Transactions and transfers of payment sources, as a verdict depends on them (design/scoring.md, Verdict). */

/** One log of a receipt, as the node returned it except that all hex digits are lower-case. */
export interface SourceLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** One entry of `preTokenBalances` or `postTokenBalances`. */
export interface SourceBalance {
  readonly mint: string;
  /** Null where the node recorded none. */
  readonly owner: string | null;
  readonly units: bigint;
}

export interface EvmTransaction {
  readonly kind: 'evm';
  /** Whether the receipt's status is 1. */
  readonly success: boolean;
  readonly block: number;
  /** Block time in Unix seconds. */
  readonly time: number;
  readonly from: string;
  /** Logs of listed tokens in their order; 'too_many' when the receipt has more than `PAYMENT.maxLogs` logs of any contract. */
  readonly logs: readonly SourceLog[] | 'too_many';
}

export interface SolanaTransaction {
  readonly kind: 'solana';
  /** False for an error and for a version that is not supported. */
  readonly success: boolean;
  /** Its slot. */
  readonly block: number;
  /** Time of the slot in Unix seconds. */
  readonly time: number;
  readonly signers: readonly string[];
  /** Balances of listed mints before and after; null when the node recorded none. */
  readonly pre: readonly SourceBalance[] | null;
  readonly post: readonly SourceBalance[] | null;
}

export type CitedTransaction = EvmTransaction | SolanaTransaction;

/** One `Transfer` log of a listed token. */
export interface SourceTransfer {
  readonly from: string;
  readonly to: string;
  /** Symbol. */
  readonly token: string;
  readonly units: bigint;
  readonly block: number;
  /** Position of the log in its block. */
  readonly logIndex: number;
  /** Block time in Unix seconds. */
  readonly time: number;
}
