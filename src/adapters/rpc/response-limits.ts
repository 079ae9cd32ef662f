/** Size limits of node responses by method (design: nodes are not trusted with memory). */

const MEBIBYTE = 1024 * 1024;

/** Limit of a response whose method is not listed: a head, a call or a value. */
export const SMALL_RESPONSE_BYTES = MEBIBYTE;

/** Methods whose results are read in place, by a worker when they are large. */
const IN_PLACE: ReadonlySet<string> = new Set(['eth_getLogs', 'eth_getBlockReceipts']);

/** Methods whose sound responses are longer. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ['eth_getLogs', 64 * MEBIBYTE],
  ['eth_getBlockReceipts', 64 * MEBIBYTE],
  // 5,000 logs, which are judged, with 3 KB each.
  ['eth_getTransactionReceipt', 16 * MEBIBYTE],
  // Rows of every machine of the program: about 36,000.
  ['getProgramAccounts', 16 * MEBIBYTE],
  // 100 accounts; 1,000 rows with memos; a transaction with its inner instructions; the signatures of a full block.
  ['getMultipleAccounts', 4 * MEBIBYTE],
  ['getSignaturesForAddress', 4 * MEBIBYTE],
  ['getTransaction', 4 * MEBIBYTE],
  ['getBlock', 4 * MEBIBYTE],
]);

/** Limit of what is parsed of a batch on the main thread. */
export const MAX_PARSED_BYTES = 16 * MEBIBYTE;

/** Returns the size limit for the response to one call or a batch: the sum of its calls, within the limit of all. */
export function limitResponseBytes(methods: readonly string[], maxBytes: number): number {
  const sum = methods.reduce((total, method) => total + (LIMITS.get(method) ?? SMALL_RESPONSE_BYTES), 0);
  const isReadInPlace = methods.some((method) => IN_PLACE.has(method));
  return Math.min(sum, maxBytes, isReadInPlace ? maxBytes : MAX_PARSED_BYTES);
}
