/** Conversion of revenue events to USD cents (design/scoring.md, Amount). */

import { currencyDecimals } from './currency.ts';
import { MAX_EVENT_CENTS, RATE_DECIMALS } from './constants.ts';
import { eventDay } from './event.ts';
import type { RatingEvent } from './event.ts';
import { findRateBefore } from './rate-table.ts';
import type { RateTable } from './rate-table.ts';

const USD = 'USD';
const CENTS_PER_USD = 100n;

export type AmountStatus = 'ok' | 'fx_unavailable' | 'unsupported_currency';

/** `isPending` means that a later rate table will settle the amount: as `ok` or as `unsupported_currency`. */
export type Amount =
  | { readonly status: 'ok'; readonly cents: number }
  | { readonly status: 'fx_unavailable'; readonly isPending: boolean }
  | { readonly status: 'unsupported_currency' };

/** An amount as it appears in a profile or a list of events. */
export interface AmountView {
  readonly status: AmountStatus;
  /** Capped, as the rating counts it; null unless `ok`. */
  readonly usdCents: number | null;
  /** Minor units in one whole unit of the currency; null when the currency is unsupported. */
  readonly originSubunit: bigint | null;
}

type PricedEvent = Pick<RatingEvent, 'value' | 'currency' | 'timestamp' | 'blockTimestamp'>;

const UNSUPPORTED: Amount = { status: 'unsupported_currency' };
const NO_FEED: Amount = { status: 'fx_unavailable', isPending: false };
const PENDING: Amount = { status: 'fx_unavailable', isPending: true };

/** Converts a revenue event with the newest rate from before its day. */
export function convertAmount(event: PricedEvent, rates: RateTable): Amount {
  if (event.currency === USD) return toCapped(event.value);
  const fixedRate = rates.tokens.get(event.currency)?.fixedRate;
  if (fixedRate !== undefined) return toCapped(toCents(event, fixedRate, rates));
  if (!rates.feed) return NO_FEED;
  const day = eventDay(event);
  if (rates.throughDay < day - 1) return PENDING;
  const rate = findRateBefore(rates, event.currency, day);
  return rate === undefined ? UNSUPPORTED : toCapped(toCents(event, rate, rates));
}

/** Describes the amount of a well-formed revenue event. */
export function viewAmount(event: PricedEvent, rates: RateTable): AmountView {
  const amount = convertAmount(event, rates);
  return {
    status: amount.status,
    usdCents: amount.status === 'ok' ? amount.cents : null,
    originSubunit: amount.status === 'unsupported_currency' ? null : subunitOf(event.currency, rates),
  };
}

function toCents(event: PricedEvent, rate: bigint, rates: RateTable): bigint {
  return (event.value * rate * CENTS_PER_USD) / (subunitOf(event.currency, rates) * 10n ** BigInt(RATE_DECIMALS));
}

function subunitOf(currency: string, rates: RateTable): bigint {
  return 10n ** BigInt(rates.tokens.get(currency)?.decimals ?? currencyDecimals(currency));
}

function toCapped(cents: bigint): Amount {
  return { status: 'ok', cents: cents > MAX_EVENT_CENTS ? MAX_EVENT_CENTS : Number(cents) };
}
