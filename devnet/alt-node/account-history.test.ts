/** Versioned account store: reads as of every retained slot, by address and by owner. */
import { expect, it } from 'vitest';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { AccountHistory, RETAINED_SLOTS } from './account-history.ts';
import type { StoredAccount } from './account-history.ts';

const [ADDRESS, ONE, OTHER] = [1, 2, 3].map((byte) => formatAltKey(new Uint8Array(32).fill(byte)));

function accountOf(owner = ONE!, data: readonly number[] = []): StoredAccount {
  return { owner, lamports: 1n, data: Uint8Array.from(data), executable: false };
}

it('returns the last version written at or before a slot', () => {
  const history = new AccountHistory();
  history.write(ADDRESS!, 5, accountOf(ONE, [1]));
  history.write(ADDRESS!, 5, accountOf(ONE, [2]));
  history.write(ADDRESS!, 7, undefined);
  history.write(ADDRESS!, 9, accountOf(OTHER, [3]));
  expect([4, 5, 6, 7, 8, 9, 10].map((slot) => history.at(ADDRESS!, slot)?.data[0])).toStrictEqual([
    ...[undefined, 2, 2, undefined, undefined, 3, 3],
  ]);
  const ownersAt = (slot: number) =>
    [ONE, OTHER].map((owner) => [...history.ownedAt(owner!, slot)].map(([address]) => address));
  expect([4, 6, 8, 9].map(ownersAt)).toStrictEqual([
    [[], []],
    [[ADDRESS], []],
    [[], []],
    [[], [ADDRESS]],
  ]);
});

it('returns the version of every retained slot and discards older ones', () => {
  const history = new AccountHistory();
  for (const slot of [1, 2, 3, 4]) history.write(ADDRESS!, slot, accountOf(slot < 3 ? ONE : OTHER, [slot]));
  history.write(ADDRESS!, 3 + RETAINED_SLOTS, accountOf(OTHER, [9]));
  expect([2, 3, 4, 3 + RETAINED_SLOTS].map((slot) => history.at(ADDRESS!, slot)?.data[0])).toStrictEqual([
    ...[undefined, 3, 4, 9],
  ]);
  expect([...history.ownedAt(ONE!, 2)]).toStrictEqual([]);
  expect([...history.ownedAt(OTHER!, 4)]).toStrictEqual([[ADDRESS, accountOf(OTHER, [4])]]);
});
