/** What does a process keep, and what became of its writes? The store, opened and migrated, and what operators count of it. */
import { openReadReplica } from '../adapters/sql/read-replica.ts';
import { createStore } from '../adapters/sql/create-store.ts';
import type { DatabaseLocation } from '../adapters/sql/engine/database-url.ts';
import { countWrites, type OutcomeCounts, type WriteCounts } from '../telemetry/counted-store.ts';
import type { ReadReplica, Store } from '../ports/store.ts';
import type { Log } from '../ports/runtime.ts';
import type { Shutdown } from './shutdown.ts';
import { CLOCK } from './process-time.ts';

export interface OpenDatabase {
  readonly store: Store;
  readonly writes: WriteCounts;
  /** Statements that failed, by the database's own code. */
  readonly failures: OutcomeCounts;
  readonly reportFailure: (code: string) => void;
}

/** Undefined: lists are read from the database itself. */
export async function openLists(
  url: string | undefined,
  { store }: OpenDatabase,
  log: Log,
  closing: Shutdown,
): Promise<ReadReplica | undefined> {
  if (url === undefined) return undefined;
  const { readIdentities } = store;
  // What the copy fails at is told in the log, and is no failure of the database, for which operators are woken.
  const copy = await openReadReplica({ url, readIdentities, clock: CLOCK, log, reportFailure: () => undefined });
  closing.add(() => copy.close());
  return copy;
}

export async function openDatabase(location: DatabaseLocation, closing: Shutdown): Promise<OpenDatabase> {
  const failures = new Map<string, number>();
  const reportFailure = (code: string) => {
    failures.set(code, (failures.get(code) ?? 0) + 1);
  };
  const { store, counts } = countWrites(await createStore(location, { reportFailure }));
  closing.add(() => store.close());
  return { store, writes: counts, failures, reportFailure };
}
