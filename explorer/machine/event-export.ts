/** Export of all events of a machine as CSV, from the pages of the service. */
import { requestJson } from '../parts/queries.ts';
import type { EventEntry, EventListing } from '../parts/wire.ts';

const PAGE = 100;

/** Loads the events of all pages, newest first. Waits where the rate limit asks for it; undefined when a page cannot be loaded. */
export async function loadAllEvents(
  id: string,
  report: (count: number) => void,
): Promise<readonly EventEntry[] | undefined> {
  const events: EventEntry[] = [];
  let cursor = '';
  for (;;) {
    const { response, failure } = await requestJson<EventListing>(`/machines/${id}/events?limit=${PAGE}${cursor}`);
    if (response === undefined) {
      if (failure.status !== 429) return undefined;
      await new Promise((resolve) => setTimeout(resolve, (failure.retryAfterSeconds ?? 1) * 1000));
      continue;
    }
    events.push(...response.body.events);
    report(events.length);
    if (response.body.next_cursor === null) return events;
    cursor = `&cursor=${response.body.next_cursor}`;
  }
}

const COLUMNS = [
  ...(['position', 'timestamp', 'block_timestamp', 'event_type', 'origin_value', 'origin_currency'] as const),
  ...(['origin_subunit', 'usd_value', 'trust_level', 'judgement', 'class', 'verdict', 'paid_cents'] as const),
  ...(['source', 'token', 'payer', 'source_chain_id', 'source_tx_hash', 'data_hash', 'metadata'] as const),
] satisfies readonly (keyof EventEntry)[];

/** Returns one line per event. */
export function formatEventsCsv(events: readonly EventEntry[]): string {
  const lines = events.map((event) => COLUMNS.map((name) => formatCell(event[name])).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

/** Text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Quotes text, which anyone may have written, and marks a formula as text. */
function formatCell(value: EventEntry[keyof EventEntry]): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
