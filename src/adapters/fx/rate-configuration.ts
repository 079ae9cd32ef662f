/**
 * Configuration of rates: its fingerprint and its rate table (design/scoring.md, Fold: "belongs to one configuration of rates").
 */
import { createHash } from 'node:crypto';

import { MODEL } from '../../domain/rating/constants.ts';
import type { RateRow, RateTable } from '../../domain/rating/rate-table.ts';
import { createRateTable, extendRateTable } from '../../domain/rating/rate-table.ts';
import type { ConfiguredToken } from './tokens-file.ts';

/**
 * Builds the table of a configuration with the feed's rates up to `throughDay`. A token's own series replaces the feed's column of
 * the same name.
 */
export function buildTable(
  hasFeed: boolean,
  tokens: readonly ConfiguredToken[],
  feedRows: readonly RateRow[],
  throughDay: number,
): RateTable {
  const withOwnSeries = new Set(tokens.filter(({ rates }) => rates !== undefined).map(({ symbol }) => symbol));
  const ownRows = tokens.flatMap(({ symbol, rates = [] }) =>
    rates.map(([day, rate]) => ({ currency: symbol, day, rate })),
  );
  const rows = feedRows.filter(({ currency }) => !withOwnSeries.has(currency));
  const bySymbol = new Map(tokens.map(({ symbol, decimals, fixedRate }) => [symbol, { decimals, fixedRate }]));
  return extendRateTable(createRateTable(hasFeed, bySymbol), [...ownRows, ...rows], throughDay);
}

/** Returns the fingerprint of a configuration, 64 hex digits, independent of the order of the tokens. */
export function configurationFingerprint(hasFeed: boolean, tokens: readonly ConfiguredToken[]): string {
  const described = tokens.map(({ symbol, decimals, fixedRate, rates }) => [
    symbol,
    decimals,
    fixedRate === undefined ? null : String(fixedRate),
    rates === undefined ? null : rates.map(([day, rate]) => [day, String(rate)]),
  ]);
  described.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([MODEL, hasFeed, described]))
    .digest('hex');
}
