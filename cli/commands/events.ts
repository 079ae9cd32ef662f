/** `svc events`: a page of the events that a rating is computed from, read through HTTP, as a table. */
import type { EventEntry } from '../../client/client.ts';
import { defineCommand, EXAMPLE_DID, parseNumberOption, SERVICE_OPTIONS } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson, formatLines, formatTime } from '../output.ts';
import { openClient, requireValue } from '../service-client.ts';
import { formatTable, type Cell } from '../table.ts';

const MAX_LIMIT = 100;
const COLUMNS = ['position', 'time', 'type', 'amount', 'judgement', 'class', 'verdict'];
const STYLES: Readonly<Record<string, 'green' | 'yellow'>> = { attested: 'green', paid: 'green', declared: 'yellow' };

export const events = defineCommand({
  name: 'events',
  about: 'Lists the events that the rating of a machine used, newest first, if the owner has made them visible.',
  operands: ['ID'],
  options: {
    cursor: { type: 'string', value: 'N', about: 'the cursor that the previous page printed (default: newest)' },
    limit: { type: 'string', value: 'N', about: `1 to ${MAX_LIMIT} (default 20)` },
    ...SERVICE_OPTIONS,
  },
  example: `svc events ${EXAMPLE_DID} --limit 50`,
  async run(options, [id = '']) {
    const { json = false } = options;
    const cursor = parseNumberOption('--cursor', options.cursor, 0, Number.MAX_SAFE_INTEGER);
    const limit = parseNumberOption('--limit', options.limit, 1, MAX_LIMIT);
    const client = openClient(options);
    const page = requireValue(
      client,
      id,
      await client.listEvents(id, { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) }),
    );
    if (json) process.stdout.write(formatJson(page));
    else process.stdout.write(formatLines(formatTable(COLUMNS, page.events.map(toRow))));
    if (page.next_cursor !== null) process.stderr.write(`older events: --cursor ${page.next_cursor}\n`);
    return EXIT_CODES.ok;
  },
});

function toRow(event: EventEntry): Cell[] {
  const { position, timestamp, event_type: type } = event;
  const style = STYLES[event.class ?? ''];
  return [
    { text: String(position) },
    { text: formatTime(timestamp).replace('.000Z', 'Z') },
    { text: type === 0 ? 'revenue' : type === 1 ? 'activity' : String(type) },
    { text: formatAmount(event) },
    { text: printable(event.judgement), ...(event.judgement !== 'sound' && { style: 'red' as const }) },
    { text: event.class ?? '-', ...(style && { style }) },
    { text: event.verdict ?? '-' },
  ];
}

/** In the unit of the currency, as amounts are written; in parts of it where their number is unknown. */
function formatAmount({ origin_value: value, origin_currency: currency, origin_subunit: subunit }: EventEntry): string {
  if (currency === undefined) return String(value);
  const amount = typeof subunit === 'number' ? (value / subunit).toFixed(Math.round(Math.log10(subunit))) : value;
  return `${amount} ${printable(currency)}`;
}
