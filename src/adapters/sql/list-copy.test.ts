import { afterEach, beforeEach, expect, test } from 'vitest';
import { Fault } from '../../domain/faults.ts';
import type { Address } from '../../domain/identifiers.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from './create-store.ts';
import { createListCopy, type ListCopy } from './list-copy.ts';
import { openSqlite } from './sqlite.ts';
import { checkpointAt, id } from './store-contract/samples.ts';

const OWNER = `0x${'a1'.repeat(20)}` as Address;
const unavailable = new Fault('StoreUnavailable', {});

let now: number;
let identities: string;
let warned: number;
let store: Store;
let copy: ListCopy;
beforeEach(async () => {
  now = 1_788_900_000_000;
  warned = 0;
  const database = openSqlite(':memory:', () => undefined);
  store = await openStore(database, () => undefined);
  await store.claimMainChainIdentity('chain=1');
  const changes = [{ kind: 'held' as const, id: id(7), owner: OWNER, controller: undefined }];
  await store.advanceMainChain(undefined, checkpointAt(3), [], { readAtBlock: 3, changes });
  identities = await store.readIdentities();
  copy = createListCopy(database, {
    readIdentities: async () => identities,
    clock: { nowMilliseconds: () => now },
    log: { info: () => undefined, warn: () => void (warned += 1), error: () => undefined },
  });
});
afterEach(() => copy.close());

test('a copy of the same deployments tells its page, and up to which block it holds', async () => {
  expect(await copy.listHoldings(OWNER, 0, 10)).toEqual({ indexedBlock: 3, total: 1, ids: [7n] });
  expect(warned).toBe(0);
});

test('one of another deployment is not used, nor asked again at once; and used when it has become the same', async () => {
  identities = 'another';
  await expect(copy.listHoldings(OWNER, 0, 10)).rejects.toEqual(unavailable);
  identities = await store.readIdentities();
  now += 4_999;
  await expect(copy.listHoldings(OWNER, 0, 10)).rejects.toEqual(unavailable);
  now += 1;
  expect((await copy.listHoldings(OWNER, 0, 10)).ids).toEqual([7n]);
  expect(warned).toBe(1);
});

test('one that fails is left alone', async () => {
  await copy.listHoldings(OWNER, 0, 10);
  await store.close();
  await expect(copy.listHoldings(OWNER, 0, 10)).rejects.toEqual(unavailable);
  expect(warned).toBe(1);
});
