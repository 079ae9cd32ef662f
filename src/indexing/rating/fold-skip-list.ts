/**
 * Which machines cannot be folded any further for now, and until when? So that they are not read again and again in vain. Forgetting
 * one is harmless: it is read once more.
 */
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { FxConfiguration } from '../../ports/rates.ts';
import type { EventGeneration } from '../../ports/main-chain.ts';

interface Machine {
  readonly generation: EventGeneration;
  readonly id: MachineId;
}

/** `pending` ends with new rates, the others after a while: the node may have been wrong. */
type Block =
  { readonly kind: 'pending' } | { readonly kind: 'unreadable' | 'unread'; readonly untilMilliseconds: number };

const UNREADABLE_MILLISECONDS = 600_000;
const UNREAD_MILLISECONDS = 60_000;
const MAX_BLOCKS = 100_000;

export class FoldSkipList {
  readonly #clock: Clock;
  readonly #blocks = new Map<string, Block>();
  #rates = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Under other rates than before, everything that was pending may be folded. */
  useRates({ fingerprint, table }: FxConfiguration): void {
    const rates = `${table.throughDay} ${fingerprint}`;
    if (rates === this.#rates) return;
    this.#rates = rates;
    for (const [key, { kind }] of this.#blocks) {
      if (kind === 'pending') this.#blocks.delete(key);
    }
  }

  isBlocked(machine: Machine): boolean {
    const block = this.#blocks.get(keyOf(machine));
    if (block === undefined) return false;
    if (block.kind === 'pending' || block.untilMilliseconds > this.#clock.nowMilliseconds()) return true;
    this.#blocks.delete(keyOf(machine));
    return false;
  }

  /** The next event has an amount that only later rates can tell. */
  blockPending(machine: Machine): void {
    this.#put(machine, { kind: 'pending' });
  }

  /** Its records and logs do not agree. */
  blockUnreadable(machine: Machine): void {
    this.#put(machine, {
      kind: 'unreadable',
      untilMilliseconds: this.#clock.nowMilliseconds() + UNREADABLE_MILLISECONDS,
    });
  }

  /** Its records could not be read. */
  blockForNow(machine: Machine): void {
    this.#put(machine, { kind: 'unread', untilMilliseconds: this.#clock.nowMilliseconds() + UNREAD_MILLISECONDS });
  }

  report(): { readonly pendingMachines: number; readonly unreadableMachines: number } {
    const kinds = [...this.#blocks.values()].map(({ kind }) => kind);
    return {
      pendingMachines: kinds.filter((kind) => kind === 'pending').length,
      unreadableMachines: kinds.filter((kind) => kind === 'unreadable').length,
    };
  }

  #put(machine: Machine, block: Block): void {
    const key = keyOf(machine);
    this.#blocks.delete(key);
    this.#blocks.set(key, block);
    if (this.#blocks.size > MAX_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!);
  }
}

function keyOf({ generation, id }: Machine): string {
  return `${generation}:${id}`;
}
