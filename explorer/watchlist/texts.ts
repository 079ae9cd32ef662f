/** Texts of the watchlist page. */
import { plural } from '../parts/texts.ts';

export const NOTHING_WATCHED =
  'Nothing is watched in this browser. Open the page of a machine or an operator and choose Watch.';
export const KEPT_HERE = 'The list is stored in this browser only. Export it to use it elsewhere.';
export const NOT_A_LIST = 'This file is not an exported watchlist. Nothing was imported.';
export const UNCHANGED = 'no change since your last visit';
/** Where the feed of changes does not reach back to it. */
export const VALUES_UNCHANGED = 'no change of these values since your last visit';
export const FIRST_VISIT = 'first visit';

export function describeEarlier(changes: number): string {
  return `and ${plural(changes, 'earlier change')}`;
}

export const VALUE_NAMES = {
  rating: 'Rating',
  bond: 'Bond',
  flag: 'Flag',
  machines: 'Machines',
  owner: 'Owner',
  operator: 'Operator',
  kyb: 'Operator (KYB)',
  chip: 'Chip',
  'opt-in': 'Opt-in',
} as const;
