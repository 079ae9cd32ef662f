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

/** `pending` ends with new rates, the others after a while: the node may have been wrong. */
type SkipEntry =
  { readonly kind: 'pending' } | { readonly kind: 'unreadable' | 'unread'; readonly untilMilliseconds: number };

const UNREADABLE_MILLISECONDS = 600_000;
const UNREAD_MILLISECONDS = 60_000;
const MAX_ENTRIES = 100_000;

export class FoldSkipList {
  readonly #clock: Clock;
  readonly #entries = new Map<string, SkipEntry>();
  #rates = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Drops pending entries when the rates have changed. */
  updateRates({ fingerprint, table }: FxConfiguration): void {
    const rates = `${table.throughDay} ${fingerprint}`;
    if (rates === this.#rates) return;
    this.#rates = rates;
    for (const [key, { kind }] of this.#entries) {
      if (kind === 'pending') this.#entries.delete(key);
    }
  }

  isSkipped(machine: Machine): boolean {
    const entry = this.#entries.get(keyOf(machine));
    if (entry === undefined) return false;
    if (entry.kind === 'pending' || entry.untilMilliseconds > this.#clock.nowMilliseconds()) return true;
    this.#entries.delete(keyOf(machine));
    return false;
  }

  /** Skips a machine whose next event has an amount that only later rates can convert. */
  skipUntilNewRates(machine: Machine): void {
    this.#put(machine, { kind: 'pending' });
  }

  /** Skips a machine whose records and logs disagree. */
  skipUnreadable(machine: Machine): void {
    this.#put(machine, {
      kind: 'unreadable',
      untilMilliseconds: this.#clock.nowMilliseconds() + UNREADABLE_MILLISECONDS,
    });
  }

  /** Skips a machine whose records could not be read. */
  skipBriefly(machine: Machine): void {
    this.#put(machine, { kind: 'unread', untilMilliseconds: this.#clock.nowMilliseconds() + UNREAD_MILLISECONDS });
  }

  report(): { readonly pendingMachines: number; readonly unreadableMachines: number } {
    const kinds = [...this.#entries.values()].map(({ kind }) => kind);
    return {
      pendingMachines: kinds.filter((kind) => kind === 'pending').length,
      unreadableMachines: kinds.filter((kind) => kind === 'unreadable').length,
    };
  }

  #put(machine: Machine, entry: SkipEntry): void {
    setBounded(this.#entries, keyOf(machine), entry, MAX_ENTRIES);
  }
}

function keyOf({ generation, id }: Machine): string {
  return `${generation}:${id}`;
}
