/**
 * Reads headers of the indexed chain for its proof. One node of a pool, or one machine behind its URL, may be on another
 * fork, whose headers and receipts fit each other. So each batch holds the block of the checkpoint, and is rejected where
 * that is another one. A node may serve a batch in parts, of which only one holds it: it is in the middle, so that this
 * part has other headers too, to which the others of a range are linked.
 */
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { Header, MainChainLog } from '../../ports/main-chain.ts';
import type { Store } from '../../ports/store.ts';

/** Returns the headers in the order of the numbers. Throws like every chain read, and `ResponseRejected`. */
export async function readIndexedHeaders(
  chain: Pick<MainChainLog, 'readHeaders'>,
  store: Pick<Store, 'readMainChainCheckpoint'>,
  numbers: readonly number[],
): Promise<Header[]> {
  const checkpoint = await store.readMainChainCheckpoint();
  if (checkpoint === undefined) throw new ResponseRejected('head-behind');
  const others = numbers.filter((number) => number !== checkpoint.blockNumber);
  const read = others.toSpliced(Math.ceil(others.length / 2), 0, checkpoint.blockNumber);
  const headers = await chain.readHeaders(read);
  const found = new Map(headers.map((header, i) => [read[i], header]));
  const isOfChain = found.get(checkpoint.blockNumber)?.hash === checkpoint.blockHash;
  if (!isOfChain || headers.length !== read.length) throw new ResponseRejected('hash-mismatch');
  return numbers.map((number) => found.get(number)!);
}
