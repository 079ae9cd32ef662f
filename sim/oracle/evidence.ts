/** Evidence of payments in the form in which the rating model and the explanation use it. */
import type { RateTable } from '../../cli/replay/model/conversion.ts';
import type { RawEvent } from '../../cli/replay/model/raw-events.ts';
import type { SimEvent } from '../chain/machine-state.ts';
import { TOKEN, TOKEN_DECIMALS } from '../payments/deployment.ts';

export interface PaymentEvidence {
  /** Null without a payment source. */
  readonly sourcesHash: string | null;
  /** Accounts in force. */
  readonly accounts: readonly object[];
  /** Numbers of the verdicts that are made, by code; every other event is declared or pending. */
  readonly verdicts: Readonly<Record<string, number>>;
  /** Paid cents by position of the event. */
  readonly paid: ReadonlyMap<number, bigint>;
}

export const NO_PAYMENTS: PaymentEvidence = { sourcesHash: null, accounts: [], verdicts: {}, paid: new Map() };

/** Rates of every run: no feed, and one token that is worth a dollar. */
export const RATE_TABLE: RateTable = {
  feed: false,
  through: '1970-01-01',
  tokens: { [TOKEN]: TOKEN_DECIMALS },
  fixed: { [TOKEN]: String(10n ** 12n) },
  rates: {},
};

const rawEvents = new WeakMap<readonly SimEvent[], readonly RawEvent[]>();

/** Converts events without their payments. */
export function toRawEvents(events: readonly SimEvent[]): readonly RawEvent[] {
  let raw = rawEvents.get(events);
  if (raw === undefined) {
    raw = events.map(({ type, value, currency, timestamp, trust, blockTimestamp, isAttested }, seq) => ({
      seq: BigInt(seq),
      type: BigInt(type),
      value,
      currency,
      timestamp: BigInt(timestamp),
      trust: BigInt(trust),
      blockTimestamp: BigInt(blockTimestamp),
      attested: isAttested,
      paidCents: 0n,
    }));
    rawEvents.set(events, raw);
  }
  return raw;
}
