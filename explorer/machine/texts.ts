/** Texts of the machine page. */
import { formatCents, formatCount, formatPoints, formatUtc } from '../parts/formats.ts';
import { plural } from '../parts/texts.ts';
import type { History } from '../parts/wire.ts';

export const TABS = [
  { key: 'rating', name: 'Rating' },
  { key: 'history', name: 'History' },
  { key: 'events', name: 'Events' },
  { key: 'identity', name: 'Identity' },
  { key: 'opt-in', name: 'Opt-in' },
  { key: 'embed', name: 'Embed' },
  { key: 'raw', name: 'Raw data' },
] as const;
export type Tab = (typeof TABS)[number]['key'];

/** The reason of the service says "renew", which a terminated bond does not allow. */
export const BOND_ADVICE = {
  NotActivated: 'The machine was never bonded. Activating its subscription lets it be rated.',
  Runoff: 'The bond has expired. Renewing the subscription restores the rating.',
  Terminated: 'The bond was terminated, which is final. This machine id cannot be bonded again.',
} as const;
export const FRAUD_ADVICE =
  'The bond was terminated for fraud, which is final. This machine id cannot be bonded again.';

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
  return kind === 'trust_override_set' ? `${text} to ${value}%` : `${text} until ${formatUtc(value)}`;
}

export const CAUSE_TEXTS: Readonly<Record<History['actions'][number]['cause'], string>> = {
  bond: 'the bond',
  flag: 'the negative flag',
  trust_override: 'the trust override',
  operator_verification: "the verification of the operator's identity",
  events: 'new events',
  time: 'time without enough new events',
};

/** Names a step that would raise a factor, and what it would add. */
export function describeRevenueAdvice(weekCents: number, targetCents: number, gain: number): string {
  return (
    `About ${formatCents(weekCents)} a week count now; ${formatCents(targetCents)} in each of 13 weeks, with the same ` +
    `evidence, would add ${formatPoints(gain)}.`
  );
}

export function describeCadenceAdvice(days: number, gain: number): string {
  return `${plural(days, 'day')} of 65 count now; five days in each of 13 weeks would add ${formatPoints(gain)}.`;
}

export function describeTenureAdvice(weeks: number, gain: number): string {
  return `${plural(weeks, 'week')} of 52 count now; ${formatCount(52 - weeks)} more with events would add ${formatPoints(gain)}.`;
}

export function describeTrustAdvice(gain: number): string {
  return `Events signed by an attested chip would add up to ${formatPoints(gain)}.`;
}

export function describeTrendAdvice(gain: number): string {
  return `Revenue at least at 80% of the 30 days before would add ${formatPoints(gain)}.`;
}
