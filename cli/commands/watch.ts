/** `svc watch list`: receivers of webhooks and dead letters, read from the admin port of the service. */
import { BASE_URL_OPTION, defineCommand, JSON_OPTION } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { openConnection, printable, readDocument, type JsonObject } from '../http-reads.ts';
import { formatJson, formatLines } from '../output.ts';
import { formatTable } from '../table.ts';

const DEFAULT_ADMIN_URL = 'http://127.0.0.1:9464';

const list = defineCommand({
  name: 'watch list',
  about: 'Lists the receivers of webhooks and the changes that could not be delivered.',
  operands: [],
  options: {
    'admin-url': { ...BASE_URL_OPTION, about: `URL of the admin port (default ${DEFAULT_ADMIN_URL})` },
    json: JSON_OPTION,
  },
  example: 'svc watch list',
  async run({ 'admin-url': adminUrl = DEFAULT_ADMIN_URL, json = false }) {
    const report = await readDocument(openConnection(adminUrl), '/watch', 'watch list');
    process.stdout.write(json ? formatJson(report) : formatReport(report));
    return EXIT_CODES.ok;
  },
});

export const WATCH_COMMANDS = [list];

function formatReport({ newest, receivers, dead_letters: deadLetters }: JsonObject): string {
  return formatLines([
    `newest change: ${printable(String(newest))}`,
    ...formatRows(receivers, ['receiver', 'examined_through', 'pending', 'dead'], 'no receiver is known'),
    ...formatRows(deadLetters, ['receiver', 'cursor', 'attempts', 'problem'], 'no dead letters'),
  ]);
}

function formatRows(rows: unknown, members: readonly string[], none: string): string[] {
  if (!Array.isArray(rows) || rows.length === 0) return [none];
  const cells = rows.map((row) => members.map((member) => ({ text: printable(String((row as JsonObject)[member])) })));
  return formatTable([...members], cells);
}
