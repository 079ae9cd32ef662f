/** `svc history`: rating and revenue of a machine by day, read through HTTP, as a table. */
import {
  BASE_URL_OPTION,
  defineCommand,
  ENV_FILE_OPTION,
  EXAMPLE_DID,
  JSON_OPTION,
  parseNumberOption,
} from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { DEFAULT_BASE_URL, printable } from '../http-reads.ts';
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
    'base-url': BASE_URL_OPTION,
    'env-file': ENV_FILE_OPTION,
    json: JSON_OPTION,
  },
  example: `svc history ${EXAMPLE_DID} --days 7`,
  async run({ days: text, 'base-url': baseUrl = DEFAULT_BASE_URL, 'env-file': envFile, json = false }, [id = '']) {
    const days = parseNumberOption('--days', text, 1, MAX_DAYS) ?? DEFAULT_DAYS;
    const client = openClient(baseUrl, envFile);
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
