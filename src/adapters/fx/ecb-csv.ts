/**
 * Parser of the ECB reference rates in CSV: `eurofxref-hist.csv` (all days, newest first) and `eurofxref.csv` (one day), with a
 * header of currency codes and a row per day.
 */
import { isCurrencyCode } from '../../domain/rating/currency.ts';
import { parseDay } from '../../domain/rating/utc-day.ts';
import type { Decimal } from './decimal.ts';
import type { QuotedDay } from './euro-quotes.ts';
import { FeedMalformed, parseQuote } from './euro-quotes.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Parses the days of a file, in its order. Throws `FeedMalformed`, also for a truncated line. */
export function parseEcbCsv(text: string): QuotedDay[] {
  const [header, ...rows] = text.trim().split(/\r?\n/).map(splitCells);
  const currencies = parseHeader(header ?? []);
  return rows.map((cells, index) => parseRow(cells, currencies, `line ${index + 2}`));
}

/** Splits a line into cells; the ECB ends lines with a comma. */
function splitCells(line: string): string[] {
  const cells = line.split(',').map((cell) => cell.trim());
  return cells.at(-1) === '' ? cells.slice(0, -1) : cells;
}

function parseHeader([first, ...currencies]: readonly string[]): readonly string[] {
  const isHeader =
    first === 'Date' &&
    currencies.includes('USD') &&
    !currencies.includes('EUR') &&
    currencies.every(isCurrencyCode) &&
    new Set(currencies).size === currencies.length;
  if (!isHeader) throw new FeedMalformed('line 1');
  return currencies;
}

function parseRow([date, ...cells]: readonly string[], currencies: readonly string[], place: string): QuotedDay {
  const day = parseDay(date ?? '') ?? parseLongDate(date ?? '');
  if (day === undefined || cells.length !== currencies.length) throw new FeedMalformed(place);
  const quotes = new Map<string, Decimal>();
  currencies.forEach((currency, index) => {
    const quote = parseQuote(cells[index]!, place);
    if (quote !== undefined) quotes.set(currency, quote);
  });
  return { day, quotes };
}

/** Parses a date of the daily file, such as `05 January 2024`. */
function parseLongDate(text: string): number | undefined {
  const [day = '', month = '', year = ''] = text.split(' ');
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  return parseDay(`${year}-${monthNumber}-${day.padStart(2, '0')}`);
}
