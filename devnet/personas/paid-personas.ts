/** Personas whose customers pay in the local token, with the payments that their events cite (design: machines for the local demo chain). */
import { accountOf } from '../accounts.ts';
import { CITATION_PAYMENTS, CITATIONS_HISTORY } from './citation-persona.ts';
import type { History } from './histories.ts';
import {
  accountMoved,
  CITES_DOWN_SOURCE,
  halfPaid,
  listCitedDays,
  MOVED_DAY,
  PAID_DAYS,
  paidRobot,
  paidStation,
  paymentName,
  silentMonthly,
  silentWeekly,
  unverifiedStation,
  unverifiedWeekly,
} from './paid-histories.ts';
import { claimOf, customerPayments, payoutOf, toPaidPersona } from './paid-persona.ts';
import type { PaidPersona, PayoutClaim } from './paid-persona.ts';
import type { Persona } from './persona.ts';
import { customerOf, routedPayment, SHOPPER, transferPayment, WHOLESALER } from './planned-payment.ts';
import type { PlannedPayment } from './planned-payment.ts';

const REFUNDED_CENTS = 500n;
const WEEKLY_CENTS = 300_000n;
/** Earlier than the first event of `monthly`. */
const MONTHLY_ACTIVATED_DAYS_AGO = 350;

function daily(machine: string, cents: bigint): PlannedPayment[] {
  return customerPayments(machine, PAID_DAYS, cents);
}

/** Returns a persona that is paid every week by one customer after the other. */
function weekly(
  name: string,
  about: string,
  history: History,
  rest: Partial<Pick<PaidPersona, 'kyb' | 'activatedDaysAgo'>> = {},
): Persona {
  return toPaidPersona({
    ...{ name, about, history, payments: customerPayments(name, listCitedDays(history), WEEKLY_CENTS) },
    ...rest,
  });
}

/** Returns a persona of the given parts. */
function paid(
  name: string,
  about: string,
  history: History,
  payments: readonly PlannedPayment[],
  furtherClaim?: PayoutClaim,
): Persona {
  const claims = furtherClaim && [claimOf(name, history), furtherClaim];
  return toPaidPersona({ name, about, history, payments, ...(claims && { claims }) });
}

const MOVED = 'account-moved';

const BATCHED = [
  { name: 'batch-1', cents: 1_500n },
  { name: 'batch-2', cents: 1_600n },
  { name: 'batch-3', cents: 1_700n },
] as const;

/** One transaction a day pays all three robots; each cites it. */
const BATCHES = PAID_DAYS.map((day) =>
  routedPayment(
    paymentName('batch', day),
    day,
    WHOLESALER,
    BATCHED.map(({ name, cents }) => ({ to: payoutOf(name).address, cents })),
  ),
);

export const PAID_PERSONAS: readonly Persona[] = [
  paid(
    'paid-aa',
    'A charging station: two dozen customers pay its account; verified operator.',
    paidStation('paid-aa'),
    daily('paid-aa', 40_000n),
  ),
  paid(
    'paid-unverified',
    'The same station under an operator without KYB.',
    unverifiedStation('paid-unverified'),
    daily('paid-unverified', 40_000n),
  ),
  paid('paid-half', 'Cash and payments in equal parts.', halfPaid('paid-half'), daily('paid-half', 1_000n)),
  paid(
    'router-paid',
    'Customers pay through a router contract.',
    paidRobot('router-paid', 1_500n),
    PAID_DAYS.map((day) =>
      routedPayment(paymentName('router-paid', day), day, SHOPPER, [
        { to: payoutOf('router-paid').address, cents: 1_500n },
      ]),
    ),
  ),
  ...BATCHED.map(({ name, cents }, i) =>
    paid(
      name,
      'One of three robots that one customer pays in one transaction.',
      paidRobot('batch', cents),
      i === 0 ? BATCHES : [],
      i === 0 ? { account: payoutOf(MOVED), day: MOVED_DAY, owner: accountOf(`${name} owner`) } : undefined,
    ),
  ),
  paid(
    MOVED,
    'Its account signed for batch-1 later: no payment counts since then.',
    accountMoved(MOVED),
    daily(MOVED, 1_500n),
  ),
  weekly(
    'kyb-expired',
    'Paid every week; the attestation of its operator expired yesterday.',
    unverifiedWeekly('kyb-expired'),
    {
      kyb: 'expired',
    },
  ),
  weekly('weekly', 'Paid every week and silent for 25 days, which its rhythm explains.', silentWeekly('weekly')),
  weekly('monthly', 'Paid every 30 days and silent for 40, which its rhythm explains.', silentMonthly('monthly'), {
    activatedDaysAgo: MONTHLY_ACTIVATED_DAYS_AGO,
  }),
  paid(
    'source-down',
    'Cites a second EVM source, whose node does not answer once a service follows it.',
    CITES_DOWN_SOURCE,
    [],
  ),
  paid('citations', 'One citation for each verdict.', CITATIONS_HISTORY, CITATION_PAYMENTS),
  paid('refunded', 'Returns a third of what it takes.', paidRobot('refunded', 1_500n), [
    ...daily('refunded', 1_500n),
    ...PAID_DAYS.slice(0, -1).map((day) =>
      transferPayment(`refund ${day}`, day - 1, payoutOf('refunded'), {
        to: customerOf(day).address,
        cents: REFUNDED_CENTS,
      }),
    ),
  ]),
];
