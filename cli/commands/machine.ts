/** `svc machine`: rating and profile of one machine, read through HTTP. */
import { styleText } from 'node:util';
import type { Connection } from '../../client/client.ts';
import { alignColumns, BASE_URL_OPTION, defineCommand, EXAMPLE_DID, JSON_OPTION } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { openConnection, printable, readDocument, type JsonObject } from '../http-reads.ts';
import { parseMachineOperand } from '../machine-operand.ts';
import { formatJson, formatTime } from '../output.ts';

export const machine = defineCommand({
  name: 'machine',
  about: 'Shows the rating and the profile of a machine.',
  operands: ['ID'],
  options: { 'base-url': BASE_URL_OPTION, json: JSON_OPTION },
  example: `svc machine ${EXAMPLE_DID}`,
  async run({ 'base-url': baseUrl, json = false }, [id = '']) {
    const connection = openConnection(baseUrl);
    const [rating, profile] = await (id.startsWith('did:') ? readByDid(connection, id) : readById(connection, id));
    process.stdout.write(json ? formatJson({ rating, profile }) : formatMachine(rating, profile));
    return EXIT_CODES.ok;
  },
});

type Documents = readonly [rating: JsonObject, profile: JsonObject];

/** Only the service can validate a DID, by its namespace. */
function readByDid(connection: Connection, did: string): Promise<Documents> {
  const path = encodeURIComponent(did);
  return Promise.all([
    readDocument(connection, `/mcr/${path}`, did),
    readDocument(connection, `/machine/${path}`, did),
  ]);
}

/** Reads the profile first, which names the DID: its method is a word of the deployment. */
async function readById(connection: Connection, text: string): Promise<Documents> {
  const id = parseMachineOperand(text, connection.namespace);
  const profile = await readDocument(connection, `/metadata/${id}`, text);
  const { did } = findFacts(profile);
  if (typeof did !== 'string') throw new CommandFailed('refused', `the profile of ${id} names no DID`);
  return [await readDocument(connection, `/mcr/${encodeURIComponent(did)}`, text), profile];
}

function formatMachine(rating: JsonObject, profile: JsonObject): string {
  const facts = findFacts(profile);
  const rows: readonly (readonly [string, unknown])[] = [
    ['rating', `${show(rating['mcr'])} ${show(rating['mcr_score'])} of 100`],
    ['not rated', rating['rating_unavailable']],
    ['degraded', rating['mcr_degraded'] === true ? 'yes: some amounts could not be converted to USD' : undefined],
    ['bond', rating['bond_status']],
    ['negative flag', rating['negative_flag'] === true ? 'yes' : 'no'],
    ['events', `${show(rating['event_count'])} (${show(rating['revenue_event_count'])} of revenue)`],
    ['qualifying revenue', formatCents(rating['total_revenue'])],
    ['average per event', formatCents(rating['average_revenue_per_event'])],
    ['trend', rating['revenue_trend']],
    ['last event', formatLastEvent(rating['last_updated'])],
    ['operator', facts['operator']],
    ['visibility', facts['data_visibility']],
    ['documentation', facts['documentation_url']],
    ['summary', rating['summary']],
  ];
  const title = styleText('bold', `${show(profile['name'])}  ${show(rating['did'])}`, { stream: process.stdout });
  const lines = alignColumns(rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, show(value)]])));
  return `${[title, ...lines].join('\n')}\n`;
}

/** Finds the facts of the profile, an object with a configurable name, by its `did`. */
function findFacts(profile: JsonObject): JsonObject {
  const isFacts = (value: unknown): value is JsonObject =>
    typeof value === 'object' && value !== null && 'did' in value;
  return Object.values(profile).find(isFacts) ?? {};
}

function formatCents(cents: unknown): string | null {
  return typeof cents === 'number' ? `${(cents / 100).toFixed(2)} USD` : null;
}

function formatLastEvent(unixSeconds: unknown): string | null {
  return typeof unixSeconds === 'number' ? formatTime(unixSeconds) : null;
}

function show(value: unknown): string {
  if (value === undefined || value === null) return '-';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
