/**
 * Exchange rates by currency and day, as the model uses them (design/scoring.md, Amount).
 *
 * Invariant for every producer of tables: rates dated up to `throughDay` are complete and final. Every amount that is not pending is then
 * the same under each later table.
 */

import { RATE_WINDOW_DAYS } from './constants.ts';

/** A configured token. Its decimals take precedence over a currency of the same name; with a fixed rate it needs no feed. */
export interface Token {
  readonly decimals: number;
  /** USD per whole unit × 10^12. */
  readonly fixedRate?: bigint | undefined;
}

/** The rate of one currency on one day: USD per whole unit × 10^12, at least 1. */
export interface RateRow {
  readonly currency: string;
  readonly day: number;
  readonly rate: bigint;
}

/** Rates of one currency, in ascending order of days. */
export interface RateSeries {
  readonly days: readonly number[];
  readonly rates: readonly bigint[];
}

export interface RateTable {
  /** Whether a feed is configured; without one only USD and fixed rates convert. */
  readonly feed: boolean;
  /** The last day whose rates are complete. */
  readonly throughDay: number;
  readonly tokens: ReadonlyMap<string, Token>;
  readonly series: ReadonlyMap<string, RateSeries>;
}

/** Creates a table without rates, complete up to day 0. */
export function createRateTable(feed: boolean, tokens: ReadonlyMap<string, Token> = new Map()): RateTable {
  return { feed, throughDay: 0, tokens, series: new Map() };
}

/** Returns the table with more rates, complete up to a later day. A row is ignored when the currency already has a rate for its day. */
export function extendRateTable(table: RateTable, rows: Iterable<RateRow>, throughDay: number): RateTable {
  const added = Map.groupBy(rows, (row) => row.currency);
  const series = new Map(table.series);
  for (const [currency, newRows] of added) series.set(currency, mergeSeries(series.get(currency), newRows));
  return { ...table, throughDay, series };
}

function mergeSeries(current: RateSeries | undefined, rows: readonly RateRow[]): RateSeries {
  const byDay = new Map<number, bigint>();
  for (const { day, rate } of rows) byDay.set(day, rate);
  current?.days.forEach((day, index) => byDay.set(day, current.rates[index]!));
  const days = [...byDay.keys()].sort((a, b) => a - b);
  return { days, rates: days.map((day) => byDay.get(day)!) };
}

/** Returns the newest rate from the 7 days before a day; undefined when the currency has none there. */
export function findRateBefore(table: RateTable, currency: string, day: number): bigint | undefined {
  const series = table.series.get(currency);
  if (series === undefined) return undefined;
  const { days, rates } = series;
  let low = 0;
  let high = days.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (days[middle]! < day) low = middle + 1;
    else high = middle;
  }
  const newest = low - 1;
  return newest >= 0 && days[newest]! >= day - RATE_WINDOW_DAYS ? rates[newest] : undefined;
}
