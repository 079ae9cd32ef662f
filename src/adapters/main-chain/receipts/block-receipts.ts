/**
 * Proves the logs of a block from the response to `eth_getBlockReceipts`: the receipts, encoded as the chain encodes
 * them, must hash to the receipts root of the block's header. Logs are decoded from the hashed bytes, so the result is
 * every log of the block, unaltered.
 */
import type { Header } from '../../../ports/main-chain.ts';
import type { RawLog } from '../logs/raw-log.ts';
import { BlockReceipts } from './receipt-bytes.ts';
import { RlpCursor } from './rlp-cursor.ts';

/** A log whose block is known. */
export type ProvenRawLog = RawLog & { readonly blockTimestamp: number };

/**
 * Returns the logs of the watched contracts in their order; undefined when the header commits to other receipts. The
 * root does not cover log indexes, so they are counted.
 */
export function proveReceipts(
  header: Header,
  receipts: unknown,
  watched: ReadonlySet<string>,
): readonly ProvenRawLog[] | undefined {
  if (!(receipts instanceof BlockReceipts)) return undefined;
  if (receipts.root !== header.receiptsRoot) return undefined;
  const { number: blockNumber, hash: blockHash, timestamp: blockTimestamp } = header;
  const proven: ProvenRawLog[] = [];
  let logIndex = -1;
  for (const { logBytes, transactionHash } of receipts.list) {
    const rlp = new RlpCursor(logBytes);
    while (!rlp.isAtEnd) {
      logIndex += 1;
      const bytes = rlp.enter();
      const end = rlp.at + bytes;
      const address = rlp.takeHex();
      if (watched.has(address)) {
        const topics = Array.from({ length: rlp.enter() / TOPIC_BYTES }, () => rlp.takeHex());
        const data = rlp.takeHex();
        proven.push({ address, topics, data, blockNumber, blockHash, logIndex, transactionHash, blockTimestamp });
      }
      rlp.at = end;
    }
  }
  return proven;
}

/** A topic with its length prefix. */
const TOPIC_BYTES = 33;
