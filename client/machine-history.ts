/** Reads the rating of a machine day by day, and its events (decisions 4). */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import type { EventListingResponse, HistoryResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
import { isForMachine } from './machines.ts';

export interface EventPageOptions extends RequestOptions {
  /** `next_cursor` of the previous page; left out: the newest events. */
  readonly cursor?: number | null;
  /** Page size, 1 to 100. */
  readonly limit?: number;
}

/** Reads the rating of each of the last 365 days. */
export function getHistory(
  connection: Connection,
  machine: MachineKey,
  options?: RequestOptions,
): Promise<Result<HistoryResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    request(connection, `/mcr/${formatMachineDid(id, connection.namespace)}/history`, isForMachine(id), options),
  );
}

/** Reads a page of the events behind the rating, newest first. Fails with `event-data-private` where the owner does not show them. */
export function listEvents(
  connection: Connection,
  machine: MachineKey,
  { cursor, limit = 20, ...options }: EventPageOptions = {},
): Promise<Result<EventListingResponse>> {
  const from = cursor === undefined || cursor === null ? '' : `&cursor=${cursor}`;
  return withMachine(machine, connection.namespace, (id) =>
    request(connection, `/machines/${id}/events?limit=${limit}${from}`, isForMachine(id), options),
  );
}
