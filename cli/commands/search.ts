/** `svc search`: what an identifier names, in any spelling that people paste: a machine, an operator, a wallet, or the URL of a page. */
import type { Client, FleetResponse, McrRecordResponse } from '../../client/client.ts';
import { parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { parseAddress, parseMachineId } from '../../src/domain/identifiers/identifiers.ts';
import { defineCommand, SERVICE_OPTIONS } from '../command.ts';
import { CommandFailed, EXIT_CODES } from '../exit-codes.ts';
import { printable } from '../http-reads.ts';
import { formatJson, formatLines } from '../output.ts';
import { decodeSafely } from '../percent-decoding.ts';
import { openClient, requireValue } from '../service-client.ts';
import { emphasize } from '../table.ts';

export const search = defineCommand({
  name: 'search',
  about: 'Shows what a text names: machine id, DID, address, wallet, or the URL of a page or response.',
  operands: ['TEXT'],
  options: SERVICE_OPTIONS,
  example: 'svc search 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
  async run({ json = false, ...service }, [text = '']) {
    const client = openClient(service);
    const found = await find(client, text);
    process.stdout.write(json ? formatJson(found) : formatFound(found));
    return EXIT_CODES.ok;
  },
});

type Found =
  | { readonly kind: 'machine' | 'wallet'; readonly rating: McrRecordResponse }
  | { readonly kind: 'operator'; readonly fleet: FleetResponse };

async function find(client: Client, text: string): Promise<Found> {
  const word = findIdentifier(text, client.connection.namespace.did_method);
  if (parseMachineId(word) !== undefined)
    return { kind: 'machine', rating: requireValue(client, text, await client.getRating(word)) };
  if (parseAddress(word) !== undefined)
    return { kind: 'operator', fleet: requireValue(client, text, await client.listFleet(word)) };
  if (parseAltKey(word) !== undefined)
    return { kind: 'wallet', rating: requireValue(client, text, await client.getWalletRating(word)) };
  throw new CommandFailed('usage', `${JSON.stringify(text)} names no machine, operator or wallet`);
}

/** Returns the first part of a text that is an identifier, without a DID's prefix; else the text. */
function findIdentifier(text: string, method: string): string {
  const prefix = `did:${method}:`;
  const withoutPrefix = (part: string) =>
    part.toLowerCase().startsWith(prefix.toLowerCase()) ? part.slice(prefix.length) : part;
  const parts = text
    .trim()
    .split(/[/?#\s]+/)
    .map((part) => withoutPrefix(decodeSafely(part)).replace(/^0X/, '0x'));
  const isIdentifier = (part: string) => [parseMachineId, parseAddress, parseAltKey].some((parse) => parse(part));
  return parts.find(isIdentifier) ?? text;
}

function formatFound(found: Found): string {
  if (found.kind === 'operator') {
    const { operator_did, pagination } = found.fleet;
    return formatLines([
      `${emphasize('bold', 'operator')}  ${printable(operator_did)}`,
      `machines  ${pagination.total}`,
    ]);
  }
  const { did, summary } = found.rating;
  return formatLines([`${emphasize('bold', found.kind)}  ${printable(did)}`, printable(summary)]);
}
