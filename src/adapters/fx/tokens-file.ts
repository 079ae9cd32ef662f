/**
 * Parser of `TOKENS_FILE` (decisions 6), a JSON array of tokens:
 *
 *     { "symbol": "TKN", "decimals": 6 }                                       rates from a column of the feed
 *     { "symbol": "FIX", "decimals": 18, "usd_rate": "1.5" }                   one fixed rate; needs no feed
 *     { "symbol": "SER", "decimals": 18, "rates": [["2026-01-05", "1.5"]] }    its own series by day
 *
 * Rates are USD per whole unit, as decimal text with at most 12 places.
 */
import { parseJson } from '../../domain/json/json-values.ts';

import { isCurrencyCode } from '../../domain/rating/currency.ts';
import { RATE_DECIMALS } from '../../domain/rating/constants.ts';
import { parseDay } from '../../domain/rating/utc-day.ts';
import { parsePositiveDecimal } from './decimal.ts';
import { readConfiguredFile } from '../files/configured-file.ts';

export interface ConfiguredToken {
  readonly symbol: string;
  readonly decimals: number;
  /** USD per whole unit × 10^12. */
  readonly fixedRate: bigint | undefined;
  /** The token's own series, days ascending; undefined if it has none. */
  readonly rates: readonly (readonly [day: number, rate: bigint])[] | undefined;
}

/** Parsed tokens or problems. A problem names the place and the rule and contains no file content. */
export type TokensReading =
  | { readonly tokens: readonly ConfiguredToken[]; readonly problems?: never }
  | { readonly problems: readonly string[]; readonly tokens?: never };

const MEMBERS = ['symbol', 'decimals', 'usd_rate', 'rates'];
const MAX_DECIMALS = 255;
const RATE_SCALE = 10n ** BigInt(RATE_DECIMALS);
const RATE_RULE = `must be a positive decimal text with at most ${RATE_DECIMALS} places`;

/** Reads the file. `hasFeed` is whether FX_SOURCE is set; without it a series is never used. */
export async function readTokensFile(path: string, hasFeed: boolean): Promise<TokensReading> {
  const { bytes, problem } = await readConfiguredFile(path);
  return problem === undefined
    ? parseTokens(bytes.toString('utf8'), hasFeed)
    : { problems: [`TOKENS_FILE: ${problem}`] };
}

/** Parses the tokens of a file, or lists all of its problems. */
export function parseTokens(text: string, hasFeed: boolean): TokensReading {
  const list = parseJson(text);
  if (!Array.isArray(list)) return { problems: ['TOKENS_FILE: must be a JSON array'] };
  const problems: string[] = [];
  const tokens = list.map((item: unknown, index) =>
    parseToken(item, hasFeed, (member, rule) => problems.push(`TOKENS_FILE[${index}]${member}: ${rule}`)),
  );
  const symbols = tokens.map(({ symbol }) => symbol);
  symbols.forEach((symbol, index) => {
    if (symbol !== '' && symbols.indexOf(symbol) < index) problems.push(`TOKENS_FILE[${index}].symbol: is repeated`);
  });
  return problems.length > 0 ? { problems } : { tokens };
}

type Report = (member: string, rule: string) => void;

function parseToken(item: unknown, hasFeed: boolean, report: Report): ConfiguredToken {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    report('', 'must be an object');
    return { symbol: '', decimals: 0, fixedRate: undefined, rates: undefined };
  }
  const source = item as Record<string, unknown>;
  if (Object.keys(source).some((member) => !MEMBERS.includes(member)))
    report('', `has members besides ${MEMBERS.join(', ')}`);
  if (source['usd_rate'] !== undefined && source['rates'] !== undefined) report('', 'has both usd_rate and rates');
  if (source['rates'] !== undefined && !hasFeed) report('.rates', 'needs FX_SOURCE');
  return {
    symbol: parseSymbol(source['symbol'], report),
    decimals: parseDecimals(source['decimals'], report),
    fixedRate: source['usd_rate'] === undefined ? undefined : parseRate(source['usd_rate'], '.usd_rate', report),
    rates: source['rates'] === undefined ? undefined : parseRates(source['rates'], report),
  };
}

/** Parses a symbol; empty after reporting a problem. */
function parseSymbol(value: unknown, report: Report): string {
  if (typeof value === 'string' && isCurrencyCode(value) && value !== 'USD') return value;
  report('.symbol', 'must be 3 to 10 of A-Z and 0-9, and not USD');
  return '';
}

function parseDecimals(value: unknown, report: Report): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_DECIMALS) return value as number;
  report('.decimals', `must be a whole number from 0 to ${MAX_DECIMALS}`);
  return 0;
}

function parseRates(value: unknown, report: Report): [number, bigint][] {
  if (!Array.isArray(value) || value.length === 0) {
    report('.rates', 'must be an array of [day, rate], and not empty');
    return [];
  }
  const rates = value.map((pair: unknown, index): [number, bigint] => {
    const [day, rate] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : [];
    const dayNumber = typeof day === 'string' ? parseDay(day) : undefined;
    if (dayNumber === undefined) report(`.rates[${index}]`, 'must begin with a day, YYYY-MM-DD');
    return [dayNumber ?? 0, parseRate(rate, `.rates[${index}]`, report)];
  });
  if (new Set(rates.map(([day]) => day)).size !== rates.length) report('.rates', 'has a repeated day');
  return rates.sort(([a], [b]) => a - b);
}

function parseRate(value: unknown, member: string, report: Report): bigint {
  const decimal = typeof value === 'string' ? parsePositiveDecimal(value) : undefined;
  if (decimal !== undefined && decimal.scale <= RATE_SCALE) return decimal.units * (RATE_SCALE / decimal.scale);
  report(member, RATE_RULE);
  return 0n;
}
