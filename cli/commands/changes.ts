/** `svc changes`: changes of machines from a cursor on, read through HTTP, once or until the command is stopped. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeKind, ChangePageResponse, Client } from '../../client/client.ts';
import { BASE_URL_OPTION, defineCommand, ENV_FILE_OPTION, JSON_OPTION, parseNumberOption } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatTime } from '../output.ts';
import { openClient, requireValue } from '../service-client.ts';

const POLL_MILLISECONDS = 2_000;

export const changes = defineCommand({
  name: 'changes',
  about: 'Prints changes of machines, oldest first, from a cursor on.',
  operands: [],
  options: {
    'base-url': BASE_URL_OPTION,
    'env-file': ENV_FILE_OPTION,
    after: { type: 'string', value: 'CURSOR', about: 'begin after this cursor (default: the oldest stored change)' },
    kinds: {
      type: 'string',
      value: 'LIST',
      about: 'comma list of kinds: rating,bond,flag,owner,operator,chip,kyb,opt-in',
    },
    follow: { type: 'boolean', about: 'wait for further changes until you stop the command' },
    json: { ...JSON_OPTION, about: 'print one JSON object a line' },
  },
  example: 'svc changes --kinds rating,bond --follow',
  async run({ after, kinds, follow = false, json = false, ...service }) {
    const client = openClient(service);
    let cursor = after === undefined ? undefined : parseNumberOption('after', after, 0, Number.MAX_SAFE_INTEGER);
    for (;;) {
      const page: ChangePageResponse = await readPage(client, cursor, kinds);
      for (const change of page.changes)
        process.stdout.write(json ? `${JSON.stringify(change)}\n` : formatChange(change));
      cursor = page.next;
      if (page.next < page.newest) continue;
      if (!follow) return EXIT_CODES.ok;
      await delay(POLL_MILLISECONDS);
    }
  },
});

/** The service refuses words that are no kind. */
async function readPage(client: Client, after: number | undefined, kinds: string | undefined) {
  const wanted = kinds === undefined ? {} : { kinds: kinds.split(',') as ChangeKind[] };
  const from = after === undefined ? {} : { after };
  return requireValue(client, 'changes', await client.listChanges({ ...from, ...wanted, limit: 500 }));
}

function formatChange({ cursor, observed_at, did, kind, from, to }: ChangePageResponse['changes'][number]): string {
  const time = formatTime(observed_at);
  return `${cursor}  ${time}  ${printable(did)}  ${kind}  ${printable(from ?? '-')} -> ${printable(to ?? '-')}\n`;
}
