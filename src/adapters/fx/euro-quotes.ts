/**
 * How do the European Central Bank's quotes become rates in USD? Its files say what one euro buys; the model wants USD per
 * whole unit × 10^12, rounded down once (design/scoring.md, Amount; decisions 6).
 */
import { RATE_DECIMALS } from '../../domain/rating/constants.ts';
import type { RateRow } from '../../domain/rating/rate-table.ts';
import type { Decimal } from './decimal.ts';
import { parsePositiveDecimal } from './decimal.ts';

/** What one euro bought on one day, by currency. */
export interface QuotedDay {
  readonly day: number;
  readonly quotes: ReadonlyMap<string, Decimal>;
}

/** Says that a text is no reference file; `place` says where, and holds nothing of the text. */
export class FeedMalformed extends Error {
  readonly place: string;

  constructor(place: string) {
    super(`malformed feed: ${place}`);
    this.name = 'FeedMalformed';
    this.place = place;
  }
}

const RATE_SCALE = 10n ** BigInt(RATE_DECIMALS);
const NO_QUOTE = ['', 'N/A'];

/** The quote of one cell, undefined when the bank gave none that day. Throws `FeedMalformed`. */
export function parseQuote(cell: string, place: string): Decimal | undefined {
  if (NO_QUOTE.includes(cell)) return undefined;
  const quote = parsePositiveDecimal(cell);
  if (quote === undefined) throw new FeedMalformed(place);
  return quote;
}

/**
 * The rates of a day: the euro's is its quote of the dollar, every other is crossed through it. None without a quote of the
 * dollar; a currency worth less than 10^-12 USD has none either.
 */
export function crossToUsd({ day, quotes }: QuotedDay): RateRow[] {
  const usd = quotes.get('USD');
  if (usd === undefined) return [];
  const rows = [{ currency: 'EUR', day, rate: (usd.units * RATE_SCALE) / usd.scale }];
  for (const [currency, quote] of quotes) {
    if (currency === 'USD') continue;
    rows.push({ currency, day, rate: (usd.units * quote.scale * RATE_SCALE) / (usd.scale * quote.units) });
  }
  return rows.filter(({ rate }) => rate > 0n);
}
