/** Contract of every store: registers the tests of `ports/store` for one kind of database. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { testActiveMachines } from './store/active-machines.ts';
import { testChanges } from './store/changes.ts';
import { testDirectory } from './store/directory.ts';
import { testAltEvents } from './store/alt-events.ts';
import { testAltFleets } from './store/alt-fleets.ts';
import { testEvidenceRecords } from './store/evidence-records.ts';
import { testDecisions } from './store/decisions.ts';
import { testRatingStateDays } from './store/rating-state-days.ts';
import { testRatingStates } from './store/rating-states.ts';
import { testFxRates } from './store/fx-rates.ts';
import { testIndexProof } from './store/index-proof.ts';
import { testMainChainIndex } from './store/main-chain-index.ts';
import { testNodeProfiles } from './store/node-profiles.ts';
import { testOwnership } from './store/ownership.ts';
import { testPayments } from './store/payments.ts';
import { testPersistence } from './store/persistence.ts';
import { testStatementKeys } from './store/statement-keys.ts';
import { testProcesses } from './store/processes.ts';
import { testUnfoldedList } from './store/unfolded-list.ts';

/** Factory of one kind of database. */
export interface TestDatabases {
  /** Creates a separate database for any number of stores, empty or with the tables of this release. */
  create(content: 'nothing' | 'tables'): Promise<TestDatabase>;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Store and databases of one test; all are closed and dropped after it. */
export interface StoreUnderTest {
  /** Opened on an empty database before each test. */
  readonly store: Store;
  /** Opens another store on the same database. */
  openAnother(): Promise<Store>;
  /** Creates another database without tables and returns its URL. */
  createEmpty(): Promise<string>;
  openAt(url: string): Promise<Store>;
}

export function testStore(name: string, databases: TestDatabases): void {
  describe(name, () => {
    let created: TestDatabase[] = [];
    let stores: Store[] = [];
    const under: StoreUnderTest & { store: Store } = {
      store: undefined as unknown as Store,
      openAnother: () => under.openAt(created[0]!.url),
      createEmpty: () => create('nothing'),
      async openAt(url) {
        const store = await createStore(url);
        stores.push(store);
        return store;
      },
    };

    async function create(content: 'nothing' | 'tables'): Promise<string> {
      const database = await databases.create(content);
      created.push(database);
      return database.url;
    }

    beforeEach(async () => {
      under.store = await under.openAt(await create('tables'));
    });
    afterEach(async () => {
      for (const store of stores) await store.close();
      for (const database of created) await database.drop();
      stores = [];
      created = [];
    });

    testMainChainIndex(under);

    testIndexProof(under);
    testOwnership(under);
    testUnfoldedList(under);
    testRatingStates(under);
    testRatingStateDays(under);
    testActiveMachines(under);
    testFxRates(under);
    testPayments(under);
    testChanges(under);
    testDirectory(under);

    testNodeProfiles(under);
    testDecisions(under);
    testEvidenceRecords(under);
    testStatementKeys(under);
    testAltEvents(under);
    testAltFleets(under);
    testPersistence(under);
    testProcesses(under);
  });
}
