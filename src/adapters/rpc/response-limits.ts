/** Size limits of node responses by method (design: nodes are not trusted with memory). */

const MEBIBYTE = 1024 * 1024;

/** Limit of a response whose method is not listed: a head, a call or a value. */
export const SMALL_RESPONSE_BYTES = MEBIBYTE;

/** Methods whose sound responses are longer. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ['eth_getLogs', 64 * MEBIBYTE],
  ['eth_getBlockReceipts', 64 * MEBIBYTE],
  // Rows of every machine of the program.
  ['getProgramAccounts', 64 * MEBIBYTE],
  // 100 accounts; 1,000 rows with memos; a transaction with its inner instructions; the signatures of a full block.
  ['getMultipleAccounts', 4 * MEBIBYTE],
  ['getSignaturesForAddress', 4 * MEBIBYTE],
  ['getTransaction', 4 * MEBIBYTE],
  ['getBlock', 4 * MEBIBYTE],
]);

/** Returns the size limit for the response to one call or a batch: the sum of its calls, at most `maxBytes`. */
export function limitResponseBytes(methods: readonly string[], maxBytes: number): number {
  const sum = methods.reduce((total, method) => total + (LIMITS.get(method) ?? SMALL_RESPONSE_BYTES), 0);
  return Math.min(sum, maxBytes);
}
