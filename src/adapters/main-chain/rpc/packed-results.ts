/** Kinds of results that a worker thread reads, with the bytes in which they return to the main thread. */
import { LogRows, readLogRows } from '../logs/log-rows.ts';
import { packReceipts, readBlockReceipts, unpackReceipts, type BlockReceipts } from '../receipts/receipt-bytes.ts';
import type { ResultReader } from './large-responses.ts';

export interface PackedResult {
  readonly read: ResultReader;
  /** Packs what `read` returned. */
  readonly pack: (value: unknown) => Buffer;
  readonly unpack: (packed: Buffer) => unknown;
}

export type PackedResultName = 'logs' | 'receipts';

export const PACKED_RESULTS: Readonly<Record<PackedResultName, PackedResult>> = {
  logs: {
    read: readLogRows,
    pack: (value) => (value as LogRows).bytes,
    unpack: (packed) => new LogRows(packed),
  },
  receipts: {
    read: readBlockReceipts,
    pack: (value) => packReceipts(value as BlockReceipts),
    unpack: unpackReceipts,
  },
};

/** Returns the name of the kind that this reader reads. */
export function findPackedResult(read: ResultReader | undefined): PackedResultName | undefined {
  if (read === readLogRows) return 'logs';
  return read === readBlockReceipts ? 'receipts' : undefined;
}
