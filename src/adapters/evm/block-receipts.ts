/**
 * What did a block log, beyond doubt? The answer of `eth_getBlockReceipts`, encoded as the chain does and held against the root in the
 * block's header: what passes is every log of the block, each as it was written. Logs are told from the very bytes that were hashed.
 */
import type { Hex } from 'viem';
import { computeReceiptsRoot } from '../../domain/index-rules/receipts-root.ts';
import type { Header } from '../../ports/main-chain-log.ts';
import type { RawLog } from './raw-log.ts';
import { BlockReceipts, type EncodedLog } from './receipt-bytes.ts';
import { countPrefix } from './rlp-buffer.ts';

/** A log of a block that is known. */
export type ProvenRawLog = RawLog & { readonly blockTimestamp: number };

/**
 * The logs of the watched contracts in the block, in their order; undefined: these are not the receipts that its header commits to. The place
 * of a log is not in the root: it is what was counted.
 */
export function proveReceipts(
  header: Header,
  told: unknown,
  watched: ReadonlySet<string>,
): readonly ProvenRawLog[] | undefined {
  if (!(told instanceof BlockReceipts)) return undefined;
  if (computeReceiptsRoot(told.receipts.map(({ bytes }) => bytes)) !== header.receiptsRoot) return undefined;
  const { number: blockNumber, hash: blockHash, timestamp: blockTimestamp } = header;
  const proven: ProvenRawLog[] = [];
  let logIndex = -1;
  for (const { logBytes, transactionHash, logs } of told.receipts) {
    const digits = logBytes.toString('hex');
    for (const log of logs) {
      logIndex += 1;
      const address = readHex(digits, log.addressAt, ADDRESS_BYTES);
      if (!watched.has(address)) continue;
      const topics = readTopics(digits, log);
      const data = readHex(digits, log.dataAt, log.dataBytes);
      proven.push({ address, topics, data, blockNumber, blockHash, logIndex, transactionHash, blockTimestamp });
    }
  }
  return proven;
}

const ADDRESS_BYTES = 20;
const WORD_BYTES = 32;

/** They stand behind the address, each behind its length. */
function readTopics(digits: string, { addressAt, topicCount }: EncodedLog): Hex[] {
  const topics: Hex[] = [];
  let at = addressAt + ADDRESS_BYTES + countPrefix(topicCount * (1 + WORD_BYTES));
  while (topics.length < topicCount) {
    topics.push(readHex(digits, at + 1, WORD_BYTES));
    at += 1 + WORD_BYTES;
  }
  return topics;
}

function readHex(digits: string, at: number, length: number): Hex {
  return `0x${digits.slice(2 * at, 2 * (at + length))}`;
}
