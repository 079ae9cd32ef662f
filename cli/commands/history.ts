/** `svc history`: rating and revenue of a machine by day, read through HTTP, as a table. */
import { defineCommand, EXAMPLE_DID, parseNumberOption, SERVICE_OPTIONS } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson, formatLines } from '../output.ts';
import { styleOfScore } from '../rating-style.ts';
import { openClient, requireValue } from '../service-client.ts';
import { formatTable } from '../table.ts';

const MAX_DAYS = 365;
const DEFAULT_DAYS = 30;

export const history = defineCommand({
  name: 'history',
  about: 'Lists the rating and the revenue of a machine by day, oldest first.',
  operands: ['ID'],
  options: {
    days: { type: 'string', value: 'N', about: `the last N days, 1 to ${MAX_DAYS} (default ${DEFAULT_DAYS})` },
    ...SERVICE_OPTIONS,
  },
  example: `svc history ${EXAMPLE_DID} --days 7`,
  async run({ days: text, json = false, ...service }, [id = '']) {
    const days = parseNumberOption('--days', text, 1, MAX_DAYS) ?? DEFAULT_DAYS;
    const client = openClient(service);
    const whole = requireValue(client, id, await client.getHistory(id));
    const points = whole.points.slice(-days);
    if (json) process.stdout.write(formatJson({ ...whole, points }));
    else if (points.length === 0) process.stderr.write('no history: some events or days are not indexed\n');
    else {
      const rows = points.map(({ day, mcr, mcr_score, total_hundredths, revenue }) => [
        { text: printable(day) },
        { text: printable(mcr), ...(total_hundredths !== null && { style: styleOfScore(mcr_score) }) },
        { text: total_hundredths === null ? '-' : String(mcr_score) },
        { text: (revenue / 100).toFixed(2) },
      ]);
      process.stdout.write(formatLines(formatTable(['day', 'rating', 'score', 'USD'], rows)));
    }
    return EXIT_CODES.ok;
  },
});
