/**
 * A machine with one citation for each verdict: USD 100 a day, declared but for two paid days. The rating is derived by hand, see
 * `paid-histories.ts` for what is common.
 */
import { accountOf } from '../accounts.ts';
import { mintTokens, transferTokens } from '../main-chain/payments.ts';
import { DAILY_COUNT, dailyRevenue, ratedDaily } from './paid-histories.ts';
import type { History } from './histories.ts';
import { customerOf, transferPayment } from './planned-payment.ts';
import type { PlannedPayment } from './planned-payment.ts';
import type { PlannedEvent } from './planned-event.ts';

const NAME = 'citations';
const PAYOUT = accountOf(`${NAME} payout`);
const OWNER = accountOf(`${NAME} owner`);
const CENTS = 10_000n;
const TO_PAYOUT = { to: PAYOUT.address, cents: CENTS };
/** More than any account holds. */
const TOO_MANY_CENTS = 10n ** 12n;
const REFUNDED = customerOf(2);

/** What the event of a day cites, oldest first. */
const CITATIONS: readonly { readonly day: number; readonly verdict: string; readonly citation: Citation }[] = [
  { day: 100, verdict: 'paid', citation: { cites: 'citations paid' } },
  { day: 95, verdict: 'already_counted', citation: { cites: 'citations paid' } },
  { day: 90, verdict: 'not_found', citation: { sourceTxHash: `0x${'ee'.repeat(32)}` } },
  { day: 85, verdict: 'failed', citation: { cites: 'citations failed' } },
  { day: 80, verdict: 'wrong_time', citation: { cites: 'citations early' } },
  { day: 75, verdict: 'wrong_payee', citation: { cites: 'citations misdirected' } },
  { day: 70, verdict: 'unknown_payer', citation: { cites: 'citations minted' } },
  { day: 65, verdict: 'self_paid', citation: { cites: 'citations of the owner' } },
  { day: 60, verdict: 'paid', citation: { cites: 'citations refunded' } },
  { day: 54, verdict: 'circular', citation: { cites: 'citations circular' } },
];

type Citation = Pick<PlannedEvent, 'cites' | 'sourceTxHash'>;

export const CITATION_PAYMENTS: readonly PlannedPayment[] = [
  transferPayment('citations paid', 100, customerOf(1), TO_PAYOUT),
  // The event is 12 days later.
  transferPayment('citations early', 92, customerOf(3), TO_PAYOUT),
  {
    name: 'citations failed',
    daysAgo: 85,
    call: (contracts) => ({
      ...transferTokens(contracts, customerOf(4).address, { ...TO_PAYOUT, cents: TOO_MANY_CENTS }),
      reverts: true,
    }),
  },
  transferPayment('citations misdirected', 75, customerOf(5), { to: accountOf('shopkeeper').address, cents: CENTS }),
  { name: 'citations minted', daysAgo: 70, call: (contracts) => mintTokens(contracts, TO_PAYOUT) },
  transferPayment('citations of the owner', 65, OWNER, TO_PAYOUT),
  transferPayment('citations refunded', 60, REFUNDED, TO_PAYOUT),
  transferPayment('citations returned', 57, PAYOUT, { to: REFUNDED.address, cents: CENTS }),
  transferPayment('citations circular', 54, REFUNDED, TO_PAYOUT),
];

/**
 * Revenue: all weeks earn 70,000 cents: 2460; verified is one week of 10,000 (the other paid day is older): 1400:
 * (13 × 2460 + 1400) / 26 = 1283. Cadence: 2500 and, for one verified week and day, 115 + 15: 1315. Trend: 1500. Trust: 2 of 106
 * events at 70 percent, the others at 20: 222000 / 106 = 2094: 418. Tenure: 538. Of the sum 5054 remain 5000 + 54 / 6 = 5009: 50.
 * Largest loss: trust 1582.
 */
export const CITATIONS_HISTORY: History = {
  events: dailyRevenue(CENTS).map((event) => ({
    ...event,
    ...CITATIONS.find(({ day }) => day === event.daysAgo)?.citation,
  })),
  verdicts: {
    declared: DAILY_COUNT - CITATIONS.length,
    ...Object.fromEntries(
      [...Map.groupBy(CITATIONS, ({ verdict }) => verdict)].map(([code, events]) => [code, events.length]),
    ),
  },
  rating: ratedDaily(CENTS, {
    mcr_score: 50,
    mcr: 'BB',
    summary: 'Rated BB with 50 of 100 points; largest deduction: low trust.',
  }),
};

/** Verdict on the event of each day that cites a transaction. */
export const CITED_VERDICTS: readonly (readonly [day: number, verdict: string])[] = CITATIONS.map(
  ({ day, verdict }) => [day, verdict],
);
