/** What does every store hold itself to, whatever the database? Registers the tests of `ports/store` for one kind of store. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { testFolds } from './store-contract/folds.ts';
import { testFxRates } from './store-contract/fx-rates.ts';
import { testIndexPersistence } from './store-contract/persistence.ts';
import { testMainChainIndex } from './store-contract/main-chain-index.ts';
import { testOwnership } from './store-contract/ownership.ts';
import { testUnfoldedList } from './store-contract/unfolded-list.ts';

/** One database of its own, which any number of stores can be opened on. */
export interface TestDatabase {
  open(): Promise<Store>;
  drop(): Promise<void>;
}

/** What the tests of one concern are given. */
export interface StoreUnderTest {
  /** Opened on an empty database before each test, closed after it. */
  readonly store: Store;
  /** One more store on the same database, closed after the test. */
  openAnother(): Promise<Store>;
}

export function testStore(name: string, createDatabase: () => Promise<TestDatabase>): void {
  describe(name, () => {
    let database: TestDatabase;
    let stores: Store[] = [];
    const current: { store: Store; openAnother(): Promise<Store> } = {
      store: undefined as unknown as Store,
      async openAnother() {
        const store = await database.open();
        stores.push(store);
        return store;
      },
    };

    beforeEach(async () => {
      database = await createDatabase();
      current.store = await current.openAnother();
    });
    afterEach(async () => {
      for (const store of stores) await store.close();
      stores = [];
      await database.drop();
    });

    testMainChainIndex(current);
    testOwnership(current);
    testUnfoldedList(current);
    testFolds(current);
    testFxRates(current);
    testIndexPersistence(current);
  });
}
