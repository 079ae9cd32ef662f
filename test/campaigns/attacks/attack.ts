/** One attack on the rating: a machine with its real transactions, and the accounts whose gas and money it costs. */
import { accountOf } from '../../../devnet/accounts.ts';
import type { Account } from '../../../devnet/accounts.ts';
import { machineIdOf } from '../../../devnet/main-chain/calls.ts';
import { mintTokens } from '../../../devnet/main-chain/payments.ts';
import type { PaymentContracts } from '../../../devnet/main-chain/payments.ts';
import type { Call } from '../../../devnet/main-chain/chain-writer.ts';
import { credentialsOf, toPersonaMachine } from '../../../devnet/personas/persona.ts';
import type { Persona } from '../../../devnet/personas/persona.ts';
import { signPayoutProof } from '../../../devnet/personas/payout-proof.ts';
import { endpointsFor } from '../../../devnet/personas/profile-personas.ts';
import { transferPayment } from '../../../devnet/personas/planned-payment.ts';
import type { PlannedPayment } from '../../../devnet/personas/planned-payment.ts';
import { daysBetween } from '../../../devnet/personas/planned-event.ts';
import type { PlannedEvent } from '../../../devnet/personas/planned-event.ts';
import { toSampleAltMachine } from '../../../devnet/personas/alt-persona.ts';
import type { AltPersona } from '../../../devnet/personas/alt-persona.ts';

/** Roles of the accounts that the attacker pays for. */
export const ROLES = ['owner', 'seller', 'controller', 'payout', 'payer', 'hop', 'forger', 'rival'] as const;
export type Role = (typeof ROLES)[number];

export interface Attack<Machine extends Persona | AltPersona = Persona | AltPersona> {
  readonly name: string;
  /** What is tried, as `docs/scoring.md` lists it. */
  readonly attempt: string;
  /** What the rating needs beyond fees and money. */
  readonly needs?: string;
  readonly persona: Machine;
  /** Machines beside the rated one. */
  readonly others?: readonly Machine[];
}

/** Returns the machines of attacks on each home chain. */
export function listSamples(attacks: readonly Attack[]) {
  const personas = attacks.flatMap(({ persona, others = [] }) => [persona, ...others]);
  return {
    main: personas.filter(isOnMainChain).map((persona) => ({ persona, machine: toPersonaMachine(persona) })),
    alt: personas.flatMap((persona) => (isOnMainChain(persona) ? [] : [toSampleAltMachine(persona)])),
  };
}

export function isOnMainChain(persona: Persona | AltPersona): persona is Persona {
  return 'home' in persona;
}

/** The first event claims the account; all others may cite a payment. */
export const WEEKS = daysBetween(1, 141, 7);
export const FIRST_WEEK = 141;
export const PAID_WEEKS = WEEKS.slice(1);
export const WEEKLY_CENTS = 300_000n;
/** Earlier than every event; a bond of 365 days is still active. */
export const ACTIVATED_DAYS_AGO = 150;
const FUNDED_DAYS_AGO = 149;
const FUNDED_CENTS = 100_000_000n;

export function actor(attack: string, role: Role): Account {
  return accountOf(`${attack} ${role}`);
}

export function listActors(attack: string): readonly Account[] {
  return ROLES.map((role) => actor(attack, role));
}

export function idOf(name: string): bigint {
  return machineIdOf(credentialsOf(name));
}

/** Returns the name of the payment of a day. */
export function paymentOf(attack: string, day: number): string {
  return `${attack} ${day}`;
}

/** Returns a persona whose rating is read, not expected. */
export function toAttacker(name: string, rest: Partial<Persona>): Persona {
  return {
    ...{ name, about: 'An attack on the rating.', home: 'main', activatedDaysAgo: ACTIVATED_DAYS_AGO },
    serviceEndpoints: endpointsFor('public'),
    expected: { kind: 'unknown' },
    ...rest,
  };
}

/** Returns a revenue event of the highest trust level. */
export function report(daysAgo: number, value: bigint, rest: Partial<PlannedEvent> = {}): PlannedEvent {
  return { daysAgo, eventType: 0, value, currency: 'USD', trustLevel: 2, ...rest };
}

/** Returns one event a week; all but the first cite the payment of the day. */
export function reportWeekly(attack: string, cents = WEEKLY_CENTS): PlannedEvent[] {
  return WEEKS.map((day) => report(day, cents, day === FIRST_WEEK ? {} : { cites: paymentOf(attack, day) }));
}

/** Adds the proof of an account to the first event of a day. */
export function withClaim(
  attack: string,
  events: readonly PlannedEvent[],
  { account = actor(attack, 'payout'), owner = actor(attack, 'owner'), day = FIRST_WEEK } = {},
): PlannedEvent[] {
  const at = events.findIndex(({ daysAgo }) => daysAgo === day);
  if (at < 0) throw new RangeError(`no event of day ${day}`);
  return events.with(at, { ...events[at]!, metadata: signPayoutProof(idOf(attack), owner.address, account) });
}

/** Mints tokens for an account, before everything else. */
export function fund(account: Account, cents = FUNDED_CENTS): PlannedPayment {
  return {
    name: `funds of ${account.name}`,
    daysAgo: FUNDED_DAYS_AGO,
    call: (contracts) => mintTokens(contracts, { to: account.address, cents }),
  };
}

export function payments(
  days: readonly number[],
  toPayment: (day: number) => PlannedPayment | readonly PlannedPayment[],
): PlannedPayment[] {
  return days.flatMap(toPayment);
}

/** Pays the payout account, which returns the money to the payer through a wallet that has never signed. */
export function launder(attack: string, days: readonly number[], centsOf: (day: number) => bigint): PlannedPayment[] {
  const [payer, payout, hop] = (['payer', 'payout', 'hop'] as const).map((role) => actor(attack, role));
  return [
    fund(payer!),
    ...payments(days, (day) => {
      const cents = centsOf(day);
      return [
        transferPayment(paymentOf(attack, day), day, payer!, { to: payout!.address, cents }),
        transferPayment(`${attack} out ${day}`, day - 1, payout!, { to: hop!.address, cents }),
        transferPayment(`${attack} back ${day}`, day - 1, hop!, { to: payer!.address, cents }),
      ];
    }),
  ];
}

/** Returns a payment that any call makes. */
export function callPayment(
  name: string,
  daysAgo: number,
  call: (contracts: PaymentContracts) => Call,
): PlannedPayment {
  return { name, daysAgo, call };
}
