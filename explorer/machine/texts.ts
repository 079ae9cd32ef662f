/** Texts of the machine page. */
import { formatCents, formatCount, formatDay, formatPoints } from '../parts/formats.ts';
import { plural } from '../parts/texts.ts';
import type { EventEntry, History } from '../parts/wire.ts';

export const TABS = [
  { key: 'rating', name: 'Rating' },
  { key: 'history', name: 'History' },
  { key: 'events', name: 'Events' },
  { key: 'identity', name: 'Identity' },
  { key: 'verification', name: 'Verification' },
  { key: 'opt-in', name: 'Opt-in' },
  { key: 'embed', name: 'Embed' },
  { key: 'raw', name: 'Raw data' },
] as const;
export type Tab = (typeof TABS)[number]['key'];

/** The reason of the service says that renewal restores the rating: a terminated bond cannot be renewed, and points may be too few. */
export const BOND_ADVICE = {
  NotActivated: 'The machine was never bonded. Activating its subscription lets it be rated.',
  Runoff: 'The bond has expired. Renewing the subscription lets the machine be rated again.',
  Terminated: 'The bond was terminated, which is final. This machine id cannot be bonded again.',
} as const;
export const FRAUD_ADVICE =
  'The bond was terminated for fraud, which is final. This machine id cannot be bonded again.';

export const SIGNED_RATING =
  'A rating that you can prove later to anyone, without this service. Store the whole file: its signature covers the rating, the block and the explanation.';
export const NO_SIGNED_RATINGS = 'This deployment does not sign ratings.';

export const FIRST_RATING =
  'A rating needs an active bond, and 10 qualifying events on 5 days over 30 days. Submit the first event to begin.';
export const NO_EVENTS_YET = 'No qualifying events yet.';
export const HISTORY_INCOMPLETE =
  'The service has not indexed the full history of this machine, so it shows none. Reload the page in a minute.';
export const NO_CHANGES = 'No change of the bond, the flag or the trust override is on record.';
export const NO_ACTIONS = 'The rating has not changed in the days shown.';

const CHANGE_TEXTS: Readonly<Record<History['changes'][number]['kind'], string>> = {
  bond_started: 'Bonded',
  bond_renewed: 'Bond renewed',
  bond_in_grace: 'Grace began: the bond was not renewed in time',
  bond_expired: 'Bond expired',
  bond_terminated: 'Bond terminated',
  bond_terminated_for_fraud: 'Bond terminated for fraud',
  flagged: 'Negative flag set',
  flag_lapsed: 'Negative flag lapsed after 180 days',
  flag_cleared: 'Negative flag cleared',
  trust_override_set: 'Trust set by an administrator',
  trust_override_cleared: 'Administrative trust removed',
};

export function describeChange({ kind, value }: History['changes'][number]): string {
  const text = CHANGE_TEXTS[kind];
  if (value === null) return text;
  return kind === 'trust_override_set' ? `${text} to ${value}%` : `${text} until ${formatDay(value)}`;
}

export const CAUSE_TEXTS: Readonly<Record<History['actions'][number]['cause'], string>> = {
  bond: 'the bond',
  flag: 'the negative flag',
  trust_override: 'the trust override',
  operator_verification: "the verification of the operator's identity",
  events: 'new events',
  time: 'time without enough new events',
};

/** The reason of the service says "little or nothing" of weeks that miss a tenth of a point as well. */
export const REVENUE_LOW =
  'Not every one of the last 13 weeks earned the full amount. Steady weekly revenue raises this.';

/** Reason of the deduction that the factors do not show. */
export const ANCHOR_DEDUCTION = 'Points above 50 count a sixth';
export const ADVICE_NOTE =
  'Points deducted, most first, and the next step where the model knows one. A step adds the points named to the total.';

export const NO_DEDUCTIONS = 'No deductions.';

/** What a step adds to the total. */
export interface Gain {
  readonly hundredths: number;
  /** Whether it adds less to the total than to its factor. */
  readonly isAnchored: boolean;
}

function describeGain({ hundredths, isAnchored }: Gain, most = ''): string {
  const why = isAnchored ? ', because points above 50 count a sixth' : '';
  return `would add ${most}${formatPoints(hundredths)} points${why}.`;
}

/** Names a step that would raise a factor, and what it would add. */
export function describeRevenueAdvice(weekCents: number, targetCents: number, gain: Gain): string {
  return (
    `${weekCents === 0 ? 'None counts now' : `About ${formatCents(weekCents)} a week count now`}; ` +
    `${formatCents(targetCents)} in each of 13 weeks, with the same evidence, ${describeGain(gain)}`
  );
}

export function describeCadenceAdvice(weeks: number, days: number, gain: Gain): string {
  return (
    `${formatCount(weeks)} of 13 weeks and ${formatCount(days)} of 65 days count now; ` +
    `five days in each of 13 weeks, with the same evidence, ${describeGain(gain)}`
  );
}

export function describeTenureAdvice(weeks: number, gain: Gain): string {
  return `${plural(weeks, 'week')} of 52 count now; ${formatCount(52 - weeks)} more with events ${describeGain(gain)}`;
}

export function describeTrustAdvice(gain: Gain): string {
  return `Events signed by an attested chip ${describeGain(gain, 'up to ')}`;
}

export function describePaidAdvice(gain: Gain): string {
  return `Events whose payment was followed on a chain ${describeGain(gain, 'up to ')}`;
}

export function describeTrendAdvice(gain: Gain): string {
  return `Revenue at least at 80% of the 30 days before, with single bursts cut, ${describeGain(gain)}`;
}

export const WHAT_IF_NOTE =
  'Rates a bonded machine without a flag that earns the same on five days of every week. Computed by the published model in this browser; not a forecast for this machine.';
export const WHAT_IF_CLASSES = [
  ['declared', 'declared only'],
  ['paid', 'payments followed on a chain'],
  ['attested', 'signed by an attested chip'],
] as const;

export const KYB_MEANINGS = {
  unverified: 'No verifier has recorded the identity of the operator.',
  verified: 'A verifier has recorded that it checked the identity of the operator. The record is in force.',
  expired: 'The record of the verifier has expired. The operator has to be verified again.',
  revoked: 'The verifier has revoked its record of the operator.',
} as const;
export const CHIP_MEANINGS = {
  unverified: 'No chip is on record for this machine.',
  verified: 'The machine has a chip whose certificate was verified. Events that it signs count as attested.',
  expired: 'The chip record has expired. Events count as attested again once the chip is verified again.',
  revoked: 'The chip record was revoked. Events that the chip signs do not count as attested.',
} as const;
export const OPERATOR_COUNTS = 'The rating counts the operator as verified.';
export const OPERATOR_DOES_NOT_COUNT =
  'The rating does not count the operator as verified: points above 50 count a sixth. It counts once its identity is verified and it has accepted the machine.';
export const NOT_VERIFIED_HERE = 'Records of operator and chip are served for machines of {chain} only.';
export const CHIP_CHANGED_HANDS =
  'The chip record was issued before the machine changed hands. It says nothing about the new owner: the machine needs a new record for its events to count as attested.';
const NO_ACCOUNTS = 'No account has signed, so no payment to this machine can be followed.';

/** Chip records are those of the main chain. */
export function describeNoAccounts(isAlt: boolean): string {
  return `${NO_ACCOUNTS} Its revenue counts as declared${isAlt ? '' : ' unless an attested chip signs it'}.`;
}

export const ACCOUNTS_NOTE = 'Accounts that signed for payments to this machine, with the time of the signature.';

export const EVENT_CLASSES = {
  declared: 'declared',
  paid: 'paid',
  attested: 'attested',
} as const;

export const VERDICT_TEXTS: Readonly<Record<NonNullable<EventEntry['verdict']>, string>> = {
  declared: 'no payment cited',
  pending: 'payment is being followed',
  not_found: 'payment not found',
  failed: 'payment failed',
  wrong_time: 'payment at another time',
  wrong_payee: 'payment to another account',
  unknown_payer: 'payer unknown',
  self_paid: 'paid by the owner',
  circular: 'payment went back to the payer',
  already_counted: 'payment already counted',
  paid: 'payment followed',
};

export const EVENT_FILTERS = [
  { key: 'all', name: 'All' },
  { key: 'revenue', name: 'Revenue' },
  { key: 'activity', name: 'Activity' },
] as const;
export const CLASS_FILTERS = [
  { key: 'all', name: 'All' },
  { key: 'declared', name: 'Declared' },
  { key: 'paid', name: 'Paid' },
  { key: 'attested', name: 'Attested' },
  { key: 'none', name: 'Not qualifying' },
] as const;
export const NO_MATCHING_EVENTS = 'No loaded event matches the filters.';
export const NO_OWNER = 'Not in force: the machine is homed on {home}';
export const OWNER_NOTE = 'Owner as last observed at final block';

export const LOADING = 'loading…';
export const UNKNOWN = 'unknown';
export const NOT_ACCEPTED = 'verified, has not accepted this machine';
export const CHIP_BEFORE_SALE = 'from before the machine changed hands';
export const SOME_UNCONVERTED = 'some not converted to USD';
export const PROGRESS_LABEL = 'Progress toward a first rating';
export const EMBED_NOTE = 'The images are current whenever they are loaded.';

export function describeOperator(isVerified: boolean): string {
  return `${isVerified ? 'counts' : 'does not count'} as verified`;
}

export function describeUnavailable(reason: string): string {
  return `No rating available: ${reason.replaceAll('_', ' ')}.`;
}

/** Unix seconds. */
export function describeFlag(begin: number, end: number, isInForce: boolean): string {
  return isInForce
    ? `in force from ${formatDay(begin)} to ${formatDay(end)}`
    : `of ${formatDay(begin)}, lapsed ${formatDay(end)}`;
}

export const NOT_A_MACHINE_ID = 'is not a machine id. A machine id is a decimal number of up to 78 digits.';

/** Days since the last qualifying event; null where there was none. */
export function describeDormancy(idleDays: number | null, lost: number): string {
  const what = idleDays === null ? 'No qualifying event' : `No qualifying event for ${plural(idleDays, 'day')}`;
  return `${what}: −${formatPoints(lost)} points.`;
}

export function describeAnchor(lost: number): string {
  return `${ANCHOR_DEDUCTION}: −${formatPoints(lost)} points.`;
}

/** Null: not rated. */
export function describeTotal(total: number | null, model: string): string {
  return `${total === null ? 'No score' : `${formatPoints(total)} points in total`} · model ${model}`;
}

export const SERVICES_NOTE = 'Declared by the owner and not verified. Use an address only if you trust the owner.';
