/** `svc machine`: rating and profile of one machine, read through HTTP. */
import { styleText } from 'node:util';
import { alignColumns, BASE_URL_OPTION, defineCommand, EXAMPLE_DID, JSON_OPTION } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { openConnection, printable, readDocument, type JsonObject } from '../http-reads.ts';
import { toMachineDid } from '../machine-operand.ts';
import { formatJson, formatTime } from '../output.ts';

export const machine = defineCommand({
  name: 'machine',
  about: 'Shows the rating and the profile of a machine.',
  operands: ['ID'],
  options: { 'base-url': BASE_URL_OPTION, json: JSON_OPTION },
  example: `svc machine ${EXAMPLE_DID}`,
  async run({ 'base-url': baseUrl, json = false }, [id = '']) {
    const connection = openConnection(baseUrl);
    const path = encodeURIComponent(toMachineDid(id));
    const [rating, profile] = await Promise.all([
      readDocument(connection, `/mcr/${path}`, id),
      readDocument(connection, `/machine/${path}`, id),
    ]);
    process.stdout.write(json ? formatJson({ rating, profile }) : formatMachine(rating, profile));
    return EXIT_CODES.ok;
  },
});

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
