/** Amounts in USD cents (design/scoring.md, Amounts). */
import { min } from './arithmetic.ts';
import { dayOf, type RawEvent } from './raw-events.ts';

/** Rate table in the shape of the vectors. Rates are USD per whole unit × 10^12, as decimal text. */
export interface RateTable {
  /** False when no feed is configured. */
  readonly feed: boolean;
  /** `YYYY-MM-DD`: every rate dated up to this day is in the table. */
  readonly through: string;
  /** Decimals of the configured tokens. */
  readonly tokens: Readonly<Record<string, number>>;
  readonly fixed: Readonly<Record<string, string>>;
  /** Per currency, pairs of `YYYY-MM-DD` and rate, in any order. */
  readonly rates: Readonly<Record<string, readonly (readonly [string, string])[]>>;
}

interface Conversion {
  readonly status: 'ok' | 'fx_unavailable' | 'unsupported_currency';
  /** 0 unless the status is `ok`. */
  readonly cents: bigint;
  /** Whether a later table will have the rate. */
  readonly isPending: boolean;
}

type Convertible = Pick<RawEvent, 'currency' | 'value' | 'timestamp' | 'blockTimestamp'>;

const DECIMALS: ReadonlyMap<string, bigint> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0n] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3n] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4n] as const),
]);

/** Creates the conversion of sound revenue events and of payments: the rows of the amount table, in their order. */
export function createConverter(table: RateTable): (event: Convertible) => Conversion {
  const tokens = new Map(Object.entries(table.tokens));
  const fixed = new Map(Object.entries(table.fixed));
  const rates = new Map(
    Object.entries(table.rates).map(([currency, pairs]) => [
      currency,
      new Map(pairs.map(([date, rate]) => [parseDay(date), BigInt(rate)])),
    ]),
  );
  const newestRate = (currency: string, from: bigint, to: bigint): bigint | undefined => {
    for (let day = to; day >= from; day -= 1n) {
      const rate = rates.get(currency)?.get(day);
      if (rate !== undefined) return rate;
    }
    return undefined;
  };

  return (event) => {
    const { currency, value } = event;
    const day = dayOf(event);
    const tokenDecimals = tokens.get(currency);
    const decimals = tokenDecimals !== undefined ? BigInt(tokenDecimals) : (DECIMALS.get(currency) ?? 2n);
    const ok = (cents: bigint): Conversion => ({ status: 'ok', cents: min(cents, 1_000_000_000n), isPending: false });
    const none = (status: Conversion['status'], isPending = false): Conversion => ({ status, cents: 0n, isPending });
    const at = (rate: bigint) => ok((value * rate * 100n) / (10n ** decimals * 10n ** 12n));

    if (currency === 'USD') return ok(value);
    const fixedRate = fixed.get(currency);
    if (fixedRate !== undefined) return at(BigInt(fixedRate));
    if (!table.feed) return none('fx_unavailable');
    if (parseDay(table.through) < day - 1n) return none('fx_unavailable', true);
    const rate = newestRate(currency, day - 7n, day - 1n);
    if (rate !== undefined) return at(rate);
    return none('unsupported_currency');
  };
}

/** Parses `YYYY-MM-DD` into a UTC day number. */
function parseDay(date: string): bigint {
  const milliseconds = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  if (Number.isNaN(milliseconds)) throw new TypeError(`not a date: ${JSON.stringify(date)}`);
  return BigInt(milliseconds) / 86_400_000n;
}
