/** Which machines does an operator own or control? A page, or all of them (interface, Operator listing; http-facts 7). */
import { didPrefix, parseAddress, type Address } from '../src/domain/identifiers/identifiers.ts';
import type { Namespace } from '../src/domain/identifiers/namespace.ts';
import { ask, foreign, invalidArgument, type Answer, type AskOptions, type Connection } from './http.ts';
import type { AltStanding, BondStatus, Letter } from './machines.ts';

export interface FleetEntry extends AltStanding {
  readonly did: string;
  readonly machine_id: string;
  /** 0 for a machine of the alt chain: ask for its rating. */
  readonly mcr_score: number;
  readonly mcr: Letter;
  readonly negative_flag: boolean;
  readonly name: string;
  readonly bond_status: BondStatus;
  readonly event_count: number;
}

/** How far the index that the list comes from is behind the chain. Ages in seconds. */
export interface FleetIndex {
  readonly indexed_block: number;
  readonly head_block: number;
  readonly lag_blocks: number;
  readonly head_observed_age_seconds: number;
  /** Null: no alt chain. */
  readonly alt_snapshot_age_seconds: number | null;
}

export interface FleetPage {
  readonly operator_did: string;
  readonly machines: readonly FleetEntry[];
  readonly pagination: { readonly offset: number; readonly limit: number; readonly total: number };
  /** Machines that belong on this page, or may, and could not be read. */
  readonly unreadable: number;
  readonly index: FleetIndex;
}

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
): Promise<Answer<FleetPage>> {
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
): AsyncGenerator<Answer<FleetPage>, void, void> {
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
