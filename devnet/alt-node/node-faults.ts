/**
 * How does a node misbehave? Switches that tests and simulations turn while the node runs (chain-svm 8 and 9). All of them
 * start off; `clear` turns them off again.
 */

/** What one request meets instead of an answer. */
export type RequestFault =
  /** 429; `retryAfterSeconds` is the header, absent when undefined. */
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds?: number | undefined }
  | { readonly kind: 'http-error'; readonly status: number }
  /** The connection stays open and silent until the caller gives up or the node stops. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'malformed-json' }
  | { readonly kind: 'rpc-error'; readonly code: number; readonly message: string };

export interface NodeFaults {
  /** Asked for every call, a batch call by call; the first fault that is one befalls the whole request. */
  request: ((method: string, params: readonly unknown[]) => RequestFault | undefined) | undefined;
  /** Told instead of the genesis hash. */
  genesisHash: string | undefined;
  /** The node answers as if it were this many slots behind, at most 900. */
  slotsBehind: number;
  /** Slots below this are pruned: no rows, no transactions, no blocks. */
  firstAvailableBlock: number;
  /** Signatures that `getTransaction` answers with null. */
  readonly unknownTransactions: Set<string>;
  /** Signatures that lists of signatures leave out, and addresses that lists of a program's accounts leave out. */
  readonly missingRows: Set<string>;
  /** The same, told twice, one after the other. */
  readonly duplicateRows: Set<string>;
  /** Lists of signatures begin with the newest slot, but tell each slot from its first transaction on. */
  oldestFirstInSlot: boolean;
  /** Signatures that are no known place in a list: a page before one of them is empty. */
  readonly unknownBefore: Set<string>;
  /** Signatures whose logs are null, or end after so many entries with `Log truncated`. */
  readonly logs: Map<string, 'null' | { readonly keep: number }>;
  /** Slots whose time nobody knows: null in lists, transactions, blocks and `getBlockTime`. */
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
