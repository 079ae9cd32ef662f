/**
 * Rate table of a replay, from the two documented files: the history of the European Central Bank (`eurofxref-hist.csv`, EUR
 * base), converted to USD, and TOKENS_FILE.
 *
 * Independent of `src/adapters/fx`, for the same reason as the model.
 */
import { createHash } from 'node:crypto';
import type { RateTable } from './model/conversion.ts';

/** A file does not have its documented form. The message names the place and the reason. */
export class MalformedRates extends Error {
  override readonly name = 'MalformedRates';
}

/** USD per whole unit × 10^12, by currency; pairs of date and rate, oldest first. */
export type CrossedRates = Record<string, [date: string, rate: string][]>;

/** Builds the table. USD needs no rate; without a CSV the table has no feed. Throws `MalformedRates`. */
export function buildRateTable(sources: {
  /** The text of `eurofxref-hist.csv`; omitted when no feed is configured. */
  readonly ecbCsv?: string;
  /** The text of TOKENS_FILE. */
  readonly tokensJson?: string;
  /** `YYYY-MM-DD`: the last day for which the feed is complete; default: the newest date of the file. */
  readonly through?: string;
}): RateTable {
  const { tokens, fixed } = parseTokens(sources.tokensJson ?? '[]');
  if (sources.ecbCsv === undefined) return { feed: false, through: '1970-01-01', tokens, fixed, rates: {} };
  const rates = parseEcbHistory(sources.ecbCsv);
  // EUR has a rate on every date that has any.
  const newest = rates['EUR']?.at(-1)?.[0] ?? '1970-01-01';
  return { feed: true, through: sources.through ?? newest, tokens, fixed, rates };
}

/**
 * Converts the ECB's "units per EUR" to "USD per unit": USD cell / currency cell, rounded down once. EUR is the USD cell.
 * Skips a date without a USD cell. Throws `MalformedRates`.
 */
export function parseEcbHistory(csv: string): CrossedRates {
  const lines = csv.split(/\r?\n/).filter((line) => line.trim() !== '');
  const header = splitCells(lines[0] ?? '');
  if (header[0] !== 'Date') throw new MalformedRates('line 1: the first column must be Date');
  const usdColumn = header.indexOf('USD');
  if (usdColumn === -1) throw new MalformedRates('line 1: the column USD is missing');
  const currencies = header.filter((name, column) => column > 0 && name !== '');
  if (new Set(currencies).size !== currencies.length) throw new MalformedRates('line 1: a column occurs twice');

  const rates: CrossedRates = {};
  const add = (currency: string, date: string, rate: bigint) => {
    // The table holds no rate below 1 × 10^-12 USD.
    if (rate >= 1n) (rates[currency] ??= []).push([date, String(rate)]);
  };
  const seen = new Set<string>();
  lines.slice(1).forEach((line, index) => {
    const place = `line ${index + 2}`;
    const cells = splitCells(line);
    const date = cells[0] ?? '';
    if (!isDate(date)) throw new MalformedRates(`${place}: not a date`);
    if (seen.has(date)) throw new MalformedRates(`${place}: the date occurs twice`);
    seen.add(date);
    const usd = parseCell(cells[usdColumn], place);
    if (usd === undefined) return;
    add('EUR', date, (usd.units * UNIT) / usd.scale);
    header.forEach((currency, column) => {
      if (column === 0 || column === usdColumn || currency === '') return;
      const other = parseCell(cells[column], place);
      if (other !== undefined) add(currency, date, (usd.units * other.scale * UNIT) / (usd.scale * other.units));
    });
  });
  for (const pairs of Object.values(rates)) pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return rates;
}

/** Reads `[{symbol, decimals, usd_rate?}]`; `usd_rate` is USD per whole unit, decimal text or a number. Throws `MalformedRates`. */
export function parseTokens(json: string): Pick<RateTable, 'tokens' | 'fixed'> {
  const tokens: Record<string, number> = {};
  const fixed: Record<string, string> = {};
  const list = parseJson(json);
  if (!Array.isArray(list)) throw new MalformedRates('tokens: not an array');
  list.forEach((token: unknown, index) => {
    const place = `tokens[${index}]`;
    if (typeof token !== 'object' || token === null) throw new MalformedRates(`${place}: not an object`);
    const { symbol, decimals, usd_rate: usdRate } = token as Record<string, unknown>;
    if (typeof symbol !== 'string' || !/^[A-Z0-9]{3,10}$/.test(symbol))
      throw new MalformedRates(`${place}: symbol must be 3 to 10 capital letters or digits`);
    if (symbol in tokens) throw new MalformedRates(`${place}: ${symbol} occurs twice`);
    if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 255) {
      throw new MalformedRates(`${place}: decimals must be an integer from 0 to 255`);
    }
    tokens[symbol] = decimals;
    if (usdRate === undefined || usdRate === null) return;
    const rate = typeof usdRate === 'string' || typeof usdRate === 'number' ? parseDecimal(String(usdRate)) : undefined;
    const crossed = rate === undefined ? 0n : (rate.units * UNIT) / rate.scale;
    if (crossed < 1n) throw new MalformedRates(`${place}: usd_rate must be a positive decimal`);
    fixed[symbol] = String(crossed);
  });
  return { tokens, fixed };
}

/**
 * Returns the digest of a table as the service defines it (`docs/statements.md`): SHA-256 of a line for the feed, then tokens by symbol, then
 * rates up to the last day by currency. Days are counted from 1970-01-01.
 */
export function digestRateTable({ feed, through, tokens, fixed, rates }: RateTable): string {
  const lines = [`${feed ? 'feed' : 'none'} ${toDay(through)}`];
  for (const symbol of Object.keys(tokens).sort()) {
    lines.push(`token ${symbol} ${tokens[symbol]!} ${fixed[symbol] ?? '-'}`);
  }
  for (const currency of Object.keys(rates).sort()) {
    const known = rates[currency]!.filter(([date]) => date <= through);
    if (known.length > 0)
      lines.push(`rates ${currency}${known.map(([date, rate]) => ` ${toDay(date)}:${rate}`).join('')}`);
  }
  return createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex');
}

function toDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}

const UNIT = 10n ** 12n;

/** Exactly the number `units / scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: bigint;
}

const splitCells = (line: string): string[] => line.split(',').map((cell) => cell.trim());

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

/** Parses a positive decimal; returns undefined for an empty cell or `N/A`. */
function parseCell(cell: string | undefined, place: string): Decimal | undefined {
  if (cell === undefined || cell === '' || cell === 'N/A') return undefined;
  const decimal = parseDecimal(cell);
  if (decimal === undefined || decimal.units === 0n) throw new MalformedRates(`${place}: not a rate`);
  return decimal;
}

function parseDecimal(text: string): Decimal | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  return { units: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedRates('tokens: not JSON');
  }
}
