/** Texts of the compare page. */

export const MOST_COMPARED = 6;
export const NOTHING_TO_COMPARE = 'Add the id, DID or page of a machine to compare it with others.';
export const FULL = 'Six machines are compared at most. Remove one first.';
export const NOT_A_MACHINE = 'Not recognized. Enter a machine id or DID.';
export const NO_OVERLAY = 'No rated day to draw yet.';
