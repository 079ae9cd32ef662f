/** Texts of the start page. */
import { formatCount } from '../parts/formats.ts';
import { describeLag, plural } from '../parts/texts.ts';

export const LEAD =
  'This service rates machines that earn money on their own, from 0 to 100 points, with every point explained. All data comes from public chains, and anyone can recompute it: see the';
export const NO_ACTIVE_MACHINES = 'No machine has reported an event yet.';
export const NO_RATING_CHANGES = 'No rating has changed lately.';
export const LIST_BEHIND = 'This list may be out of date: an index is behind.';
/** Value of a rating before a machine existed, or after it left. */
export const NO_MACHINE = 'no machine';

export function describeUnreadable(count: number): string {
  return `${plural(count, 'machine')} could not be read and ${count === 1 ? 'is' : 'are'} not listed.`;
}

export function describeIndexed(block: number, lag: number | null): string {
  return `Indexed up to block ${formatCount(block)}${describeLag(lag)}.`;
}

export function describeSlot(chain: string, slot: number): string {
  return `${chain} up to slot ${formatCount(slot)}.`;
}

export function describeViewed(letter: string, score: number, isRated: boolean): string {
  return `${letter}${isRated ? `, ${score} of 100` : ''} when viewed`;
}
