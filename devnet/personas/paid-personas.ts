/** Personas whose customers pay in the local token, with the payments that their events cite (design: machines for the local demo chain). */
import { accountOf } from '../accounts.ts';
import type { Account } from '../accounts.ts';
import { machineIdOf } from '../main-chain/calls.ts';
import { attestKyb } from './attestation-acts.ts';
import type { History } from './histories.ts';
import { CITATION_PAYMENTS, CITATIONS_HISTORY } from './citation-persona.ts';
import {
  accountMoved,
  FIRST_DAY,
  halfPaid,
  MOVED_DAY,
  PAID_DAYS,
  paidRobot,
  paidStation,
  paymentName,
  unverifiedStation,
} from './paid-histories.ts';
import { credentialsOf, served } from './persona.ts';
import type { Persona } from './persona.ts';
import { signPayoutProof } from './payout-proof.ts';
import { endpointsFor, expectedCard, expectedProfile } from './profile-personas.ts';
import { customerOf, routedPayment, SHOPPER, transferPayment, WHOLESALER } from './planned-payment.ts';
import type { PlannedPayment } from './planned-payment.ts';

const ACTIVATED_DAYS_AGO = 150;
const REFUNDED_CENTS = 500n;

/** Returns the account that receives the payments of a machine. */
function payoutOf(machine: string): Account {
  return accountOf(`${machine} payout`);
}

/** Account of another machine that a machine claims with its event of a day. */
interface TakenAccount {
  readonly account: Account;
  readonly day: number;
}

/** Builds a persona whose oldest event claims the payout account. Its events are public, so that verdicts can be replayed. */
function paid(
  name: string,
  about: string,
  history: History,
  payments: readonly PlannedPayment[],
  taken?: TakenAccount,
): Persona {
  const signedBy = (account: Account) =>
    signPayoutProof(machineIdOf(credentialsOf(name)), accountOf(`${name} owner`).address, account);
  const claimed = history.events.findIndex(({ daysAgo }) => daysAgo === FIRST_DAY);
  return {
    name,
    about,
    home: 'main',
    activatedDaysAgo: ACTIVATED_DAYS_AGO,
    serviceEndpoints: endpointsFor('public'),
    events: history.events.map((event, i) => {
      if (i === claimed) return { ...event, metadata: signedBy(payoutOf(name)) };
      return event.daysAgo === taken?.day ? { ...event, metadata: signedBy(taken.account) } : event;
    }),
    payments,
    acts: history.isVerified === undefined ? [] : [attestKyb(ACTIVATED_DAYS_AGO)],
    expected: served(history.rating, {
      verdicts: history.verdicts!,
      profile: () => ({ ...expectedProfile('public'), partner_data_error: 'not_fetched' }),
      card: expectedCard('public'),
      ...(history.isVerified && { kyb: 'verified' as const }),
    }),
  };
}

/** Returns a transfer of the customer of each day. */
function daily(machine: string, cents: bigint): PlannedPayment[] {
  return PAID_DAYS.map((day) =>
    transferPayment(paymentName(machine, day), day, customerOf(day), { to: payoutOf(machine).address, cents }),
  );
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
      i === 0 ? { account: payoutOf(MOVED), day: MOVED_DAY } : undefined,
    ),
  ),
  paid(
    MOVED,
    'Its account signed for batch-1 later: no payment counts since then.',
    accountMoved(MOVED),
    daily(MOVED, 1_500n),
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
