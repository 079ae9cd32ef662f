/** Texts of the compare page. */
import { formatCount } from '../parts/formats.ts';

export const MOST_COMPARED = 6;
export const NOTHING_TO_COMPARE = 'Add the id, DID or page of a machine to compare it with others.';
export const FULL = 'Six machines are compared at most. Remove one first.';
/** Undefined where the page shows every id of its URL. */
export function describeLeftOut(invalid: number, surplus: number): string | undefined {
  const reasons = [
    ...(invalid === 0 ? [] : [invalid === 1 ? '1 is no machine id' : `${formatCount(invalid)} are no machine ids`]),
    ...(surplus === 0
      ? []
      : [`${formatCount(surplus)} ${surplus === 1 ? 'is' : 'are'} beyond the first six, the most that are compared`]),
  ];
  return reasons.length === 0 ? undefined : `The link names ids that are not shown: ${reasons.join('; ')}.`;
}
export const NOT_A_MACHINE = 'Not recognized. Enter a machine id or DID.';
export const NO_OVERLAY = 'No rated day to draw yet.';
