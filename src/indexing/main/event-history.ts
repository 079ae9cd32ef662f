/**
 * Positions of a machine's event logs (chain-evm 3.7) and the evidence for them. Positions count submitted logs from 0
 * and restart after every import. Continues the stored history with the logs of later blocks.
 */
import { applyProvenanceLog, passEvent, restartPositions } from '../../domain/machine/provenance.ts';
import type { EventLogRow } from '../../ports/indexes.ts';
import type { EventLogEntry, IndexedHistory } from '../../ports/store.ts';

/** A machine's history at a block: number of logs since the last import, number of imports, provenance, and some of the rows. */
export type EventHistory = Omit<IndexedHistory, 'checkpoint'>;

/** Returns the history after further logs of the machine, in chain order. */
export function continueHistory(stored: EventHistory, entries: readonly EventLogEntry[]): EventHistory {
  let { count, epoch, provenance } = stored;
  let rows = [...stored.rows];
  for (const entry of entries) {
    if (entry.kind === 'imported') {
      epoch += 1;
      count = 0;
      rows = [];
      provenance = restartPositions(provenance);
    } else if (entry.kind === 'submitted') {
      const { eventIndex, eventType, value, blockNumber, blockTimestamp } = entry;
      const [evidence, next] = passEvent(provenance, blockTimestamp);
      rows.push({ seq: count, eventIndex, eventType, value, blockNumber, blockTimestamp, ...evidence });
      count += 1;
      provenance = next;
    } else {
      provenance = applyProvenanceLog(provenance, entry, count);
    }
  }
  return { count, epoch, provenance, rows };
}

/** Returns the rows at positions `from` to `to - 1`; undefined unless all of them are present. */
export function pickRows({ rows }: EventHistory, from: number, to: number): EventLogRow[] | undefined {
  const picked = rows.filter(({ seq }) => seq >= from && seq < to);
  return picked.length === to - from ? picked : undefined;
}
