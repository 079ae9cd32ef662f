/** Follows the transfers of own addresses on an EVM source, in windows of blocks (design/scoring.md, Bounds). */
import { PAYMENT } from '../../domain/rating/constants.ts';
import { isWholeToken } from '../../domain/rating/paid/flows.ts';
import { SECONDS_PER_DAY } from '../../domain/rating/utc-day.ts';
import type { FinalizedHead, PaymentSource } from '../../ports/payment-sources.ts';
import type { PaymentStore } from '../../ports/payment-store.ts';
import type { FxRates } from '../../ports/rates.ts';

export interface TransferFollowerOptions {
  readonly store: PaymentStore;
  readonly fxRates: FxRates;
}

export interface TransferFollower {
  /**
   * Reads one window: up to the head where a verdict waits for it, else only full ones. Returns whether there was one to
   * read. Throws `SourceUnreadable`, `StoreUnavailable`.
   */
  advance(source: PaymentSource, head: FinalizedHead, isAwaited: boolean): Promise<boolean>;
}

const BLOCKS_PER_WINDOW = 5_000;
const ADDRESSES_PER_WINDOW = 500;
/** The oldest event that is judged, and what it depends on. */
const MAX_AGE_SECONDS = (PAYMENT.followedDays + 194) * SECONDS_PER_DAY;

export function createTransferFollower({ store, fxRates }: TransferFollowerOptions): TransferFollower {
  return {
    async advance(source, head, isAwaited) {
      const { transfers } = source;
      if (transfers === undefined) return false;
      const behind = isAwaited ? head.block : head.block - BLOCKS_PER_WINDOW;
      const window = await store.findFlowWindow(source.name, behind, ADDRESSES_PER_WINDOW);
      if (window === undefined) return false;
      const { addresses, throughBlock } = window;
      const { maxDailyTransfers } = PAYMENT;
      const oldest = Math.min(...addresses.map(({ since }) => since));
      const start = Math.max(oldest, head.time - MAX_AGE_SECONDS);
      const from = throughBlock === undefined ? await transfers.findBlock(start, head) : throughBlock + 1;
      // Undefined: the addresses became own after the head, so no block up to it matters.
      const end = from === undefined ? head.block : Math.min(head.block, lastOfWindow(from));
      const senders = [...new Set(addresses.map(({ address }) => address))];
      const read =
        from === undefined
          ? { transfers: [], throughBlock: end }
          : await transfers.readTransfersFrom(senders, from, end);
      const { table } = fxRates.current();
      const sized = read.transfers.map((row) => ({ ...row, isWhole: isWholeToken(row.token, row.units, table) }));
      await store.writeFlows(source.name, window, read.throughBlock, sized, maxDailyTransfers);
      return true;
    },
  };
}

/** Returns the last block of the window with a block. All windows end at common blocks, so that addresses of different claims share them. */
function lastOfWindow(block: number): number {
  return block - (block % BLOCKS_PER_WINDOW) + BLOCKS_PER_WINDOW - 1;
}
