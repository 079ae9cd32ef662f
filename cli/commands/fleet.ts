/** `svc fleet`: all machines of an operator, read through HTTP, as a table. */
import type { Client, FleetEntry, FleetResponse, RatedFleetEntry, RatedFleetResponse } from '../../client/client.ts';
import { defineCommand, SERVICE_OPTIONS } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson } from '../output.ts';
import { styleOfScore } from '../rating-style.ts';
import { openClient, requireValue } from '../service-client.ts';
import { emphasize, formatTable, type Cell } from '../table.ts';

export const fleet = defineCommand({
  name: 'fleet',
  about: 'Lists the machines that an operator owns or controls, with their ratings.',
  operands: ['OPERATOR'],
  options: SERVICE_OPTIONS,
  example: 'svc fleet 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  async run({ json = false, ...service }, [operator = '']) {
    const client = openClient(service);
    const list = joinPages(await readPages(client, operator));
    process.stdout.write(json ? formatJson(list) : formatFleet(list));
    return EXIT_CODES.ok;
  },
});

type Page = FleetResponse | RatedFleetResponse;

const PAGE_SIZE = 500;

/** Lists every page with ratings, or every page of the listing of the interface where a deployment serves no additions. */
async function* listPages(client: Client, operator: string) {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = await client.listRatedFleet(operator, { offset, limit: PAGE_SIZE });
    if (!page.ok && 'status' in page.error && page.error.status === 404) return yield* client.listWholeFleet(operator);
    yield page;
    if (!page.ok || offset + PAGE_SIZE >= page.value.pagination.total) return;
  }
}

/** Reads every page. Throws `CommandFailed`. */
async function readPages(client: Client, operator: string): Promise<Page[]> {
  const pages: Page[] = [];
  let listed = 0;
  try {
    for await (const result of listPages(client, operator)) {
      const page = requireValue<Page>(client, operator, result);
      pages.push(page);
      listed += page.machines.length;
      showProgress(listed, page.pagination.total);
    }
    return pages;
  } finally {
    showProgress(0, 0);
  }
}

/** Merges all pages into one document; `total` and `index` are those of the first page. */
function joinPages([first, ...others]: readonly Page[]) {
  const { operator_did, index, pagination } = first!;
  const pages = [first!, ...others];
  return {
    operator_did,
    machines: pages.flatMap(({ machines }): readonly (FleetEntry | RatedFleetEntry)[] => machines),
    total: pagination.total,
    unreadable: pages.reduce((sum, { unreadable }) => sum + unreadable, 0),
    index,
  };
}

/** Shows the progress on a terminal; a total of 0 clears the line. */
function showProgress(listed: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(total === 0 ? '\r\u001b[K' : `\r${listed} of ${total} machines`);
}

function formatFleet({ operator_did, machines, total, unreadable, index }: ReturnType<typeof joinPages>): string {
  const title = `${printable(operator_did)}  ${total} ${total === 1 ? 'machine' : 'machines'}`;
  const lag = `index: ${index.lag_blocks} blocks behind the head (read ${index.head_observed_age_seconds} s ago)`;
  const names = ['rating', 'score', 'bond', 'events', 'flag', 'machine'];
  return [
    emphasize('bold', title),
    ...(machines.length === 0 ? [] : formatTable(names, machines.map(toRow))),
    ...(unreadable === 0 ? [] : [emphasize('yellow', `not listed because unreadable: ${unreadable}; try again later`)]),
    emphasize('dim', lag),
    '',
  ].join('\n');
}

const UNRATED: Readonly<Record<NonNullable<FleetEntry['rating_unavailable']>, string>> = {
  no_events_yet: 'no events',
  indexer_behind: 'syncing',
  not_rated_here: 'see machine',
};

/** The listing of the interface does not rate machines of the alt chain; `svc machine` does. */
function toRow(machine: FleetEntry | RatedFleetEntry): Cell[] {
  const { mcr, mcr_score: score, bond_status: bond, event_count: events, negative_flag: flag, did } = machine;
  const why = machine.rating_unavailable;
  return [
    { text: why === undefined ? printable(mcr) : UNRATED[why], style: why === undefined ? styleOfScore(score) : 'dim' },
    { text: why === undefined ? String(score) : '-' },
    { text: printable(bond), ...(bond === 'unbonded' && { style: 'yellow' as const }) },
    { text: String(events) },
    { text: flag ? 'yes' : 'no', ...(flag && { style: 'red' as const }) },
    { text: printable(did) },
  ];
}
