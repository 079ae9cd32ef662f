/** Texts of the operator page. */
import { formatCents, formatCount } from '../parts/formats.ts';
import { describeAge, plural, SUBSCRIPTION_STATES } from '../parts/texts.ts';
import type { FleetMachine } from './fleet.ts';
import type { Fleet } from '../parts/wire.ts';

export const NO_MACHINES = 'This address owns and controls no machines.';
export const NO_MATCHES = 'No machine matches the filters.';
/** Rating of an alt-chain machine where the deployment rates lists of the interface only. */
export const NOT_RATED_IN_LISTS = 'open to see';

export const UNAVAILABLE_TEXTS = {
  no_events_yet: 'no events yet',
  indexer_behind: 'being indexed',
  not_rated_here: NOT_RATED_IN_LISTS,
} as const;

export function describeIndex(index: Fleet['index'], altChain: string): string {
  const main =
    `Indexed up to block ${formatCount(index.indexed_block)}, ${plural(index.lag_blocks, 'block')} behind the chain ` +
    `head, which was read ${describeAge(index.head_observed_age_seconds)}.`;
  const age = index.alt_snapshot_age_seconds;
  return age === null ? main : `${main} Machines on ${altChain} were read ${describeAge(age)}.`;
}

export function describeMissing(count: number): string {
  return count === 1
    ? '1 machine could not be read and is not listed. The total includes it.'
    : `${formatCount(count)} machines could not be read and are not listed. The total includes them.`;
}

export function describePart(shown: number, total: number): string {
  return `Shows ${formatCount(shown)} of ${formatCount(total)} machines, by id. Totals, filters and sorting apply to these.`;
}

/** Bond of a machine; Grace is named, because it ends soon. */
export function describeBond({ bond_status, subscription }: FleetMachine): string {
  return subscription === undefined ? bond_status : SUBSCRIPTION_STATES[subscription].text;
}

export function describeShare(cents: number, totalCents: number): string {
  if (totalCents === 0) return formatCents(cents);
  return `${formatCents(cents)} (${Math.round((100 * cents) / totalCents)}%)`;
}
