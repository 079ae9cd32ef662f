/** Tests append-only exchange rates: daily refresh, coverage, failures, replicas and fingerprints. */
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

/** In-memory `FxStore`. */
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

/** Harness with a feed and a clock that a test sets. */
class FeedHarness {
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
  it('starts empty and covers the days up to yesterday after a fetch', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-03-02,1.3', '2026-03-01,1.2', '2026-02-27,1.1');
    const rates = await harness.create();
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
    // Today's rate may still change, so it is stored tomorrow.
    expect(harness.store.rows.map((row) => row.day)).not.toContain(day('2026-03-02'));
  });

  it('fetches once a day', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-03-02,1.3', '2026-03-01,1.2');
    const rates = await harness.create();
    await rates.refresh();
    harness.now = '2026-03-02T23:59:59Z';
    expect(await rates.refresh()).toStrictEqual({ kind: 'not-due' });
    harness.now = '2026-03-03T00:00:00Z';
    expect(await rates.refresh()).toStrictEqual({
      kind: 'refreshed',
      throughDay: day('2026-03-02'),
      added: 1,
      conflicting: 0,
    });
    expect(harness.fetches).toBe(2);
  });

  it('never changes a covered day or adds to it, and counts conflicting rates', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-03-01,1.2', '2026-02-26,1.1');
    const rates = await harness.create();
    await rates.refresh();
    const before = rates.current().table;
    harness.now = '2026-03-03T08:00:00Z';
    harness.feed = csv('2026-03-02,1.4', '2026-03-01,9.9', '2026-02-27,5.5', '2026-02-26,1.1');
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
  ] as const)(
    'leaves the table unchanged when a fetch fails, and retries after RETRY_SECONDS: %j',
    async (feed, failure) => {
      const harness = new FeedHarness();
      harness.feed = csv('2026-03-01,1.2');
      const rates = await harness.create();
      await rates.refresh();
      const before = rates.current();
      harness.now = '2026-03-03T00:00:00Z';
      harness.feed = feed;
      expect(await rates.refresh()).toStrictEqual(failure);
      expect(rates.current()).toBe(before);
      expect(harness.store.throughDay).toBe(day('2026-03-01'));

      harness.feed = csv('2026-03-02,1.3');
      const retryAt = millisecondsOf(harness.now) + RETRY_SECONDS * 1000;
      harness.now = new Date(retryAt - 1000).toISOString();
      expect(await rates.refresh()).toStrictEqual({ kind: 'not-due' });
      harness.now = new Date(retryAt).toISOString();
      expect(await rates.refresh()).toMatchObject({ kind: 'refreshed', throughDay: day('2026-03-02') });
    },
  );

  it('covers no day beyond the conversion window of the newest rate', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-02-20,1.1');
    const rates = await harness.create();
    expect(await rates.refresh()).toMatchObject({ kind: 'refreshed', throughDay: day('2026-02-26') });
    // Amounts of the day after the last covered one still convert; a day later they would not.
    expect(euroBefore(rates, '2026-02-27')).toBe(1_100_000_000_000n);
    expect(euroBefore(rates, '2026-02-28')).toBeUndefined();
  });

  it('covers a weekend of five days', async () => {
    const harness = new FeedHarness();
    harness.now = '2026-04-07T06:00:00Z';
    harness.feed = csv('2026-04-02,1.1');
    const rates = await harness.create();
    expect(await rates.refresh()).toMatchObject({ kind: 'refreshed', throughDay: day('2026-04-06') });
  });

  it('loads rates that another replica stored, without a fetch', async () => {
    const harness = new FeedHarness();
    const rates = await harness.create();
    harness.store.rows = [{ currency: 'EUR', day: day('2026-03-01'), rate: 7n }];
    harness.store.throughDay = day('2026-03-01');
    expect(await rates.refresh()).toStrictEqual({
      kind: 'refreshed',
      throughDay: day('2026-03-01'),
      added: 0,
      conflicting: 0,
    });
    expect(euroBefore(rates, '2026-03-02')).toBe(7n);
    expect(harness.fetches).toBe(0);
  });

  it('uses the stored rates when another replica appended first', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-03-01,1.2');
    const rates = await harness.create();
    const appendRates = harness.store.appendRates.bind(harness.store);
    harness.store.appendRates = async (rows, throughDay) => {
      await appendRates([{ currency: 'EUR', day: day('2026-03-01'), rate: 7n }], throughDay);
      await appendRates(rows, throughDay);
    };
    await rates.refresh();
    expect(euroBefore(rates, '2026-03-02')).toBe(7n);
  });

  it('shares one fetch between concurrent calls', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-03-01,1.2');
    const rates = await harness.create();
    const [first, second] = await Promise.all([rates.refresh(), rates.refresh()]);
    expect(first).toBe(second);
    expect(harness.fetches).toBe(1);
  });

  it('starts from the stored rates', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-03-01,1.2');
    const first = await harness.create();
    await first.refresh();
    const second = await harness.create();
    expect(second.current()).toStrictEqual(first.current());
    expect(await second.refresh()).toStrictEqual({ kind: 'not-due' });
  });

  it("uses a token's own series instead of the feed's column", async () => {
    const harness = new FeedHarness();
    harness.feed = 'Date,USD,SER,COL\n2026-03-01,1,4,4\n';
    const tokens = tokensOf([
      { symbol: 'SER', decimals: 6, rates: [['2026-02-27', '3']] },
      { symbol: 'COL', decimals: 8 },
    ]);
    const rates = await harness.create(tokens);
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

  it('depends on the feed and the tokens, not on the rates or the order', async () => {
    const harness = new FeedHarness();
    harness.feed = csv('2026-03-01,1.2');
    const rates = await harness.create(tokensOf([token, other]));
    const { fingerprint } = rates.current();
    await rates.refresh();
    expect(rates.current().fingerprint).toBe(fingerprint);
    expect((await harness.create(tokensOf([other, token]))).current().fingerprint).toBe(fingerprint);
  });

  it('differs with every setting that changes an amount', async () => {
    const harness = new FeedHarness();
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
      ...(await Promise.all(configurations.map((each) => harness.create(each)))),
    ].map((rates) => rates.current().fingerprint);
    expect(new Set(fingerprints).size).toBe(configurations.length + 1);
  });
});

describe('createFixedRates', () => {
  it('has no feed and nothing to refresh', async () => {
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
