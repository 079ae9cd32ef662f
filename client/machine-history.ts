/** How did a machine's rating come to be, day by day and event by event? (decisions 4.) */
import { formatMachineDid } from '../src/domain/identifiers/identifiers.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';
import { isAbout, type AltStanding, type BondStatus, type Letter, type ShownEvent } from './machines.ts';

/** One UTC day. */
export interface HistoryPoint {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly mcr_score: number;
  readonly mcr: Letter;
  readonly mcr_degraded: boolean;
  /** Hundredths of a point; null: not rated. */
  readonly total_hundredths: number | null;
  /** US cents. */
  readonly revenue: number;
}

export interface History extends AltStanding {
  readonly did: string;
  readonly machine_id: string;
  readonly model: string;
  /** False: not all events are indexed, or not all days of many; then there are no points. */
  readonly complete: boolean;
  /** Taken for every day: of these only the present is known. */
  readonly facts_of_now: { readonly bond_status: BondStatus; readonly trust_override: number | null };
  /** US cents, before the first point. */
  readonly revenue_before: number;
  /** Oldest first, without a gap; the last is today. */
  readonly points: readonly HistoryPoint[];
}

export interface ListedEvent extends ShownEvent {
  /** 0: the oldest. */
  readonly position: number;
  /** Unix seconds. */
  readonly block_timestamp: number;
  /** Only `sound` ones qualify. */
  readonly judgement: 'sound' | 'malformed' | 'late' | 'early';
  readonly data_hash: string;
  /** Decimal. */
  readonly source_chain_id: string;
  readonly source_tx_hash: string;
}

export interface EventListing extends AltStanding {
  readonly did: string;
  readonly machine_id: string;
  readonly event_count: number;
  /** Newest first. */
  readonly events: readonly ListedEvent[];
  /** Null: this page ends with the oldest. */
  readonly next_cursor: number | null;
}

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
): Promise<Answer<History>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/mcr/${formatMachineDid(id, connection.namespace)}/history`, isAbout(id), options),
  );
}

/** The events that the rating used. `event-data-private` where the owner does not have them shown. */
export function listEvents(
  connection: Connection,
  machine: MachineKey,
  { cursor, limit = 20, ...options }: EventPageOptions = {},
): Promise<Answer<EventListing>> {
  const from = cursor === undefined || cursor === null ? '' : `&cursor=${cursor}`;
  return withMachine(machine, connection.namespace, (id) =>
    ask(connection, `/machines/${id}/events?limit=${limit}${from}`, isAbout(id), options),
  );
}
