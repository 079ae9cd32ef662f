/** Builder of the personas whose customers pay in the local token: their claims, their payments and what is expected of them. */
import { accountOf } from '../accounts.ts';
import type { Account } from '../accounts.ts';
import { machineIdOf } from '../main-chain/calls.ts';
import { attestKyb } from './attestation-acts.ts';
import type { History } from './histories.ts';
import { credentialsOf, served } from './persona.ts';
import type { Act, Persona } from './persona.ts';
import { paymentName } from './paid-histories.ts';
import { signPayoutProof } from './payout-proof.ts';
import { endpointsFor, expectedCard, expectedProfile } from './profile-personas.ts';
import { customerOf, transferPayment } from './planned-payment.ts';
import type { PlannedPayment } from './planned-payment.ts';

const ACTIVATED_DAYS_AGO = 150;
const EXPIRED_DAYS_AGO = 1;

/** Proof in the metadata of the first event of a day. */
export interface PayoutClaim {
  readonly day: number;
  readonly account: Account;
  /** Owner that the proof names. */
  readonly owner: Account;
}

/** What makes up a paid persona. */
export interface PaidPersona extends Partial<
  Pick<Persona, 'activatedDaysAgo' | 'activator' | 'buyer' | 'controller' | 'furtherResponses'>
> {
  readonly name: string;
  readonly about: string;
  readonly history: History;
  readonly payments: readonly PlannedPayment[];
  /** Absent: its payout account, with the oldest event. */
  readonly claims?: readonly PayoutClaim[];
  readonly acts?: readonly Act[];
  /** Attestation of the operator; absent: none, or `verified` where the history says so. */
  readonly kyb?: 'verified' | 'expired';
}

/** Returns the account that receives the payments of a machine. */
export function payoutOf(machine: string): Account {
  return accountOf(`${machine} payout`);
}

/** Returns the claim of the payout account with the oldest event, under the first owner. */
export function claimOf(machine: string, { events }: History): PayoutClaim {
  const day = Math.max(...events.map(({ daysAgo }) => daysAgo));
  return { day, account: payoutOf(machine), owner: accountOf(`${machine} owner`) };
}

/** Returns a transfer of the customer of each day to the payout account. */
export function customerPayments(machine: string, days: readonly number[], cents: bigint): PlannedPayment[] {
  return days.map((day) =>
    transferPayment(paymentName(machine, day), day, customerOf(day), { to: payoutOf(machine).address, cents }),
  );
}

/** Builds the persona. Its events are public, so that verdicts can be replayed. */
export function toPaidPersona(parts: PaidPersona): Persona {
  const { name, about, history, payments, claims = [claimOf(name, history)], acts = [], kyb, ...rest } = parts;
  const id = machineIdOf(credentialsOf(name));
  const activatedDaysAgo = rest.activatedDaysAgo ?? ACTIVATED_DAYS_AGO;
  const status = kyb ?? (history.isVerified && 'verified');
  const attested = status && [attestKyb(activatedDaysAgo, status === 'expired' ? EXPIRED_DAYS_AGO : undefined)];
  const events = history.events.map((event, i) => {
    const claim = claims.find(({ day }) => day === event.daysAgo);
    const isFirst = history.events.findIndex(({ daysAgo }) => daysAgo === event.daysAgo) === i;
    return claim === undefined || !isFirst
      ? event
      : { ...event, metadata: signPayoutProof(id, claim.owner.address, claim.account) };
  });
  return {
    ...{ name, about, home: 'main', ...rest, activatedDaysAgo, events, payments },
    serviceEndpoints: endpointsFor('public'),
    acts: [...(attested ?? []), ...acts],
    expected: served(history.rating, {
      verdicts: history.verdicts!,
      profile: () => ({ ...expectedProfile('public'), partner_data_error: 'not_fetched' }),
      card: expectedCard('public'),
      ...(status && { kyb: status }),
    }),
  };
}
