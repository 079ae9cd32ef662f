/**
 * What does a flood of ever new keys cost the rate limiter, in memory and in time, and are callers that were there before still limited rightly meanwhile? `KEYS` (10,000,000)
 * addresses, one in two of IPv6, and 1,000 callers that go on asking; times are CPU time. Run with `--expose-gc` for an honest heap: `node --expose-gc bench/http/limiter-memory.ts`.
 */
import { RateLimiter } from '../../src/http/limits/rate-limiter.ts';
import { tellFigures } from '../figures.ts';
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
  // The whole flood comes within one window.
  now += WINDOW_MILLISECONDS / (REPORTS + 1);
  report(`${((KEYS * part) / REPORTS).toLocaleString('en')} new keys`);
}
const { user, system } = process.cpuUsage(start);
console.log(
  `${(((user + system) * 1_000) / flood.asked).toFixed(0)} ns of CPU for each of ${flood.asked.toLocaleString('en')} requests`,
);
console.log(
  `${flood.newRefused} of the new callers refused; ${flood.wronglyAdmitted} of those that were there before admitted too often, ${flood.wronglyRefused} too rarely`,
);
console.log(
  `${limiter.report().keys.toLocaleString('en')} keys kept; resident memory grew by at most ${worstResident.toFixed(1)} MiB (goal: ${GOAL_MEBIBYTES})`,
);
tellFigures({
  'limiter/memory': { ours: worstResident },
  'limiter/count': { ours: ((user + system) * 1_000) / flood.asked },
});
if (flood.newRefused + flood.wronglyAdmitted + flood.wronglyRefused > 0 || worstResident > GOAL_MEBIBYTES)
  process.exitCode = 1;
