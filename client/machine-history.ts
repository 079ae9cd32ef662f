/** How did a machine's rating come to be, day by day and event by event? (decisions 4.) */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import type { EventListingResponse, HistoryResponse } from '../src/http/wire/response-types.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
import { isAbout } from './machines.ts';

export interface EventPageOptions extends AskOptions {
  /** `next_cursor` of the page before; the newest events when left out. */
  readonly cursor?: number | null;
  /** 1 to 100. */
  readonly limit?: number;
}

export function getHistory(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<HistoryResponse>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/mcr/${formatMachineDid(id, connection.namespace)}/history`, isAbout(id), options),
  );
}

/** The events that the rating used. `event-data-private` where the owner does not have them shown. */
export function listEvents(
  connection: Connection,
  machine: MachineKey,
  { cursor, limit = 20, ...options }: EventPageOptions = {},
): Promise<Answer<EventListingResponse>> {
  const from = cursor === undefined || cursor === null ? '' : `&cursor=${cursor}`;
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/machines/${id}/events?limit=${limit}${from}`, isAbout(id), options),
  );
}
