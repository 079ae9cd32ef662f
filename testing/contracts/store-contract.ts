/** What does every store hold itself to, whatever the database? Registers the tests of `ports/store` for one kind of store. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { testActiveMachines } from './store/active-machines.ts';
import { testAltEvents } from './store/alt-events.ts';
import { testAltFleets } from './store/alt-fleets.ts';
import { testChipIntakes } from './store/evidence-records.ts';
import { testDecisions } from './store/decisions.ts';
import { testFoldDays } from './store/rating-state-days.ts';
import { testFolds } from './store/rating-states.ts';
import { testFxRates } from './store/fx-rates.ts';
import { testMainChainIndex } from './store/main-chain-index.ts';
import { testOwnership } from './store/ownership.ts';
import { testPersistence } from './store/persistence.ts';
import { testProcesses } from './store/processes.ts';
import { testUnfoldedList } from './store/unfolded-list.ts';

/** One kind of database. */
export interface TestDatabases {
  /** Makes a database of its own, which any number of stores can be opened on, without tables or with those of this release. */
  create(content: 'nothing' | 'tables'): Promise<TestDatabase>;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** What the tests of one concern are given. All of it is closed and dropped after each test. */
export interface StoreUnderTest {
  /** Opened on a database without rows before each test. */
  readonly store: Store;
  /** One more store on the same database. */
  openAnother(): Promise<Store>;
  /** Makes another database, without tables; its URL. */
  createEmpty(): Promise<string>;
  openAt(url: string): Promise<Store>;
}

export function testStore(name: string, databases: TestDatabases): void {
  describe(name, () => {
    let made: TestDatabase[] = [];
    let stores: Store[] = [];
    const under: StoreUnderTest & { store: Store } = {
      store: undefined as unknown as Store,
      openAnother: () => under.openAt(made[0]!.url),
      createEmpty: () => create('nothing'),
      async openAt(url) {
        const store = await createStore(url);
        stores.push(store);
        return store;
      },
    };

    async function create(content: 'nothing' | 'tables'): Promise<string> {
      const database = await databases.create(content);
      made.push(database);
      return database.url;
    }

    beforeEach(async () => {
      under.store = await under.openAt(await create('tables'));
    });
    afterEach(async () => {
      for (const store of stores) await store.close();
      for (const database of made) await database.drop();
      stores = [];
      made = [];
    });

    testMainChainIndex(under);
    testOwnership(under);
    testUnfoldedList(under);
    testFolds(under);
    testFoldDays(under);
    testActiveMachines(under);
    testFxRates(under);
    testDecisions(under);
    testChipIntakes(under);
    testAltEvents(under);
    testAltFleets(under);
    testPersistence(under);
    testProcesses(under);
  });
}
