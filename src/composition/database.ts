/** Opens and migrates the store, and counts the outcomes of its writes. */
import { openReadReplica } from '../adapters/sql/read-replica.ts';
import { createStore } from '../adapters/sql/create-store.ts';
import { COMMON_FAILURES } from '../adapters/sql/engine/database-failure.ts';
import type { DatabaseLocation } from '../adapters/sql/engine/database-url.ts';
import { countWrites, type OutcomeCounts, type WriteCounts } from '../telemetry/counted-store.ts';
import { Fault } from '../domain/faults.ts';
import type { ReadReplica, Store } from '../ports/store.ts';
import type { Log } from '../ports/runtime.ts';
import type { Shutdown } from './shutdown.ts';
import { CLOCK } from './process-time.ts';

export interface OpenDatabase {
  readonly store: Store;
  readonly writes: WriteCounts;
  /** Failed statements by the database's error code. */
  readonly failures: OutcomeCounts;
  readonly reportFailure: (code: string) => void;
}

/** Opens the read replica. Undefined: lists are read from the database itself. */
export async function openReplica(
  url: string | undefined,
  { store }: OpenDatabase,
  log: Log,
  shutdown: Shutdown,
): Promise<ReadReplica | undefined> {
  if (url === undefined) return undefined;
  const { readIdentities } = store;
  // Failures of the replica are logged, and not counted as failures of the database, which page operators.
  const replica = await openReadReplica({ url, readIdentities, clock: CLOCK, log, reportFailure: () => undefined });
  shutdown.add(() => replica.close());
  return replica;
}

/** Error of a database that cannot be opened or migrated. */
export class DatabaseNotOpened extends Error {
  /** The database's error code. */
  readonly code: string;

  constructor(code: string) {
    super(`the database cannot be opened (${code})`);
    this.code = code;
  }
}

/** Throws `DatabaseNotOpened`. */
export async function openDatabase(location: DatabaseLocation, shutdown: Shutdown): Promise<OpenDatabase> {
  const failures = new Map<string, number>(COMMON_FAILURES[location.kind].map((code) => [code, 0]));
  let latestCode = 'UNKNOWN';
  const reportFailure = (code: string) => {
    latestCode = code;
    failures.set(code, (failures.get(code) ?? 0) + 1);
  };
  const { store, counts } = countWrites(
    await createStore(location, { reportFailure }).catch((error: unknown) => {
      throw error instanceof Fault ? new DatabaseNotOpened(latestCode) : error;
    }),
  );
  shutdown.add(() => store.close());
  return { store, writes: counts, failures, reportFailure };
}
