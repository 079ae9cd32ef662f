/** Tests when listings are read from the read replica and when it is skipped. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import type { OwnershipPage, Store } from '../../ports/store.ts';
import { openStore } from './create-store.ts';
import { createReadReplica, type OpenReadReplica } from './read-replica.ts';
import { openSqlite } from './engine/sqlite.ts';
import { checkpointAt, id } from '../../../testing/contracts/store/samples.ts';

const OWNER = `0x${'a1'.repeat(20)}` as Address;
const TOKENS = { count: 1, checkpoint: checkpointAt(3) };
const PAGE: OwnershipPage = { indexedBlock: 3, tokens: TOKENS, total: 1, ids: [id(7)] };

let now: number;
let identities: string;
let isFit: boolean;
let reads: number;
let warned: unknown[];
let store: Store;
let replica: OpenReadReplica;
beforeEach(async () => {
  now = 1_788_900_000_000;
  isFit = true;
  reads = 0;
  warned = [];
  const database = openSqlite(':memory:', () => undefined);
  store = await openStore(database, () => undefined);
  await store.claimMainChainIdentity('chain=1', 'none');
  const changes = [{ kind: 'held' as const, id: id(7), owner: OWNER, controller: undefined }];
  await store.advanceMainChain(undefined, checkpointAt(3), [], { readAtBlock: 3, changes });
  identities = await store.readIdentities();
  replica = createReadReplica(database, {
    readIdentities: async () => identities,
    clock: { nowMilliseconds: () => now },
    log: { info: () => undefined, warn: (fields) => void warned.push(fields), error: () => undefined },
  });
});
afterEach(() => replica.close());

function read(): Promise<OwnershipPage | undefined> {
  return replica.tryReplica(
    (lists) => {
      reads += 1;
      return lists.listOwnership(OWNER, 0, 10);
    },
    () => isFit,
  );
}

test('returns the page and its indexed block from a replica of the same deployments', async () => {
  expect(await read()).toEqual(PAGE);
  expect(warned).toEqual([]);
});

test('skips a replica of another deployment until it indexes the same one', async () => {
  identities = 'another';
  expect(await read()).toBeUndefined();
  identities = await store.readIdentities();
  now += 4_999;
  expect(await read()).toBeUndefined();
  expect(reads).toBe(0);
  now += 1;
  expect(await read()).toEqual(PAGE);
  expect(warned).toEqual([{ reason: 'another index' }]);
});

test('skips a lagging replica, logs it once, and uses it again when it has caught up', async () => {
  expect(await read()).toEqual(PAGE);
  isFit = false;
  expect(await read()).toBeUndefined();
  now += 4_999;
  expect(await read()).toBeUndefined();
  expect(reads).toBe(2);
  now += 1;
  expect(await read()).toBeUndefined();
  expect(reads).toBe(3);
  isFit = true;
  now += 5_000;
  expect(await read()).toEqual(PAGE);
  expect(await read()).toEqual(PAGE);
  expect(reads).toBe(5);
  expect(warned).toEqual([{ reason: 'lags' }]);
});

test('tries a skipped replica again with one page only', async () => {
  isFit = false;
  await read();
  now += 5_000;
  isFit = true;
  expect(await Promise.all([read(), read(), read()])).toEqual([PAGE, undefined, undefined]);
});

test('skips a failing replica', async () => {
  await read();
  await store.close();
  expect(await read()).toBeUndefined();
  expect(await read()).toBeUndefined();
  expect(reads).toBe(2);
  expect(warned).toEqual([{ reason: 'fails' }]);
});

test('does not skip a replica for longer when the clock is set back', async () => {
  isFit = false;
  await read();
  now -= 3_600_000;
  isFit = true;
  expect(await read()).toEqual(PAGE);
});
