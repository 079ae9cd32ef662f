/** Lists the machines that an operator owns or controls: one page, or all of them (interface, Operator listing; http-facts 7). */
import { didPrefix, parseAddress, type Address } from '../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import type { FleetResponse, RatedFleetResponse } from '../src/http/wire/response-types.ts';
import {
  request,
  unexpectedResponse,
  invalidArgument,
  type Result,
  type RequestOptions,
  type Connection,
  type JsonObject,
} from './http.ts';

export interface PageOptions extends RequestOptions {
  /** First machine, from 0. */
  readonly offset?: number;
  /** Page size, 1 to 20; 20 when left out. */
  readonly limit?: number;
}

const PAGE_SIZE = 20;

/** Reads one page. `operator` is an address or an address DID. */
export async function listFleet(
  connection: Connection,
  operator: string,
  { offset = 0, limit = PAGE_SIZE, ...options }: PageOptions = {},
): Promise<Result<FleetResponse>> {
  return requestPage(connection, operator, `machines?offset=${offset}&limit=${limit}`, options);
}

/** Reads one page with the rating of every machine, those of the alt chain too. At most 500 machines. */
export async function listRatedFleet(
  connection: Connection,
  operator: string,
  { offset = 0, limit = PAGE_SIZE, ...options }: PageOptions = {},
): Promise<Result<RatedFleetResponse>> {
  return requestPage(connection, operator, `fleet?offset=${offset}&limit=${limit}`, options);
}

/** Reads page after page and ends with the last, or with the first that fails. While a fleet changes, a machine may appear twice or not at all. */
export async function* listWholeFleet(
  connection: Connection,
  operator: string,
  options: RequestOptions = {},
): AsyncGenerator<Result<FleetResponse>, void, void> {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = await listFleet(connection, operator, { ...options, offset });
    if (page.ok && typeof (page.value as Partial<FleetResponse>).pagination?.total !== 'number') {
      yield unexpectedResponse(200, 'not a response to this request');
      return;
    }
    yield page;
    if (!page.ok || offset + PAGE_SIZE >= page.value.pagination.total) return;
  }
}

async function requestPage<T extends object>(
  connection: Connection,
  operator: string,
  target: string,
  options: RequestOptions,
): Promise<Result<T>> {
  const address = parseOperator(operator, connection.namespace);
  if (address === undefined) return invalidArgument('not an address or address DID');
  const did = didPrefix(connection.namespace) + address;
  const isPage = ({ operator_did: sent }: JsonObject) =>
    typeof sent === 'string' && sent.toLowerCase() === did.toLowerCase();
  return request(connection, `/operator/${did}/${target}`, isPage, options);
}

function parseOperator(operator: string, namespace: Namespace): Address | undefined {
  const prefix = didPrefix(namespace);
  return parseAddress(operator.startsWith(prefix) ? operator.slice(prefix.length) : operator);
}
