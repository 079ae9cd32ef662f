/** `svc directory`: a page of the machines of a deployment as they were last observed, read through HTTP, as a table. */
import type { DirectoryEntry } from '../../client/client.ts';
import type { DirectorySelection } from '../../client/directory.ts';
import { FACET_NAMES, FACETS, type Facet } from '../../src/domain/machine/machine-directory.ts';
import { defineCommand, parseNumberOption, SERVICE_OPTIONS } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson, formatLines } from '../output.ts';
import { styleOfScore } from '../rating-style.ts';
import { openClient, requireValue } from '../service-client.ts';
import { formatTable, type Cell } from '../table.ts';

const MAX_LIMIT = 500;
const COLUMNS = ['rating', 'score', 'bond', 'flag', 'kyb', 'chip', 'opt-in', 'events', 'machine'];

/** One option for each list of values. */
const FACET_OPTIONS = Object.fromEntries(
  FACET_NAMES.map((facet) => [
    facet,
    { type: 'string', value: 'LIST', about: `comma list of ${FACETS[facet].join(', ')}` },
  ]),
) as Record<Facet, { readonly type: 'string'; readonly value: string; readonly about: string }>;

export const directory = defineCommand({
  name: 'directory',
  about: 'Lists the machines of the deployment as they were last observed, the highest score first.',
  operands: [],
  options: {
    ...FACET_OPTIONS,
    operator: { type: 'string', value: 'ADDRESS', about: 'machines of this operator, by id' },
    owner: { type: 'string', value: 'ACCOUNT', about: 'machines of this owner, by id; not beside --operator' },
    'active-since': { type: 'string', value: 'SECONDS', about: 'machines with an event since this Unix time' },
    sort: {
      type: 'string',
      value: 'KEY',
      about: 'score, revenue, activity or id; --sort=-KEY begins with the largest (default: -score)',
    },
    after: {
      type: 'string',
      value: 'CURSOR',
      about: 'the cursor that the previous page printed (default: first page)',
    },
    limit: { type: 'string', value: 'N', about: `1 to ${MAX_LIMIT} (default 50)` },
    ...SERVICE_OPTIONS,
  },
  example: 'svc directory --rating AAA,AA --bond Active',
  async run({ 'base-url': baseUrl, 'env-file': envFile, json = false, ...options }) {
    const client = openClient({ 'base-url': baseUrl, 'env-file': envFile });
    const page = requireValue(client, 'directory', await client.listDirectory(toSelection(options)));
    if (json) process.stdout.write(formatJson(page));
    else process.stdout.write(formatLines(formatTable(COLUMNS, page.machines.map(toRow))));
    if (page.unlisted > 0) process.stderr.write(`not observed yet: ${page.unlisted} machines\n`);
    if (page.next !== null) process.stderr.write(`next page: --after ${printable(page.next)}\n`);
    return EXIT_CODES.ok;
  },
});

/** The service refuses words that it does not know. Throws `CommandFailed` for numbers out of range. */
function toSelection(options: Readonly<Record<string, string | undefined>>): DirectorySelection {
  const { 'opt-in': optIn, 'active-since': since, limit, ...texts } = options;
  const numbers = {
    activeSince: parseNumberOption('--active-since', since, 0, Number.MAX_SAFE_INTEGER),
    limit: parseNumberOption('--limit', limit, 1, MAX_LIMIT),
  };
  return { ...texts, optIn, ...numbers } as unknown as DirectorySelection;
}

function toRow(machine: DirectoryEntry): Cell[] {
  const { rating, score, bond, flag, kyb, chip, opt_in: optIn, event_count: events, did } = machine;
  return [
    { text: printable(rating), style: styleOfScore(score) },
    { text: String(score) },
    { text: printable(bond), ...(bond !== 'Active' && { style: 'yellow' as const }) },
    { text: printable(flag), ...(flag === 'in_force' && { style: 'red' as const }) },
    { text: printable(kyb) },
    { text: printable(chip) },
    { text: printable(optIn) },
    { text: String(events) },
    { text: printable(did) },
  ];
}
