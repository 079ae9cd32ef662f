/**
 * Versioned account store: returns accounts as of a slot, so that a read at `finalized` never shows later changes, and indexes them by
 * owner, so that a program's accounts are found without a full scan.
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
  /** Undefined: removed at this slot. */
  readonly account: StoredAccount | undefined;
}

/** Number of slots behind the newest for which every version is retained. */
export const RETAINED_SLOTS = 1_000;

export class AccountHistory {
  readonly #versions = new Map<AltKey, Version[]>();
  /** Addresses by owner in any retained version. */
  readonly #byOwner = new Map<AltKey, Set<AltKey>>();

  /** Returns the account as of a slot at most `RETAINED_SLOTS` behind the newest; undefined: none. */
  at(address: AltKey, slot: number): StoredAccount | undefined {
    return this.#versions.get(address)?.findLast((version) => version.slot <= slot)?.account;
  }

  /** Yields the accounts that a program owned as of a slot, in the order in which it first owned them. */
  *ownedAt(owner: AltKey, slot: number): Generator<readonly [address: AltKey, account: StoredAccount]> {
    for (const address of this.#byOwner.get(owner) ?? []) {
      const account = this.at(address, slot);
      if (account?.owner === owner) yield [address, account];
    }
  }

  /** Writes the account at an address from `slot`, the newest slot. Undefined removes it. */
  write(address: AltKey, slot: number, account: StoredAccount | undefined): void {
    const before = this.#versions.get(address) ?? [];
    const first = before.findLastIndex((version) => version.slot <= slot - RETAINED_SLOTS);
    const retained = before.slice(Math.max(0, first)).filter((version) => version.slot !== slot);
    const after = [...retained, { slot, account }];
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
