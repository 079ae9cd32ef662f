/**
 * Fault switches of the local alt chain, for tests and simulations while the node runs (chain-svm 8 and 9). All start off; `clear` turns
 * them off again.
 */

/** Fault that replaces the response to one request. */
export type RequestFault =
  /** 429; `retryAfterSeconds` is the header, absent when undefined. */
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds?: number | undefined }
  | { readonly kind: 'http-error'; readonly status: number }
  /** The connection stays open without a response until the client disconnects or the node stops. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'malformed-json' }
  | { readonly kind: 'rpc-error'; readonly code: number; readonly message: string };

export interface NodeFaults {
  /** Called for every call, also within a batch; the first fault applies to the whole request. */
  request: ((method: string, params: readonly unknown[]) => RequestFault | undefined) | undefined;
  /** Replaces the genesis hash. */
  genesisHash: string | undefined;
  /** Number of slots that the node lags behind, at most 900. */
  slotsBehind: number;
  /** First slot that is not pruned; earlier ones have no rows, transactions or blocks. */
  firstAvailableBlock: number;
  /** Signatures for which `getTransaction` returns null. */
  readonly unknownTransactions: Set<string>;
  /** Signatures and account addresses that lists omit. */
  readonly missingRows: Set<string>;
  /** Signatures and account addresses that lists return twice in a row. */
  readonly duplicateRows: Set<string>;
  /** Signature lists are newest slot first, but within a slot oldest transaction first. */
  oldestFirstInSlot: boolean;
  /** Signatures that are unknown as `before`: a page before one of them is empty. */
  readonly unknownBefore: Set<string>;
  /** Signatures whose logs are null, or are truncated after `keep` entries with `Log truncated`. */
  readonly logs: Map<string, 'null' | { readonly keep: number }>;
  /** Slots without a known time: null in lists, transactions, blocks and `getBlockTime`. */
  readonly untimedSlots: Set<number>;
  clear(): void;
}

export function createNodeFaults(): NodeFaults {
  const faults: NodeFaults = {
    request: undefined,
    genesisHash: undefined,
    slotsBehind: 0,
    firstAvailableBlock: 0,
    oldestFirstInSlot: false,
    unknownTransactions: new Set(),
    missingRows: new Set(),
    duplicateRows: new Set(),
    unknownBefore: new Set(),
    logs: new Map(),
    untimedSlots: new Set(),
    clear() {
      faults.request = undefined;
      faults.genesisHash = undefined;
      faults.slotsBehind = 0;
      faults.firstAvailableBlock = 0;
      faults.oldestFirstInSlot = false;
      faults.unknownTransactions.clear();
      faults.missingRows.clear();
      faults.duplicateRows.clear();
      faults.unknownBefore.clear();
      faults.logs.clear();
      faults.untimedSlots.clear();
    },
  };
  return faults;
}
