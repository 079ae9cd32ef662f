/**
 * Comparison of the index with the contracts' own counters (design/real-chains 1). Logs that a node withheld from the index show as a
 * difference, which is never served and starts a repair.
 */
import { Fault } from '../../domain/faults.ts';
import { ZERO_ADDRESS, type Address } from '../../domain/identifiers/identifiers.ts';
import type { IndexCounters } from '../../ports/indexes.ts';
import type { MainChain } from '../../ports/main-chain.ts';
import type { IndexedTokens } from '../../ports/store.ts';
import type { RecentBlocks } from '../head/recent-blocks.ts';
import type { OwnershipRepair } from './ownership-repair.ts';

export interface IndexCountersOptions {
  readonly balances: Pick<MainChain, 'readBalance' | 'readBalanceAt'>;
  readonly repair: OwnershipRepair;
  /** Returns the blocks that the head follower knows. */
  readonly recent: () => RecentBlocks | undefined;
}

/** Comparisons at a checkpoint that are remembered, one per owner. */
const MAX_COMPARED = 10_000;

interface Comparison extends IndexedTokens {
  readonly isEqual: Promise<boolean>;
}

export function createIndexCounters({ balances, repair, recent }: IndexCountersOptions): IndexCounters {
  const compared = new Map<Address, Comparison>();

  /** Compares at the newest block; false also when the followed blocks do not connect it to the checkpoint. */
  async function isEqualAtHead(owner: Address, { count, checkpoint }: IndexedTokens): Promise<boolean> {
    const { block, balance } = await balances.readBalance(owner);
    const growth = recent()?.countTokenGrowth(owner, checkpoint, block);
    return growth !== undefined && balance === BigInt(count + growth);
  }

  /** Compares at the checkpoint itself, once for this checkpoint and count: the result cannot change. */
  function isEqualAtCheckpoint(owner: Address, { count, checkpoint }: IndexedTokens): Promise<boolean> {
    const { blockNumber: number, blockHash: hash } = checkpoint;
    const known = compared.get(owner);
    if (known?.count === count && known.checkpoint.blockHash === hash) return known.isEqual;
    const isEqual = balances.readBalanceAt(owner, { number, hash }).then((balance) => balance === BigInt(count));
    const comparison = { count, checkpoint, isEqual };
    compared.delete(owner);
    compared.set(owner, comparison);
    if (compared.size > MAX_COMPARED) compared.delete(compared.keys().next().value!);
    isEqual.catch(() => {
      if (compared.get(owner) === comparison) compared.delete(owner);
    });
    return isEqual;
  }

  return {
    async checkTokens(owner, tokens) {
      // ERC-721 has no balance of the zero address, which owns no token.
      if (owner === ZERO_ADDRESS || (await isEqualAtHead(owner, tokens))) return;
      if (await isEqualAtCheckpoint(owner, tokens)) return;
      repair.start(owner);
      throw new Fault('OwnershipIndexRepairing', {});
    },
  };
}
