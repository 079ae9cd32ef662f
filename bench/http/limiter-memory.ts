/**
 * Memory and time of the rate limiter in a flood of new keys, and correctness of its limits for steady callers meanwhile.
 * `KEYS` (10,000,000) addresses, every second one IPv6, and 1,000 steady callers; times are CPU time. `--expose-gc` makes heap
 * figures accurate: `node --expose-gc bench/http/limiter-memory.ts`.
 */
import { RateLimiter } from '../../src/http/limits/rate-limiter.ts';
import { printFigures } from '../figures.ts';
import { createFlood } from './flood.ts';

const KEYS = Number(process.env['KEYS'] ?? 10_000_000);
const REPORTS = 5;
const MEMORY_BYTES = 64 * 2 ** 20;
const LIMIT = 90;
const WINDOW_MILLISECONDS = 60_000;
const GOAL_MEBIBYTES = 128;

let now = 1_788_900_000_000;
globalThis.gc?.();
const before = process.memoryUsage();
let worstResident = 0;

function report(what: string): void {
  globalThis.gc?.();
  const usage = process.memoryUsage();
  const grown = (name: 'rss' | 'heapUsed' | 'arrayBuffers') => (usage[name] - before[name]) / 2 ** 20;
  worstResident = Math.max(worstResident, grown('rss'));
  const [arrays, heap, resident] = [grown('arrayBuffers'), grown('heapUsed'), grown('rss')].map((each) =>
    each.toFixed(1),
  );
  console.log(`${what}: arrays ${arrays} MiB, heap ${heap} MiB, resident ${resident} MiB`);
}

const limiter = new RateLimiter({ limit: LIMIT, windowMilliseconds: WINDOW_MILLISECONDS, memoryBytes: MEMORY_BYTES });
const flood = createFlood(KEYS, (address, path) => limiter.count(address, path, now), LIMIT);
report('created');
const start = process.cpuUsage();
for (let part = 1; part <= REPORTS; part++) {
  flood.runUntil(Math.floor((KEYS * part) / REPORTS));
  // The whole flood stays within one window.
  now += WINDOW_MILLISECONDS / (REPORTS + 1);
  report(`${((KEYS * part) / REPORTS).toLocaleString('en')} new keys`);
}
const { user, system } = process.cpuUsage(start);
console.log(
  `${(((user + system) * 1_000) / flood.requests).toFixed(0)} ns of CPU for each of ${flood.requests.toLocaleString('en')} requests`,
);
console.log(
  `${flood.newRefused} requests of new callers rejected; ${flood.wronglyAdmitted} requests of steady callers wrongly admitted, ${flood.wronglyRefused} wrongly rejected`,
);
console.log(
  `${limiter.report().keys.toLocaleString('en')} keys stored; resident memory grew by at most ${worstResident.toFixed(1)} MiB (goal: ${GOAL_MEBIBYTES})`,
);
printFigures({
  'limiter/memory': { ours: worstResident },
  'limiter/count': { ours: ((user + system) * 1_000) / flood.requests },
});
if (flood.newRefused + flood.wronglyAdmitted + flood.wronglyRefused > 0 || worstResident > GOAL_MEBIBYTES)
  process.exitCode = 1;
