/**
 * Summary of the logs of one window for the index. It is built while logs are read, so that a hundred thousand of them
 * need not be held in memory.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { EventLogEntry } from '../../ports/store.ts';
import { toEventEntries } from './event-entries.ts';
import type { VerifiedLog } from './block-reader.ts';

export class WindowSummary {
  #logCount = 0;
  readonly #events: EventLogEntry[] = [];
  readonly #ownershipOf = new Set<MachineId>();

  get logCount(): number {
    return this.#logCount;
  }

  /** Logs of events and provenance in chain order. */
  get events(): readonly EventLogEntry[] {
    return this.#events;
  }

  /** Machines whose ownership may have changed. */
  get ownershipOf(): ReadonlySet<MachineId> {
    return this.#ownershipOf;
  }

  add(logs: readonly VerifiedLog[]): void {
    this.#logCount += logs.length;
    for (const entry of toEventEntries(logs)) this.#events.push(entry);
    for (const log of logs) {
      for (const id of log.ownershipOf) this.#ownershipOf.add(id);
    }
  }
}
