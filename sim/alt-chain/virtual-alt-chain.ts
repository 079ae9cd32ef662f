/** Virtual alt chain: its final slots and their transactions. Only final slots exist, so nothing is ever reverted. */
import { EMPTY_ALT_WORLD, type AltWorld } from './machine-state.ts';
import { FIRST_SLOT, SLOT_MILLISECONDS } from './deployment.ts';
import type { AltTransaction } from './transactions.ts';

interface Version {
  readonly slot: number;
  readonly world: AltWorld;
}

export class VirtualAltChain {
  readonly #now: () => number;
  readonly #genesisMilliseconds: number;
  readonly #versions: Version[] = [{ slot: 0, world: EMPTY_ALT_WORLD }];
  /** In order of execution. */
  readonly transactions: AltTransaction[] = [];
  readonly bySignature = new Map<string, AltTransaction>();

  constructor(now: () => number, genesisMilliseconds: number) {
    this.#now = now;
    this.#genesisMilliseconds = genesisMilliseconds;
  }

  slotAt(milliseconds: number): number {
    return FIRST_SLOT + Math.floor((milliseconds - this.#genesisMilliseconds) / SLOT_MILLISECONDS);
  }

  /** The newest final slot. */
  get slot(): number {
    return this.slotAt(this.#now());
  }

  get lastUsedSlot(): number {
    return this.#versions.at(-1)!.slot;
  }

  /** Returns the time of a slot in Unix seconds. */
  timeOf(slot: number): number {
    return Math.floor((this.#genesisMilliseconds + (slot - FIRST_SLOT) * SLOT_MILLISECONDS) / 1000);
  }

  get world(): AltWorld {
    return this.#versions.at(-1)!.world;
  }

  worldAt(slot: number): AltWorld {
    for (let i = this.#versions.length - 1; i > 0; i--) {
      if (this.#versions[i]!.slot <= slot) return this.#versions[i]!.world;
    }
    return EMPTY_ALT_WORLD;
  }

  finalize(slot: number, world: AltWorld, transactions: readonly AltTransaction[]): void {
    this.#versions.push({ slot, world });
    for (const transaction of transactions) {
      this.transactions.push(transaction);
      this.bySignature.set(transaction.signature, transaction);
    }
  }
}
