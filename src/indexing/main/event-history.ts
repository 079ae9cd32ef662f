/**
 * Positions of a machine's event logs (chain-evm 3.7). Positions count submitted logs from 0 and restart after every
 * import. Continues the stored history with the logs of later blocks.
 */
import type { EventLogRow } from '../../ports/indexes.ts';
import type { EventLogEntry } from '../../ports/store.ts';

/**
 * Stored part of a machine's history: number of logs since the last import, number of imports, and some of the rows.
 */
export interface StoredHistory {
  readonly count: number;
  readonly epoch: number;
  readonly rows: readonly EventLogRow[];
}

export type EventHistory = StoredHistory;

/** Returns the history after further logs of the machine, in chain order. */
export function continueHistory(stored: StoredHistory, entries: readonly EventLogEntry[]): EventHistory {
  let { count, epoch } = stored;
  let rows = [...stored.rows];
  for (const entry of entries) {
    if (entry.kind === 'imported') {
      epoch += 1;
      count = 0;
      rows = [];
    } else {
      const { eventIndex, eventType, value, blockNumber, blockTimestamp } = entry;
      rows.push({ seq: count, eventIndex, eventType, value, blockNumber, blockTimestamp });
      count += 1;
    }
  }
  return { count, epoch, rows };
}

/** Returns the rows at positions `from` to `to - 1`; undefined unless all of them are present. */
export function pickRows({ rows }: EventHistory, from: number, to: number): EventLogRow[] | undefined {
  const picked = rows.filter(({ seq }) => seq >= from && seq < to);
  return picked.length === to - from ? picked : undefined;
}
