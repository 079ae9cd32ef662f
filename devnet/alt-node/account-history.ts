/**
 * What was at an address as of a slot? Accounts with their latest versions, so that a read at `finalized` never shows what
 * happened since, and an index by owner, so that a program's accounts are found without looking at all.
 */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';

export interface StoredAccount {
  readonly owner: AltKey;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

interface Version {
  readonly slot: number;
  /** Undefined: none from this slot on. */
  readonly account: StoredAccount | undefined;
}

/** Slots behind the newest of which every state is kept. */
export const RETAINED_SLOTS = 1_000;

export class AccountHistory {
  readonly #versions = new Map<AltKey, Version[]>();
  /** Addresses with an owner in any kept version. */
  readonly #byOwner = new Map<AltKey, Set<AltKey>>();

  /** Undefined: nothing was there. `slot` is at most `RETAINED_SLOTS` behind the newest. */
  at(address: AltKey, slot: number): StoredAccount | undefined {
    return this.#versions.get(address)?.findLast((version) => version.slot <= slot)?.account;
  }

  /** The accounts that a program owned, in the order in which they came to be its own. */
  *ownedAt(owner: AltKey, slot: number): Generator<readonly [address: AltKey, account: StoredAccount]> {
    for (const address of this.#byOwner.get(owner) ?? []) {
      const account = this.at(address, slot);
      if (account?.owner === owner) yield [address, account];
    }
  }

  /** Writes what is at an address from `slot` on, which is the newest. */
  write(address: AltKey, slot: number, account: StoredAccount | undefined): void {
    const before = this.#versions.get(address) ?? [];
    const first = before.findLastIndex((version) => version.slot <= slot - RETAINED_SLOTS);
    const kept = before.slice(Math.max(0, first)).filter((version) => version.slot !== slot);
    const after = [...kept, { slot, account }];
    this.#versions.set(address, after);
    const owners = new Set(after.map((version) => version.account?.owner));
    for (const { account: old } of before) {
      if (old !== undefined && !owners.has(old.owner)) this.#byOwner.get(old.owner)?.delete(address);
    }
    if (account === undefined) return;
    const owned = this.#byOwner.get(account.owner) ?? new Set<AltKey>();
    this.#byOwner.set(account.owner, owned.add(address));
  }
}
