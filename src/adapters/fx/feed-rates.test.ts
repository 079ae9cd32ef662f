import { describe, expect, it } from 'vitest';

import { findRateBefore } from '../../domain/rating/rate-table.ts';
import type { RateRow } from '../../domain/rating/rate-table.ts';
import { parseDay } from '../../domain/rating/utc-day.ts';
import type { FxRates } from '../../ports/rates.ts';
import type { FxStore } from '../../ports/store.ts';
import { createFeedRates, createFixedRates, RETRY_SECONDS } from './feed-rates.ts';
import { FeedFailed } from './feed-source.ts';
import { parseTokens } from './tokens-file.ts';
import type { ConfiguredToken } from './tokens-file.ts';

const day = (text: string): number => parseDay(text)!;
const millisecondsOf = (text: string): number => Date.parse(text);

/** What the port asks of a store, in memory. */
class MemoryFxStore implements FxStore {
  rows: RateRow[] = [];
  throughDay: number | undefined;
  loads = 0;

  loadRates(): Promise<{ rows: readonly RateRow[]; throughDay: number | undefined }> {
    this.loads += 1;
    return Promise.resolve({ rows: [...this.rows], throughDay: this.throughDay });
  }

  appendRates(rows: readonly RateRow[], throughDay: number): Promise<void> {
    const covered = this.throughDay ?? -1;
    this.rows.push(...rows.filter((row) => row.day > covered));
    this.throughDay = Math.max(covered, throughDay);
    return Promise.resolve();
  }
}

/** A feed and a clock that a test moves. */
class World {
  readonly store = new MemoryFxStore();
  now = '2026-03-02T12:00:00Z';
  feed: string | Error = '';
  fetches = 0;

  create(tokens: readonly ConfiguredToken[] = []): Promise<FxRates> {
    return createFeedRates({
      tokens,
      store: this.store,
      clock: { nowMilliseconds: () => millisecondsOf(this.now) },
      readFeed: () => {
        this.fetches += 1;
        return this.feed instanceof Error ? Promise.reject(this.feed) : Promise.resolve(this.feed);
      },
    });
  }
}

const csv = (...rows: string[]): string => ['Date,USD', ...rows].join('\n');
const tokensOf = (value: unknown): readonly ConfiguredToken[] => parseTokens(JSON.stringify(value), true).tokens!;
const euroBefore = (rates: FxRates, text: string): bigint | undefined =>
  findRateBefore(rates.current().table, 'EUR', day(text));

describe('createFeedRates', () => {
  it('starts with nothing, and is complete up to yesterday after a fetch', async () => {
    const world = new World();
    world.feed = csv('2026-03-02,1.3', '2026-03-01,1.2', '2026-02-27,1.1');
    const rates = await world.create();
    expect(rates.current().table).toMatchObject({ feed: true, throughDay: 0 });
    expect(await rates.refresh()).toStrictEqual({
      kind: 'refreshed',
      throughDay: day('2026-03-01'),
      added: 2,
      conflicting: 0,
    });
    expect(rates.current().table.throughDay).toBe(day('2026-03-01'));
    expect(euroBefore(rates, '2026-03-02')).toBe(1_200_000_000_000n);
    expect(euroBefore(rates, '2026-03-01')).toBe(1_100_000_000_000n);
    // The rate of today may still be published anew: it is taken tomorrow.
    expect(world.store.rows.map((row) => row.day)).not.toContain(day('2026-03-02'));
  });

  it('fetches once a day', async () => {
    const world = new World();
    world.feed = csv('2026-03-02,1.3', '2026-03-01,1.2');
    const rates = await world.create();
    await rates.refresh();
    world.now = '2026-03-02T23:59:59Z';
    expect(await rates.refresh()).toStrictEqual({ kind: 'not-due' });
    world.now = '2026-03-03T00:00:00Z';
    expect(await rates.refresh()).toStrictEqual({
      kind: 'refreshed',
      throughDay: day('2026-03-02'),
      added: 1,
      conflicting: 0,
    });
    expect(world.fetches).toBe(2);
  });

  it('never changes or adds to a day once covered, and counts what it ignored', async () => {
    const world = new World();
    world.feed = csv('2026-03-01,1.2', '2026-02-26,1.1');
    const rates = await world.create();
    await rates.refresh();
    const before = rates.current().table;
    world.now = '2026-03-03T08:00:00Z';
    world.feed = csv('2026-03-02,1.4', '2026-03-01,9.9', '2026-02-27,5.5', '2026-02-26,1.1');
    expect(await rates.refresh()).toStrictEqual({
      kind: 'refreshed',
      throughDay: day('2026-03-02'),
      added: 1,
      conflicting: 2,
    });
    for (const text of ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']) {
      expect(euroBefore(rates, text)).toBe(findRateBefore(before, 'EUR', day(text)));
    }
    expect(euroBefore(rates, '2026-03-03')).toBe(1_400_000_000_000n);
  });

  it.each([
    [new FeedFailed('timeout'), { kind: 'failed', problem: 'timeout' }],
    [new FeedFailed('http-status'), { kind: 'failed', problem: 'http-status' }],
    ['Date,USD\n2026-03-01,zero', { kind: 'failed', problem: 'malformed', place: 'line 2' }],
    [csv('2026-02-20,1.1'), { kind: 'failed', problem: 'stale' }],
  ] as const)('keeps the table when a fetch fails, and tries again after a while', async (feed, failure) => {
    const world = new World();
    world.feed = csv('2026-03-01,1.2');
    const rates = await world.create();
    await rates.refresh();
    const before = rates.current();
    world.now = '2026-03-03T00:00:00Z';
    world.feed = feed;
    expect(await rates.refresh()).toStrictEqual(failure);
    expect(rates.current()).toBe(before);
    expect(world.store.throughDay).toBe(day('2026-03-01'));

    world.feed = csv('2026-03-02,1.3');
    const retryAt = millisecondsOf(world.now) + RETRY_SECONDS * 1000;
    world.now = new Date(retryAt - 1000).toISOString();
    expect(await rates.refresh()).toStrictEqual({ kind: 'not-due' });
    world.now = new Date(retryAt).toISOString();
    expect(await rates.refresh()).toMatchObject({ kind: 'refreshed', throughDay: day('2026-03-02') });
  });

  it('closes no day for which the feed has nothing new enough', async () => {
    const world = new World();
    world.feed = csv('2026-02-20,1.1');
    const rates = await world.create();
    expect(await rates.refresh()).toMatchObject({ kind: 'refreshed', throughDay: day('2026-02-26') });
    // The last day covered can still be converted, and the day after the next would not be.
    expect(euroBefore(rates, '2026-02-27')).toBe(1_100_000_000_000n);
    expect(euroBefore(rates, '2026-02-28')).toBeUndefined();
  });

  it('covers a weekend of five days', async () => {
    const world = new World();
    world.now = '2026-04-07T06:00:00Z';
    world.feed = csv('2026-04-02,1.1');
    const rates = await world.create();
    expect(await rates.refresh()).toMatchObject({ kind: 'refreshed', throughDay: day('2026-04-06') });
  });

  it('takes over what another replica stored, without a fetch', async () => {
    const world = new World();
    const rates = await world.create();
    world.store.rows = [{ currency: 'EUR', day: day('2026-03-01'), rate: 7n }];
    world.store.throughDay = day('2026-03-01');
    expect(await rates.refresh()).toStrictEqual({
      kind: 'refreshed',
      throughDay: day('2026-03-01'),
      added: 0,
      conflicting: 0,
    });
    expect(euroBefore(rates, '2026-03-02')).toBe(7n);
    expect(world.fetches).toBe(0);
  });

  it('shows the stored rates when another replica was first to append', async () => {
    const world = new World();
    world.feed = csv('2026-03-01,1.2');
    const rates = await world.create();
    const appendRates = world.store.appendRates.bind(world.store);
    world.store.appendRates = async (rows, throughDay) => {
      await appendRates([{ currency: 'EUR', day: day('2026-03-01'), rate: 7n }], throughDay);
      await appendRates(rows, throughDay);
    };
    await rates.refresh();
    expect(euroBefore(rates, '2026-03-02')).toBe(7n);
  });

  it('shares one fetch between calls at the same time', async () => {
    const world = new World();
    world.feed = csv('2026-03-01,1.2');
    const rates = await world.create();
    const [first, second] = await Promise.all([rates.refresh(), rates.refresh()]);
    expect(first).toBe(second);
    expect(world.fetches).toBe(1);
  });

  it('starts from the stored rates', async () => {
    const world = new World();
    world.feed = csv('2026-03-01,1.2');
    const first = await world.create();
    await first.refresh();
    const second = await world.create();
    expect(second.current()).toStrictEqual(first.current());
    expect(await second.refresh()).toStrictEqual({ kind: 'not-due' });
  });

  it("holds a token's own series instead of a column of its name", async () => {
    const world = new World();
    world.feed = 'Date,USD,SER,COL\n2026-03-01,1,4,4\n';
    const tokens = tokensOf([
      { symbol: 'SER', decimals: 6, rates: [['2026-02-27', '3']] },
      { symbol: 'COL', decimals: 8 },
    ]);
    const rates = await world.create(tokens);
    await rates.refresh();
    const { table } = rates.current();
    expect(findRateBefore(table, 'SER', day('2026-03-02'))).toBe(3_000_000_000_000n);
    expect(findRateBefore(table, 'COL', day('2026-03-02'))).toBe(250_000_000_000n);
    expect(table.tokens.get('COL')).toStrictEqual({ decimals: 8, fixedRate: undefined });
  });
});

describe('the fingerprint', () => {
  const token = { symbol: 'TKN', decimals: 6, usd_rate: '1.5' };
  const other = { symbol: 'OTH', decimals: 6 };

  it('is of the feed and the tokens, and not of the rates or the order', async () => {
    const world = new World();
    world.feed = csv('2026-03-01,1.2');
    const rates = await world.create(tokensOf([token, other]));
    const { fingerprint } = rates.current();
    await rates.refresh();
    expect(rates.current().fingerprint).toBe(fingerprint);
    expect((await world.create(tokensOf([other, token]))).current().fingerprint).toBe(fingerprint);
  });

  it('differs with everything that changes an amount', async () => {
    const world = new World();
    const configurations = [
      [],
      [token],
      [{ ...token, symbol: 'TKM' }],
      [{ ...token, decimals: 7 }],
      [{ ...token, usd_rate: '1.6' }],
      [{ ...token, usd_rate: undefined }],
      [{ ...token, usd_rate: undefined, rates: [['2026-01-05', '1']] }],
      [{ ...token, usd_rate: undefined, rates: [['2026-01-05', '2']] }],
      [token, other],
    ].map(tokensOf);
    const fingerprints = [
      createFixedRates([]),
      ...(await Promise.all(configurations.map((each) => world.create(each)))),
    ].map((rates) => rates.current().fingerprint);
    expect(new Set(fingerprints).size).toBe(configurations.length + 1);
  });
});

describe('createFixedRates', () => {
  it('has no feed, and nothing to refresh', async () => {
    const rates = createFixedRates(tokensOf([{ symbol: 'FIX', decimals: 18, usd_rate: '1.5' }]));
    expect(rates.current().table).toStrictEqual({
      feed: false,
      throughDay: 0,
      tokens: new Map([['FIX', { decimals: 18, fixedRate: 1_500_000_000_000n }]]),
      series: new Map(),
    });
    expect(await rates.refresh()).toStrictEqual({ kind: 'not-due' });
  });
});
