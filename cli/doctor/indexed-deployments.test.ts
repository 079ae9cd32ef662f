/** What `svc doctor` reports of a database that holds the index of a deployment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { openSqlite } from '../../src/adapters/sql/engine/sqlite.ts';
import { migrate } from '../../src/adapters/sql/schema/migrate.ts';
import { MIGRATIONS } from '../../src/adapters/sql/schema/migrations.ts';
import { EMPTY_DATABASE, explainCause } from '../../src/domain/index-rules/index-cause.ts';
import { formatAltIndexIdentity } from '../../src/indexing/alt/alt-indexers.ts';
import { formatIndexIdentity, formatOptionalContracts } from '../../src/indexing/loops/index-identity.ts';
import type { Store } from '../../src/ports/store.ts';
import { toIndexedDeployment } from '../../src/composition/indexed-deployment.ts';
import { ALT, key, LEGACY, MAIN, address, read, type Variables } from '../../testing/fixtures/sample-environment.ts';
import { examineDatabase } from './database.ts';
import { holdsBlocks, keepStart } from './fixed-start.ts';
import { judgeStartBlock } from './rehearsal/start-block.ts';

const folder = mkdtempSync(join(tmpdir(), 'indexed-deployments-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SOUND = [{ state: 'ok', subject: 'DATABASE_URL', text: 'writable, with the schema of this release' }];
const FILLED = { ...MAIN, ...ALT, MAIN_START_BLOCK: '120', ATTESTATION_REGISTRY_ADDRESS: address('a') };

let files = 0;
let url = '';
beforeEach(() => {
  url = `sqlite:${join(folder, `${++files}.db`)}`;
});

async function write(change: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await createStore(url);
  await change(store);
  await store.close();
}

/** Claims the database as the start of the configured service does. */
async function claim(store: Store, variables: Variables): Promise<void> {
  const { mainChain, altChain } = read(variables).config;
  const deployment = toIndexedDeployment(mainChain!);
  await store.claimMainChainIdentity(formatIndexIdentity(deployment), formatOptionalContracts(deployment));
  const { genesisHash, firstSlot, programs } = altChain!;
  await store.claimAltIdentity(
    formatAltIndexIdentity({ genesisHash, firstSlot, eventRegistry: programs!.eventRegistry }),
  );
}

async function fill(store: Store): Promise<void> {
  await claim(store, FILLED);
  const block = { blockNumber: 130, blockHash: `0x${'1'.repeat(64)}` };
  await store.advanceMainChain(undefined, block, [], { readAtBlock: 130, changes: [] });
  await store.writeAltIndex(0, { walk: { done: undefined, observed: undefined, open: undefined } });
}

const examine = (variables: Variables) => examineDatabase(read({ ...variables, DATABASE_URL: url }).config);

describe('a database with the indexes of a deployment', () => {
  it('passes with the settings with which it was filled, and where a chain is not configured', async () => {
    await write(fill);
    expect(await examine(FILLED)).toEqual(SOUND);
    expect(await examine({})).toEqual(SOUND);
  });

  it.each<[name: string, variables: Variables, kind: 'other-deployment' | 'alt-index-other-deployment', by: string]>([
    ['another start block', { ...FILLED, MAIN_START_BLOCK: '7' }, 'other-deployment', 'MAIN_START_BLOCK=120'],
    [
      'an optional contract that was added',
      { ...FILLED, ADMIN_FLAGS_ADDRESS: address('b') },
      'other-deployment',
      'no ADMIN_FLAGS_ADDRESS',
    ],
    [
      'contracts that were removed, changed and added',
      {
        ...FILLED,
        ...LEGACY,
        EVENT_REGISTRY_ADDRESS: address('e'),
        ATTESTATION_REGISTRY_ADDRESS: '',
      },
      'other-deployment',
      `EVENT_REGISTRY_ADDRESS=${address('5')}, no LEGACY_EVENT_REGISTRY_ADDRESS, ATTESTATION_REGISTRY_ADDRESS=${address('a')}`,
    ],
    ['another first slot', { ...FILLED, ALT_FIRST_SLOT: '9' }, 'alt-index-other-deployment', 'ALT_FIRST_SLOT=0'],
    [
      'another program',
      { ...FILLED, ALT_EVENT_REGISTRY_PROGRAM: key('7') },
      'alt-index-other-deployment',
      `ALT_EVENT_REGISTRY_PROGRAM=${key('6')}`,
    ],
  ])('fails with the sentence of the refused start, and names what it was filled with: %s', async (_, ...given) => {
    const [variables, kind, filledWith] = given;
    await write(fill);
    const { subject, text, remedy } = explainCause({ kind });
    expect(await examine(variables)).toEqual([
      { state: 'fail', subject, text: `${text} (filled with ${filledWith})`, remedy },
    ]);
  });

  it('is not claimed by the check', async () => {
    await write(fill);
    const readStored = async () => {
      let identities = '';
      await write(async (store) => (identities = await store.readIdentities()));
      return identities;
    };
    const before = await readStored();
    await examine({ ...FILLED, MAIN_START_BLOCK: '7' });
    expect(await readStored()).toBe(before);
  });
});

it('passes for indexes without rows, whose claim the start replaces', async () => {
  await write((store) => claim(store, FILLED));
  expect(await examine({ ...FILLED, MAIN_START_BLOCK: '7', ALT_FIRST_SLOT: '9' })).toEqual(SOUND);
});

describe('MAIN_START_BLOCK', () => {
  const holds = (variables: Variables) => holdsBlocks(read({ ...variables, DATABASE_URL: url }).config);

  it('is fixed once blocks of the configured deployment are stored', async () => {
    expect(await holds(FILLED)).toBe(false);
    await write((store) => claim(store, FILLED));
    expect(await holds(FILLED)).toBe(false);
    await write(fill);
    expect(await holds(FILLED)).toBe(true);
    expect([await holds({ ...FILLED, MAIN_START_BLOCK: '7' }), await holds({})]).toEqual([false, false]);
  });

  it('is fixed beside tables of an earlier release', async () => {
    const path = url.slice('sqlite:'.length);
    const database = openSqlite(path, () => undefined);
    await database.upgrade(migrate(database.dialect, MIGRATIONS.slice(0, -1)));
    await database.close();
    expect(await holds(FILLED)).toBe(true);
  });

  it('is not advised any more then', () => {
    const [earlier, later] = [judgeStartBlock(0, 5_000, 'the first', 10), judgeStartBlock(60, 20, 'the first', 10)];
    expect(keepStart(earlier)).toEqual({
      state: 'ok',
      subject: 'MAIN_START_BLOCK',
      text: '0 is earlier than block 5000, the first; fixed, because blocks are indexed',
    });
    expect(keepStart(later)).toEqual({
      ...later,
      remedy: `it is fixed, because blocks are indexed; for another one, ${EMPTY_DATABASE}`,
    });
    const other = judgeStartBlock(20, 20, 'the first', 10);
    expect(keepStart(other)).toBe(other);
  });
});
