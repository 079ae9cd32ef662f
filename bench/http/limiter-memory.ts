/**
 * What do a million keys cost the rate limiter, in memory and in time? Run with `--expose-gc` for an honest heap:
 * `node --expose-gc bench/http/limiter-memory.ts`.
 */
import { RateLimiter } from '../../src/http/rate-limiter.ts';
import { tellFigures } from '../figures.ts';

const KEYS = 1_000_000;
const NOW = 1_788_900_000_000;
const PATH = '/mcr/did:svc:8935090871296747543187018008787404142168231254631614802744115170449488';

/** Gives resident MiB. */
function report(what: string, since: NodeJS.MemoryUsage): number {
  globalThis.gc?.();
  const now = process.memoryUsage();
  const grown = (name: 'rss' | 'heapUsed' | 'arrayBuffers') => ((now[name] - since[name]) / 2 ** 20).toFixed(1);
  console.log(
    `${what}: arrays ${grown('arrayBuffers')} MiB, heap ${grown('heapUsed')} MiB, resident ${grown('rss')} MiB`,
  );
  return (now.rss - since.rss) / 2 ** 20;
}

/** Gives nanoseconds. */
function time(what: string, count: number, act: (index: number) => void): number {
  const startedAt = performance.now();
  for (let i = 0; i < count; i++) act(i);
  const nanoseconds = ((performance.now() - startedAt) * 1e6) / count;
  console.log(`${what}: ${nanoseconds.toFixed(0)} ns each`);
  return nanoseconds;
}

globalThis.gc?.();
const before = process.memoryUsage();
const limiter = new RateLimiter({ limit: 90, windowMilliseconds: 60_000, memoryBytes: 64 * 2 ** 20 });
report('created', before);
time('a million new paths of one address', KEYS, (i) => limiter.count('192.0.2.1', PATH + i, NOW));
report('a million keys', before);
const again = time('one key again and again', KEYS, () => limiter.count('192.0.2.1', PATH, NOW));
time('four million more, which push out the first', 4 * KEYS, (i) => {
  limiter.count(`192.0.2.${i % 200}`, PATH + i, NOW);
});
const resident = report('five million keys', before);
tellFigures({ 'limiter/memory': { ours: resident }, 'limiter/count': { ours: again } });
