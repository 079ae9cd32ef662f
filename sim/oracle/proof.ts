/** Oracle for the proof of the index: once all faults have ended, nothing may stay unproven. */
import type { IndexProof } from '../../src/domain/index-rules/index-proof.ts';
import type { ProofKind } from '../../src/ports/index-proof.ts';
import type { Store } from '../../src/ports/store.ts';
import { FIRST_BLOCK } from '../chain/deployment.ts';

/** Kinds that complete the proof of a range, by mode; a mode that is absent proves nothing afterwards. */
const SUFFICIENT: { readonly [mode in IndexProof]?: readonly ProofKind[] } = {
  background: ['headers', 'second-node', 'sample'],
  full: ['headers'],
};

/**
 * Returns what is not proven up to the checkpoint; undefined when everything is. Receipts whose roots are not those of Ethereum
 * settle no block that its bloom leaves open (real-chains 1), so that ranges without logs may stay unproven.
 */
export async function findUnproven(
  mode: IndexProof,
  store: Store,
  checkpoint: number,
  hasOddReceipts: boolean,
): Promise<string | undefined> {
  const kinds = SUFFICIENT[mode];
  if (kinds === undefined) return undefined;
  const extent = await store.readUnprovenExtent();
  if (extent !== undefined) return `the logs of ${extent.blocks} blocks from ${extent.oldest} on are not proven`;
  if (hasOddReceipts) return undefined;
  const segments = (await store.listProofSegments()).filter(({ kind }) => kinds.includes(kind));
  for (let number = FIRST_BLOCK; number <= checkpoint;) {
    const reached = Math.max(
      ...segments.filter(({ fromBlock }) => fromBlock <= number).map(({ toBlock }) => toBlock + 1),
    );
    if (!(reached > number)) return `block ${number} of ${checkpoint} is not proven to hold no other logs`;
    number = reached;
  }
  return undefined;
}
