/** `svc fleet`: all machines of an operator, read through HTTP and shown for people. */
import type { Client } from '../../client/client.ts';
import type { FleetEntry, FleetPage } from '../../client/fleet.ts';
import { BASE_URL_OPTION, defineCommand, ENV_FILE_OPTION, JSON_OPTION } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { DEFAULT_BASE_URL, printable } from '../http-reads.ts';
import { openClient, requireValue } from '../service-client.ts';
import { emphasize, formatTable, type Cell } from '../table.ts';

export const fleet = defineCommand({
  name: 'fleet',
  about: 'Lists the machines that an operator owns or controls, with their ratings.',
  operands: ['OPERATOR'],
  options: { 'base-url': BASE_URL_OPTION, 'env-file': ENV_FILE_OPTION, json: JSON_OPTION },
  example: 'svc fleet 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  async run({ 'base-url': baseUrl = DEFAULT_BASE_URL, 'env-file': envFile, json = false }, [operator = '']) {
    const client = openClient(baseUrl, envFile);
    const whole = join(await readPages(client, operator));
    process.stdout.write(json ? `${JSON.stringify(whole, null, 2)}\n` : formatFleet(whole));
    return EXIT_CODES.ok;
  },
});

/** Throws `CommandFailed`. */
async function readPages(client: Client, operator: string): Promise<FleetPage[]> {
  const pages: FleetPage[] = [];
  let listed = 0;
  try {
    for await (const answer of client.listWholeFleet(operator)) {
      const page = requireValue(client, operator, answer);
      pages.push(page);
      listed += page.machines.length;
      showProgress(listed, page.pagination.total);
    }
    return pages;
  } finally {
    showProgress(0, 0);
  }
}

/** One document of all pages; `total` and `index` are those of the first. */
function join([first, ...others]: readonly FleetPage[]) {
  const { operator_did, index, pagination } = first!;
  const pages = [first!, ...others];
  return {
    operator_did,
    machines: pages.flatMap(({ machines }) => machines),
    total: pagination.total,
    unreadable: pages.reduce((sum, { unreadable }) => sum + unreadable, 0),
    index,
  };
}

/** For who waits at a terminal; 0 of 0 takes it away. */
function showProgress(listed: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(total === 0 ? '\r\u001b[K' : `\r${listed} of ${total} machines`);
}

function formatFleet({ operator_did, machines, total, unreadable, index }: ReturnType<typeof join>): string {
  const title = `${printable(operator_did)}  ${total} ${total === 1 ? 'machine' : 'machines'}`;
  const lag = `index: ${index.lag_blocks} blocks behind the head, which was read ${index.head_observed_age_seconds} s ago`;
  const names = ['rating', 'score', 'bond', 'events', 'flag', 'machine'];
  return [
    emphasize('bold', title),
    ...(machines.length === 0 ? [] : formatTable(names, machines.map(toRow))),
    ...(unreadable === 0 ? [] : [emphasize('yellow', `${unreadable} could not be read, and are missing here`)]),
    emphasize('dim', lag),
    '',
  ].join('\n');
}

/** A list does not rate machines of the alt chain; `svc machine` does. */
function toRow(machine: FleetEntry): Cell[] {
  const { mcr, mcr_score: score, bond_status: bond, event_count: events, negative_flag: flag, did } = machine;
  const isUnrated = machine.rating_unavailable !== undefined;
  return [
    { text: isUnrated ? 'see machine' : printable(mcr), style: isUnrated ? 'dim' : styleOf(score) },
    { text: isUnrated ? '-' : String(score) },
    { text: printable(bond), ...(bond === 'unbonded' && { style: 'yellow' as const }) },
    { text: String(events) },
    { text: flag ? 'yes' : 'no', ...(flag && { style: 'red' as const }) },
    { text: printable(did) },
  ];
}

function styleOf(score: number): 'green' | 'yellow' | 'red' {
  if (score >= 75) return 'green';
  return score >= 45 ? 'yellow' : 'red';
}
