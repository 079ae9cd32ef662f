/**
 * Indexing of a history of alt-chain events: events per second and node requests per event. The chain is in memory, so that
 * only the index is measured: `node bench/index/alt-events.ts [events] [sqlite-file-or-postgres-url]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { FakeHistory, recordOf } from '../../testing/fakes/fake-alt-history.ts';
import { createAltIndexers } from '../../src/indexing/alt/alt-indexers.ts';
import { FINGERPRINT, FixedRates, machine } from '../../testing/fixtures/indexer-harness.ts';
import { printFigures } from '../figures.ts';
import { median } from '../measuring.ts';

const MACHINES = 500;
/** Share of the events that belong to one machine. */
const SHARE_OF_ONE = 0.5;
const READS = 50;

const events = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), 'alt-events-'));
const store = await createStore(process.argv[3] ?? `sqlite:${join(folder, 'svc.db')}`);
const chain = new FakeHistory();
for (let k = 0; k < events; k++) {
  const id = k % 100 < 100 * SHARE_OF_ONE ? 1 : 2 + (k % (MACHINES - 1));
  chain.submit(machine(id), recordOf(k));
}

const silent = () => undefined;
const indexers = createAltIndexers({
  history: chain,
  store,
  fxRates: new FixedRates(),
  clock: { nowMilliseconds: Date.now },
  timers: { wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)) },
  log: { info: silent, warn: silent, error: silent },
  deployment: { genesisHash: 'genesis' as AltKey, eventRegistry: 'events' as AltKey, firstSlot: 0 },
  pollIntervalMilliseconds: 1,
});
const begun = performance.now();
indexers.worker.start();
await indexers.caughtUp;
const seconds = (performance.now() - begun) / 1000;
const requests = chain.requests.length;
await indexers.worker.stop();

const times: number[] = [];
for (let k = 0; k < READS; k++) {
  const start = performance.now();
  const read = await indexers.index.readHistory(chain.snapshotOf(machine(1)), FINGERPRINT);
  times.push(performance.now() - start);
  if (!read.isComplete) throw new Error('the history is incomplete');
}
console.log(
  JSON.stringify({
    events,
    seconds: Math.round(100 * seconds) / 100,
    eventsPerSecond: Math.round(events / seconds),
    requestsPerEvent: requests / events,
    longestHistory: chain.eventsOf(machine(1)).length,
    medianReadMilliseconds: Math.round(100 * median(times)) / 100,
    residentMegabytes: Math.round(process.memoryUsage().rss / 2 ** 20),
  }),
);
printFigures({ 'alt-events/rate': { ours: events / seconds }, 'alt-events/requests': { ours: requests / events } });
await store.close();
rmSync(folder, { recursive: true });
