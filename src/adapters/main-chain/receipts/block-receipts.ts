/**
 * What did a block log, beyond doubt? The answer of `eth_getBlockReceipts`, encoded as the chain does and held against the root in the
 * block's header: what passes is every log of the block, each as it was written. Logs are told from the very bytes that were hashed.
 */
import { computeReceiptsRoot } from '../../../domain/index-rules/receipts-root.ts';
import type { Header } from '../../../ports/main-chain.ts';
import type { RawLog } from '../logs/raw-log.ts';
import { BlockReceipts } from './receipt-bytes.ts';
import { RlpCursor } from './rlp-cursor.ts';

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
  for (const { logBytes, transactionHash } of told.receipts) {
    const rlp = new RlpCursor(logBytes);
    while (!rlp.isAtEnd) {
      logIndex += 1;
      const bytes = rlp.enter();
      const end = rlp.at + bytes;
      const address = rlp.takeText();
      if (watched.has(address)) {
        const topics = Array.from({ length: rlp.enter() / TOPIC_BYTES }, () => rlp.takeText());
        const data = rlp.takeText();
        proven.push({ address, topics, data, blockNumber, blockHash, logIndex, transactionHash, blockTimestamp });
      }
      rlp.at = end;
    }
  }
  return proven;
}

/** With its length before it. */
const TOPIC_BYTES = 33;
