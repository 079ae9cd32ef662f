/** Arithmetic on bigints, and the numbers of the result. */

/** Largest integer of a JSON number. */
export const SAFE = 2n ** 53n - 1n;

export const shown = (x: bigint): number => Number(min(x, SAFE));

export const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

export const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((total, x) => total + x, 0n);

export const least = (numbers: readonly bigint[]): bigint => numbers.reduce(min);

export const greatest = (numbers: readonly bigint[]): bigint => numbers.reduce(max);

export const distinct = (numbers: readonly bigint[]): bigint[] => [...new Set(numbers)];

export const compareBigints = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
