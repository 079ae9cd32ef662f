/**
 * Money given back: transfers from a machine's own addresses to a payer (design/scoring.md, Verdict: Returned). Transfers are counted per
 * sender and day up to a limit, so that neither dust nor volume makes the work unbounded.
 */
import { convertAmount } from '../amount.ts';
import { PAYMENT } from '../constants.ts';
import type { RateTable } from '../rate-table.ts';
import { dayOf } from '../utc-day.ts';
import type { SourceTransfer } from './source-transaction.ts';
import type { Movements } from './token-movements.ts';

/** Address from which money given back is counted, from a time on. */
export interface OwnAddress {
  readonly address: string;
  readonly since: number;
}

/** Transfer between two addresses. */
export type Flow = Omit<SourceTransfer, 'logIndex'>;

export interface Payment {
  readonly payer: string;
  readonly block: number;
  readonly time: number;
}

/** Returns the cents given back before the payment; 'pending' while the rate of a transfer is pending. `flows` are in chain order. */
export function sumReturned(
  flows: readonly Flow[],
  own: readonly OwnAddress[],
  { payer, block, time }: Payment,
  rates: RateTable,
): number | 'pending' {
  const limit = new DailyLimit(rates);
  const since = new Map(own.map((each) => [each.address, each.since] as const));
  let cents = 0;
  for (const flow of flows) {
    if (flow.block >= block || flow.time < (since.get(flow.from) ?? Infinity) || !limit.admits(flow)) continue;
    if (flow.to !== payer || flow.time < time - PAYMENT.flowSeconds) continue;
    const amount = convertTokens(flow.token, flow.units, flow.time, rates);
    if (amount === 'pending') return 'pending';
    cents += amount ?? 0;
  }
  return cents;
}

/** Converts units of a listed token at the rate for the day of a block; undefined when the token has no rate there. */
export function convertTokens(
  token: string,
  units: bigint,
  time: number,
  rates: RateTable,
): number | 'pending' | undefined {
  const amount = convertAmount({ value: units, currency: token, timestamp: BigInt(time), blockTimestamp: time }, rates);
  if (amount.status === 'ok') return amount.cents;
  return amount.status === 'fx_unavailable' && amount.isPending ? 'pending' : undefined;
}

/** Returns whether a transfer moves at least one whole token. */
export function isWholeToken(token: string, units: bigint, rates: RateTable): boolean {
  return units >= 10n ** BigInt(rates.tokens.get(token)!.decimals);
}

/** Returns the flows in a Solana transaction: from each given address with a net loss to each address with a net gain. */
export function flowsOf(
  movements: Movements,
  senders: readonly string[],
  { block, time }: Pick<Flow, 'block' | 'time'>,
): readonly Flow[] {
  return [...movements].flatMap(([token, nets]) => {
    const gains = [...nets].filter(([, net]) => net > 0n);
    return senders.flatMap((from) => {
      const loss = -(nets.get(from) ?? 0n);
      if (loss <= 0n) return [];
      return gains.map(([to, gain]) => ({ from, to, token, units: gain < loss ? gain : loss, block, time }));
    });
  });
}

/** Counts transfers per sender, UTC day and size. */
class DailyLimit {
  readonly #counts = new Map<string, number>();
  readonly #rates: RateTable;

  constructor(rates: RateTable) {
    this.#rates = rates;
  }

  admits({ from, token, units, time }: Flow): boolean {
    if (units === 0n) return false;
    const key = `${from} ${dayOf(time)} ${isWholeToken(token, units, this.#rates)}`;
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count < PAYMENT.maxDailyTransfers;
  }
}
