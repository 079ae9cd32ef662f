/** Which machines does an operator own or control? A page, or all of them (interface, Operator listing; http-facts 7). */
import { didPrefix, parseAddress, type Address } from '../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import type { FleetResponse } from '../src/http/wire/response-types.ts';
import { ask, foreign, invalidArgument, type Answer, type AskOptions, type Connection } from './http.ts';

export interface PageOptions extends AskOptions {
  /** From 0. */
  readonly offset?: number;
  /** 1 to 20. */
  readonly limit?: number;
}

const PAGE_SIZE = 20;

/** `operator`: address or address DID. */
export async function listFleet(
  connection: Connection,
  operator: string,
  { offset = 0, limit = PAGE_SIZE, ...options }: PageOptions = {},
): Promise<Answer<FleetResponse>> {
  const address = parseOperator(operator, connection.namespace);
  if (address === undefined) return invalidArgument('not an address or address DID');
  const did = didPrefix(connection.namespace) + address;
  return ask(
    connection,
    `/operator/${did}/machines?offset=${offset}&limit=${limit}`,
    ({ operator_did: said }) => typeof said === 'string' && said.toLowerCase() === did.toLowerCase(),
    options,
  );
}

/** Page after page, until the last; ends with the first that fails. A fleet that changes meanwhile may show a machine twice, or not. */
export async function* listWholeFleet(
  connection: Connection,
  operator: string,
  options: AskOptions = {},
): AsyncGenerator<Answer<FleetResponse>, void, void> {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = await listFleet(connection, operator, { ...options, offset });
    if (page.ok && typeof page.value.pagination?.total !== 'number') {
      yield foreign(200, 'not an answer to what was asked');
      return;
    }
    yield page;
    if (!page.ok || offset + PAGE_SIZE >= page.value.pagination.total) return;
  }
}

function parseOperator(operator: string, namespace: Namespace): Address | undefined {
  const prefix = didPrefix(namespace);
  return parseAddress(operator.startsWith(prefix) ? operator.slice(prefix.length) : operator);
}
