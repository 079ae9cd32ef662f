/**
 * Summary of the logs of one window for the index. It is built while logs are read, so that a hundred thousand of them
 * need not be held in memory.
 */
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { TouchedMachines } from '../../ports/change-store.ts';
import type { EventLogEntry } from '../../ports/store.ts';
import { toEventEntries } from './event-entries.ts';
import type { VerifiedLog } from './verified-log.ts';

export class WindowSummary {
  #logCount = 0;
  readonly #events: EventLogEntry[] = [];
  readonly #ownershipOf = new Set<MachineId>();
  readonly #touched = new Set<MachineId>();
  readonly #kybOperators = new Set<Address>();

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

  /** Machines that any of the logs may have changed, and operators. A log that concerns every machine names none. */
  get touched(): TouchedMachines {
    return { machines: [...this.#touched], kybOperators: [...this.#kybOperators] };
  }

  add(logs: readonly VerifiedLog[]): void {
    this.#logCount += logs.length;
    for (const entry of toEventEntries(logs)) this.#events.push(entry);
    for (const { ownershipOf, effect } of logs) {
      for (const id of ownershipOf) this.#ownershipOf.add(id);
      if (effect.kind === 'machines') for (const id of effect.ids) this.#touched.add(id);
      else if (effect.kind === 'operator-kyb') this.#kybOperators.add(effect.operator);
    }
  }
}

/** Summarizes logs that are in memory. */
export function summarizeLogs(logs: readonly VerifiedLog[]): Pick<WindowSummary, 'ownershipOf' | 'touched'> {
  const summary = new WindowSummary();
  summary.add(logs);
  return summary;
}
