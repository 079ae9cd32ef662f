/**
 * Skip list of machines that cannot be folded further for now, so that they are not read repeatedly. Dropping an
 * entry is harmless: the machine is read once more.
 */
import { setBounded } from '../../domain/bounded-map.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { FxConfiguration } from '../../ports/rates.ts';
import type { EventGeneration } from '../../ports/main-chain.ts';

interface Machine {
  readonly generation: EventGeneration;
  readonly id: MachineId;
}

/** Ends with new rates; every other entry ends at a time, because the node may have been wrong. */
const UNTIL_NEW_RATES = Infinity;
const UNREADABLE_MILLISECONDS = 600_000;
const UNREAD_MILLISECONDS = 60_000;
const MAX_ENTRIES = 100_000;

export class FoldSkipList {
  readonly #clock: Clock;
  /** Clock milliseconds at which each entry ends. */
  readonly #entries = new Map<string, number>();
  #rates = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Drops the entries that end with new rates when the rates have changed. */
  updateRates({ fingerprint, table }: FxConfiguration): void {
    const rates = `${table.throughDay} ${fingerprint}`;
    if (rates === this.#rates) return;
    this.#rates = rates;
    for (const [key, untilMilliseconds] of this.#entries) {
      if (untilMilliseconds === UNTIL_NEW_RATES) this.#entries.delete(key);
    }
  }

  isSkipped(machine: Machine): boolean {
    const untilMilliseconds = this.#entries.get(keyOf(machine));
    if (untilMilliseconds === undefined) return false;
    if (untilMilliseconds > this.#clock.nowMilliseconds()) return true;
    this.#entries.delete(keyOf(machine));
    return false;
  }

  /** Skips a machine whose next event has an amount that only later rates can convert. */
  skipUntilNewRates(machine: Machine): void {
    this.#put(machine, UNTIL_NEW_RATES);
  }

  /** Skips a machine whose records and logs disagree. */
  skipUnreadable(machine: Machine): void {
    this.#put(machine, this.#clock.nowMilliseconds() + UNREADABLE_MILLISECONDS);
  }

  /** Skips a machine whose records could not be read. */
  skipBriefly(machine: Machine): void {
    this.#put(machine, this.#clock.nowMilliseconds() + UNREAD_MILLISECONDS);
  }

  #put(machine: Machine, untilMilliseconds: number): void {
    setBounded(this.#entries, keyOf(machine), untilMilliseconds, MAX_ENTRIES);
  }
}

function keyOf({ generation, id }: Machine): string {
  return `${generation}:${id}`;
}
