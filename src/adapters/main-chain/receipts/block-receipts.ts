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
 * Returns all logs of the block in their order, undefined in place of those of other contracts, so that the caller can
 * decode them in ticks. Returns undefined when the header commits to other receipts.
 */
export function proveReceipts(
  header: Header,
  receipts: unknown,
  watched: ReadonlySet<string>,
): Iterable<ProvenRawLog | undefined> | undefined {
  if (!(receipts instanceof BlockReceipts)) return undefined;
  if (receipts.root !== header.receiptsRoot) return undefined;
  return decodeLogs(header, receipts, watched);
}

/** Decodes the logs one by one. The root does not cover log indexes, so they are counted. */
function* decodeLogs(
  { number: blockNumber, hash: blockHash, timestamp: blockTimestamp }: Header,
  receipts: BlockReceipts,
  watched: ReadonlySet<string>,
): Generator<ProvenRawLog | undefined, undefined> {
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
        yield { address, topics, data, blockNumber, blockHash, logIndex, transactionHash, blockTimestamp };
      } else yield undefined;
      rlp.at = end;
    }
  }
}

/** A topic with its length prefix. */
const TOPIC_BYTES = 33;
