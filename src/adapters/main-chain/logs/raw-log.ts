/** Validates the form of an entry of `eth_getLogs`, independent of its contract and meaning. */
import type { Hex } from 'viem';
import { parseAddress } from '../../../domain/identifiers/identifiers.ts';
import { isHexData, parseHash, parseQuantity } from '../rpc/quantities.ts';

export interface RawLog {
  /** Lower case; of any contract. */
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly transactionHash: string;
  readonly blockTimestamp: number | undefined;
}

const MAX_TOPICS = 4;

/** Parses a log of a mined block; undefined for anything else. */
export function parseRawLog(entry: unknown): RawLog | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const members = entry as Readonly<Record<string, unknown>>;
  const address = typeof members['address'] === 'string' ? parseAddress(members['address']) : undefined;
  const blockNumber = parseQuantity(members['blockNumber']);
  const blockHash = parseHash(members['blockHash']);
  const logIndex = parseQuantity(members['logIndex']);
  const transactionHash = parseHash(members['transactionHash']);
  const topics = Array.isArray(members['topics']) ? members['topics'].map(parseHash) : [undefined];
  const { data } = members;
  if (address === undefined || blockNumber === undefined || blockHash === undefined) return undefined;
  if (logIndex === undefined || transactionHash === undefined || members['removed'] === true) return undefined;
  if (topics.length > MAX_TOPICS || topics.includes(undefined)) return undefined;
  if (!isHexData(data)) return undefined;
  const blockTimestamp = parseQuantity(members['blockTimestamp']);
  return {
    address,
    topics: topics as Hex[],
    data,
    blockNumber,
    blockHash,
    logIndex,
    transactionHash,
    blockTimestamp,
  };
}
