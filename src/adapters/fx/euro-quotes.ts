/**
 * Conversion of ECB euro quotes to USD rates. The files quote units per euro; the model uses USD per whole unit × 10^12, rounded
 * down once (design/scoring.md, Amount; decisions 6).
 */
import { RATE_DECIMALS } from '../../domain/rating/constants.ts';
import type { RateRow } from '../../domain/rating/rate-table.ts';
import type { Decimal } from './decimal.ts';
import { parsePositiveDecimal } from './decimal.ts';

/** Quotes per euro of one day, by currency. */
export interface QuotedDay {
  readonly day: number;
  readonly quotes: ReadonlyMap<string, Decimal>;
}

/** Error for a malformed reference file. `place` names the position and contains no file content. */
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

/** Parses the quote of one cell; undefined if there is none for that day. Throws `FeedMalformed`. */
export function parseQuote(cell: string, place: string): Decimal | undefined {
  if (NO_QUOTE.includes(cell)) return undefined;
  const quote = parsePositiveDecimal(cell);
  if (quote === undefined) throw new FeedMalformed(place);
  return quote;
}

/**
 * Computes the USD rates of a day: the euro's is the USD quote, every other is a cross rate through it. Returns none without a USD
 * quote; leaves out currencies worth less than 10^-12 USD.
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
