import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import type { OwnershipPage, Store } from '../../ports/store.ts';
import { openStore } from './create-store.ts';
import { createReadReplica, type OpenReadReplica } from './read-replica.ts';
import { openSqlite } from './engine/sqlite.ts';
import { checkpointAt, id } from '../../../testing/contracts/store/samples.ts';

const OWNER = `0x${'a1'.repeat(20)}` as Address;
const PAGE: OwnershipPage = { indexedBlock: 3, total: 1, ids: [id(7)] };

let now: number;
let identities: string;
let isFit: boolean;
let asked: number;
let warned: unknown[];
let store: Store;
let copy: OpenReadReplica;
beforeEach(async () => {
  now = 1_788_900_000_000;
  isFit = true;
  asked = 0;
  warned = [];
  const database = openSqlite(':memory:', () => undefined);
  store = await openStore(database, () => undefined);
  await store.claimMainChainIdentity('chain=1');
  const changes = [{ kind: 'held' as const, id: id(7), owner: OWNER, controller: undefined }];
  await store.advanceMainChain(undefined, checkpointAt(3), [], { readAtBlock: 3, changes });
  identities = await store.readIdentities();
  copy = createReadReplica(database, {
    readIdentities: async () => identities,
    clock: { nowMilliseconds: () => now },
    log: { info: () => undefined, warn: (fields) => void warned.push(fields), error: () => undefined },
  });
});
afterEach(() => copy.close());

function read(): Promise<OwnershipPage | undefined> {
  return copy.tryReplica(
    (lists) => {
      asked += 1;
      return lists.listOwnership(OWNER, 0, 10);
    },
    () => isFit,
  );
}

test('a copy of the same deployments tells its page, and up to which block it holds', async () => {
  expect(await read()).toEqual(PAGE);
  expect(warned).toEqual([]);
});

test('one of another deployment is not used, nor asked again at once; and used when it has become the same', async () => {
  identities = 'another';
  expect(await read()).toBeUndefined();
  identities = await store.readIdentities();
  now += 4_999;
  expect(await read()).toBeUndefined();
  expect(asked).toBe(0);
  now += 1;
  expect(await read()).toEqual(PAGE);
  expect(warned).toEqual([{ reason: 'another index' }]);
});

test('one that lags is not asked for each page, is told once, and is used when it has caught up', async () => {
  expect(await read()).toEqual(PAGE);
  isFit = false;
  expect(await read()).toBeUndefined();
  now += 4_999;
  expect(await read()).toBeUndefined();
  expect(asked).toBe(2);
  now += 1;
  expect(await read()).toBeUndefined();
  expect(asked).toBe(3);
  isFit = true;
  now += 5_000;
  expect(await read()).toEqual(PAGE);
  expect(await read()).toEqual(PAGE);
  expect(asked).toBe(5);
  expect(warned).toEqual([{ reason: 'lags' }]);
});

test('one that was left alone is tried by one page, and no other waits for it', async () => {
  isFit = false;
  await read();
  now += 5_000;
  isFit = true;
  expect(await Promise.all([read(), read(), read()])).toEqual([PAGE, undefined, undefined]);
});

test('one that fails is left alone', async () => {
  await read();
  await store.close();
  expect(await read()).toBeUndefined();
  expect(await read()).toBeUndefined();
  expect(asked).toBe(2);
  expect(warned).toEqual([{ reason: 'fails' }]);
});

test('a clock that is set back keeps none alone for longer', async () => {
  isFit = false;
  await read();
  now -= 3_600_000;
  isFit = true;
  expect(await read()).toEqual(PAGE);
});
