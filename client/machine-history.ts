/** Reads the rating of a machine day by day, its events and its decisions (decisions 4). */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import type { DecisionLogResponse, EventListingResponse, HistoryResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
import { isForMachine } from './machines.ts';

export interface PageOptions extends RequestOptions {
  /** `next_cursor` of the previous page; left out: the newest. */
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
  { cursor, limit = 20, ...options }: PageOptions = {},
): Promise<Result<EventListingResponse>> {
  const from = cursor === undefined || cursor === null ? '' : `&cursor=${cursor}`;
  return withMachine(machine, connection.namespace, (id) =>
    request(connection, `/machines/${id}/events?limit=${limit}${from}`, isForMachine(id), options),
  );
}

/** Requests a page of the decisions that were in force, newest first. They are not verified. */
export function listDecisions(
  connection: Connection,
  machine: MachineKey,
  { cursor, limit = 20, ...options }: PageOptions = {},
): Promise<Result<DecisionLogResponse>> {
  const { namespace } = connection;
  const from = cursor === undefined || cursor === null ? '' : `&cursor=${cursor}`;
  return withMachine(machine, namespace, (id) =>
    request<DecisionLogResponse>(
      connection,
      `/machine/${formatMachineDid(id, namespace)}/monetization/history?limit=${limit}${from}`,
      ({ decisions }) =>
        Array.isArray(decisions) &&
        decisions.every((each) => (each as { machine_id?: unknown } | null)?.machine_id === String(id)),
      options,
    ),
  );
}
