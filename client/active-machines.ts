/** Which machines told of something last? (decisions 4.) A first look at a deployment, for whoever has no id yet. */
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import type { FleetEntry } from './fleet.ts';
import type { IndexReports } from './health.ts';

export interface ActiveMachine extends FleetEntry {
  /** Unix seconds, of the block of its newest indexed event. */
  readonly last_event_at: number;
}

export interface ActiveMachines extends IndexReports {
  /** Newest event first, at most 20. */
  readonly machines: readonly ActiveMachine[];
  /** Those that belong in the list and could not be read. */
  readonly unreadable: number;
}

export function listActiveMachines(connection: Connection, options?: AskOptions): Promise<Answer<ActiveMachines>> {
  return ask(connection, '/active-machines', ({ machines }) => Array.isArray(machines), options);
}
