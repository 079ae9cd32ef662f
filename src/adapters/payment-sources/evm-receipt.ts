/** Receipts of cited EVM transactions, parsed strictly. */
import { parseAddress } from '../../domain/identifiers/identifiers.ts';
import { isObject } from '../../domain/json/json-values.ts';
import { PAYMENT } from '../../domain/rating/constants.ts';
import type { SourceLog } from '../../domain/rating/paid/source-transaction.ts';
import { isHexData, parseHash, parseQuantity } from '../main-chain/rpc/quantities.ts';

export interface EvmReceipt {
  readonly success: boolean;
  readonly block: number;
  readonly blockHash: string;
  readonly from: string;
  /** Logs of listed contracts. */
  readonly logs: readonly SourceLog[] | 'too_many';
}

const MAX_TOPICS = 4;

/**
 * Parses a receipt of the transaction with this hash. Null: the transaction is in no block. Undefined: the value is no
 * sound receipt of it.
 */
export function parseReceipt(
  value: unknown,
  hash: string,
  isListed: (contract: string) => boolean,
): EvmReceipt | null | undefined {
  if (value === null) return null;
  if (!isObject(value) || parseHash(value['transactionHash']) !== hash) return undefined;
  // Some nodes send the receipt of a transaction that waits for a block.
  if (value['blockHash'] === null || value['blockNumber'] === null) return null;
  const block = parseQuantity(value['blockNumber']);
  const blockHash = parseHash(value['blockHash']);
  const success = parseSuccess(value);
  const from = typeof value['from'] === 'string' ? parseAddress(value['from']) : undefined;
  const logs = parseLogs(value['logs'], hash, isListed);
  if (block === undefined || blockHash === undefined || from === undefined || logs === undefined) return undefined;
  if (success === undefined) return undefined;
  return { success, block, blockHash, from, logs };
}

/**
 * Returns whether the transaction succeeded. Before Byzantium (October 2017) receipts have a state root instead of a status: it counts as
 * executed, and every citation of it is `wrong_time`.
 */
function parseSuccess({ status, root }: Readonly<Record<string, unknown>>): boolean | undefined {
  if ((status ?? undefined) === undefined) return parseHash(root) === undefined ? undefined : true;
  const parsed = parseQuantity(status);
  return parsed === 0 || parsed === 1 ? parsed === 1 : undefined;
}

function parseLogs(
  value: unknown,
  hash: string,
  isListed: (contract: string) => boolean,
): EvmReceipt['logs'] | undefined {
  if (!Array.isArray(value)) return undefined;
  if (value.length > PAYMENT.maxLogs) return 'too_many';
  const logs: SourceLog[] = [];
  let previous = -1;
  for (const entry of value as readonly unknown[]) {
    if (!isObject(entry) || typeof entry['address'] !== 'string' || entry['removed'] === true) return undefined;
    const address = parseAddress(entry['address']);
    if (address === undefined || parseHash(entry['transactionHash']) !== hash) return undefined;
    // A log that is listed twice would count twice.
    const index = parseQuantity(entry['logIndex']);
    if (index === undefined || index <= previous) return undefined;
    previous = index;
    if (!isListed(address)) continue;
    const { topics, data } = entry;
    if (!Array.isArray(topics) || topics.length > MAX_TOPICS || !isHexData(data)) return undefined;
    const hashes = topics.map(parseHash);
    if (hashes.includes(undefined)) return undefined;
    logs.push({ address, topics: hashes as string[], data: data.toLowerCase() });
  }
  return logs;
}
