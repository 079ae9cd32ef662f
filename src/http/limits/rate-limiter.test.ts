import { memoryUsage } from 'node:process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFlood } from '../../../bench/http/flood.ts';
import { PROPERTY_RUNS, SEED_TITLE } from '../../../testing/arbitraries/property-runs.ts';
import { RateLimiter } from './rate-limiter.ts';

const WINDOW = 60_000;
const START = 1_788_900_000_000;

function createLimiter(memoryBytes = 1_000_000, limit = 90): RateLimiter {
  return new RateLimiter({ limit, windowMilliseconds: WINDOW, memoryBytes });
}

/** Reference model without a bound on memory. */
class NaiveLimiter {
  readonly windows = new Map<string, { start: number; count: number }>();
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  count(address: string, path: string, now: number): number {
    const key = `${address} ${path}`;
    const window = this.windows.get(key);
    if (window === undefined || now - window.start >= WINDOW) {
      this.windows.set(key, { start: now, count: 1 });
      return 0;
    }
    if (window.count >= this.limit) return Math.ceil((window.start + WINDOW - now) / 1000);
    window.count += 1;
    return 0;
  }
}

const requests = (paths: number) =>
  fc.array(
    fc.record({
      address: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1'),
      path: fc.integer({ min: 0, max: paths - 1 }).map((number) => `/machines/${number}`),
      wait: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(59_999, 60_000, 60_001)),
      times: fc.integer({ min: 1, max: 7 }),
    }),
    { maxLength: 200 },
  );

describe('the limit of 90 requests in 60 seconds', () => {
  test('refuses the 91st request and returns the seconds to wait', () => {
    const limiter = createLimiter();
    for (let i = 0; i < 90; i++) expect(limiter.count('a', '/health', START + i)).toBe(0);
    expect(limiter.count('a', '/health', START + 90)).toBe(60);
    expect(limiter.count('a', '/health', START + 1_000)).toBe(59);
    expect(limiter.count('a', '/health', START + 59_999)).toBe(1);
    expect(limiter.count('a', '/health', START + 60_000)).toBe(0);
  });

  test('counts every address and path separately', () => {
    const limiter = createLimiter();
    for (let i = 0; i < 90; i++) limiter.count('a', '/machines/1', START);
    expect(limiter.count('a', '/machines/1', START)).toBe(60);
    expect(limiter.count('a', '/machines/2', START)).toBe(0);
    expect(limiter.count('b', '/machines/1', START)).toBe(0);
  });

  test('does not extend the window by refused requests', () => {
    const limiter = createLimiter();
    for (let i = 0; i < 500; i++) limiter.count('a', '/health', START + i * 100);
    expect(limiter.count('a', '/health', START + 60_000)).toBe(0);
  });

  test('locks no client out when the clock is set back', () => {
    const limiter = createLimiter();
    for (let i = 0; i < 91; i++) limiter.count('a', '/health', START);
    expect(limiter.count('a', '/health', START - 3_600_000)).toBe(0);
  });

  test('equals the reference model on any traffic', () => {
    fc.assert(
      fc.property(requests(4), (traffic) => {
        const limiter = createLimiter(1_000_000, 5);
        const reference = new NaiveLimiter(5);
        let now = START;
        for (const { address, path, wait, times } of traffic) {
          now += wait;
          for (let i = 0; i < times; i++) {
            expect(limiter.count(address, path, now)).toBe(reference.count(address, path, now));
          }
        }
      }),
    );
  });
});

describe(`with memory for a few keys only, ${SEED_TITLE}`, () => {
  /** 40 bytes per key. */
  const SMALL = 40 * 129;

  test('refuses only after the limit was admitted within one window, while no address spreads', () => {
    fc.assert(
      fc.property(requests(3), (traffic) => {
        const limiter = createLimiter(40 * 5, 5);
        const admitted = new Map<string, number[]>();
        let now = START;
        for (const { address, path, wait, times } of traffic) {
          now += wait;
          // Each key has its own second address, so that no address opens many.
          const caller = `${address}${path}`;
          const recent = (admitted.get(caller) ?? []).filter((at) => now - at < WINDOW);
          for (let i = 0; i < times; i++) {
            if (limiter.count(caller, path, now) === 0) recent.push(now);
            else expect(recent.length).toBeGreaterThanOrEqual(5);
          }
          admitted.set(caller, recent);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test('evicts the least recently used key first', () => {
    const limiter = createLimiter(SMALL);
    for (let i = 0; i < 90; i++) limiter.count('hot', '/health', START);
    for (let i = 0; i < 90; i++) limiter.count('cold', '/health', START);
    for (let i = 0; i < 500; i++) {
      limiter.count(`stranger ${i}`, '/health', START);
      expect(limiter.count('hot', '/health', START)).toBe(60);
    }
    expect(limiter.count('cold', '/health', START)).toBe(0);
  });

  test('counts an address that spreads over very many paths as one key from then on', () => {
    const limiter = createLimiter(SMALL);
    const refused = Array.from({ length: 5_000 }, (_, i) => limiter.count('wide', `/machines/${i}`, START));
    const admitted = refused.filter((seconds) => seconds === 0).length;
    // 128 until the table is full, 3 until detection, 90 as one key.
    expect(admitted).toBeLessThanOrEqual(128 + 3 + 90);
    expect(limiter.count('wide', '/never-queries', START + 1_000)).toBe(59);
    expect(limiter.count('wide', '/never-queries', START + 60_000)).toBe(0);
    for (let i = 0; i < 89; i++) limiter.count('wide', `/again/${i}`, START + 60_000);
    expect(limiter.count('wide', '/once-more', START + 60_000)).toBe(60);
  });

  test('does not refuse an honest client while others spread', () => {
    const limiter = createLimiter(SMALL);
    for (let i = 0; i < 20_000; i++) {
      limiter.count(`wide ${i % 7}`, `/machines/${i}`, START + i);
      if (i % 250 === 0) expect(limiter.count('honest', '/mcr/did:svc:42', START + i)).toBe(0);
    }
  });

  test('counts an address by path again after a quiet window', () => {
    const limiter = createLimiter(SMALL);
    for (let i = 0; i < 5_000; i++) limiter.count('wide', `/machines/${i}`, START);
    const later = START + 2 * WINDOW;
    for (let i = 0; i < 91; i++) expect(limiter.count('wide', `/machines/${i}`, later)).toBe(0);
    expect(limiter.count('wide', '/machines/200', later)).toBe(0);
  });
});

test('uses no heap beyond its memory limit for a hundred thousand paths', () => {
  const before = memoryUsage();
  const limiter = createLimiter(8 * 1024 * 1024);
  for (let i = 0; i < 100_000; i++) limiter.count('192.0.2.1', `/machines/${i}`, START);
  const after = memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(limiter.count('192.0.2.1', '/machines/99999', START)).toBe(0);
});

test('admits a flood of new addresses, three times the capacity, and keeps existing limits', () => {
  const limiter = createLimiter(4 * 1024 * 1024);
  const flood = createFlood(300_000, (address, path) => limiter.count(address, path, START), 90);
  flood.runUntil(300_000);
  const { newRefused, wronglyAdmitted, wronglyRefused } = flood;
  expect([limiter.report().keys, newRefused, wronglyAdmitted, wronglyRefused]).toEqual([104_856, 0, 0, 0]);
  expect(limiter.report().refused).toBeGreaterThan(0);
});
