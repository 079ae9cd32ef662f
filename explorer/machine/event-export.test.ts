/** Tests the export of events: whole pages, and text that a spreadsheet cannot run. */
import { afterEach, expect, test, vi } from 'vitest';
import type { EventEntry } from '../parts/wire.ts';
import { formatEventsCsv, loadAllEvents } from './event-export.ts';

afterEach(() => vi.unstubAllGlobals());

const EVENT: EventEntry = {
  ...{ position: 0, timestamp: 10, block_timestamp: 11, event_type: 0, origin_value: 700, origin_currency: 'USD' },
  ...{ origin_subunit: 100, usd_value: 700, usd_subunit: 100, amount_status: 'ok', trust_level: 1, metadata: {} },
  ...{ judgement: 'sound', class: 'declared', verdict: 'declared', paid_cents: 0, source: null, token: null },
  ...{ payer: null, worth_cents: null, returned_cents: null, data_hash: '0x1', source_chain_id: '0' },
  source_tx_hash: '0x2',
};

test('quotes text and marks formulas as text', () => {
  const hostile = { ...EVENT, origin_currency: '=HYPERLINK("x")', metadata: { note: 'a "b", c\r\n' } };
  const [head, line, end] = formatEventsCsv([hostile]).split('\r\n');
  expect(head).toMatch(/^position,timestamp,/);
  expect(line).toBe(
    `0,10,11,0,700,"'=HYPERLINK(""x"")",100,700,1,"sound","declared","declared",0,,,,"0","0x2","0x1","{""note"":""a \\""b\\"", c\\r\\n""}"`,
  );
  expect(end).toBe('');
});

function stubPages(...responses: readonly Response[]): string[] {
  const paths: string[] = [];
  const left = [...responses];
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path);
    return Promise.resolve(left.shift()!);
  });
  return paths;
}

const page = (positions: readonly number[], next: number | null) =>
  Response.json({ events: positions.map((position) => ({ ...EVENT, position })), next_cursor: next });

test('loads the events of all pages', async () => {
  const paths = stubPages(page([2, 1], 1), page([0], null));
  const counts: number[] = [];
  const events = await loadAllEvents('7', (count) => counts.push(count));
  expect(events?.map(({ position }) => position)).toEqual([2, 1, 0]);
  expect(paths).toEqual(['/machines/7/events?limit=100', '/machines/7/events?limit=100&cursor=1']);
  expect(counts).toEqual([2, 3]);
});

test('continues after the rate limit', async () => {
  stubPages(Response.json({}, { status: 429, headers: { 'retry-after': '0' } }), page([0], null));
  expect(await loadAllEvents('7', () => undefined)).toHaveLength(1);
});

test('returns nothing where a page fails, because a part must not look like the whole', async () => {
  stubPages(page([2, 1], 1), Response.json({ detail: 'Chain unavailable' }, { status: 503 }));
  expect(await loadAllEvents('7', () => undefined)).toBeUndefined();
});
