/**
 * Comparison of the index with the contracts' own counters (design/real-chains 1). Logs that a node withheld from the index show as a
 * difference, which is never served and starts a repair.
 */
import { setBounded } from '../../domain/bounded-map.ts';
import { Fault } from '../../domain/faults.ts';
import { ZERO_ADDRESS, type Address, type MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef, MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import type { IndexCounters } from '../../ports/indexes.ts';
import type { MainChain, MainChainLog, RegistryLogGroup } from '../../ports/main-chain.ts';
import type {
  Checkpoint,
  IndexedMachine,
  IndexedTokens,
  MainChainIndexStore,
  OwnershipChange,
  OwnershipStore,
} from '../../ports/store.ts';
import type { RecentBlocks } from '../head/recent-blocks.ts';
import { createIndexBehind } from './index-behind.ts';
import type { IndexRepair } from './index-repair.ts';
import {
  explainsController,
  explainsOwner,
  isChipEqual,
  isOwnershipEqual,
  isSameHome,
  type FollowedLogs,
} from './machine-check.ts';

export interface IndexCountersOptions {
  readonly balances: Pick<MainChain, 'readBalance' | 'readBalanceAt'>;
  readonly chain: Pick<MainChainLog, 'readOwnership'>;
  readonly store: Pick<MainChainIndexStore, 'readIndexedMachine' | 'readMainChainCheckpoint'> &
    Pick<OwnershipStore, 'repairOwnership'>;
  readonly repair: IndexRepair;
  /** Returns the blocks that the head follower knows. */
  readonly recent: () => RecentBlocks | undefined;
}

/** Comparisons at a checkpoint that are remembered, one per owner and machine. */
const MAX_REMEMBERED = 10_000;

const NOTHING_FOLLOWED: FollowedLogs = { logs: [], isBackward: false };

interface Comparison extends IndexedTokens {
  readonly isEqual: Promise<boolean>;
}

export function createIndexCounters(options: IndexCountersOptions): IndexCounters {
  const { balances, chain, store, repair, recent } = options;
  const compared = new Map<Address, Comparison>();
  /** Checkpoints at which the ownership of a machine was read again. */
  const readAgainAt = new Map<MachineId, string>();

  /** Compares at the newest block; false also when the followed blocks do not connect it to the checkpoint. */
  async function isEqualAtHead(owner: Address, { count, checkpoint }: IndexedTokens): Promise<boolean> {
    const { block, balance } = await balances.readBalance(owner, count > 0);
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
    setBounded(compared, owner, comparison, MAX_REMEMBERED);
    isEqual.catch(() => {
      if (compared.get(owner) === comparison) compared.delete(owner);
    });
    return isEqual;
  }

  /** Returns undefined when checkpoint and block are not known to be on one chain. */
  function listFollowed(id: MachineId, checkpoint: Checkpoint, block: BlockRef): FollowedLogs | undefined {
    const blocks = recent();
    if (blocks?.holdsBoth(checkpoint, block) !== true) return undefined;
    const isBackward = block.number < checkpoint.blockNumber;
    const [older, newer] = isBackward ? [block.number, checkpoint.blockNumber] : [checkpoint.blockNumber, block.number];
    return { logs: blocks.listRegistry(id, older, newer), isBackward };
  }

  /**
   * Returns the machine's ownership at the checkpoint and corrects its row; once for a checkpoint. Undefined: the rows are
   * of a later block, so the index is still on its way there, or the checkpoint has moved.
   */
  async function readOwnershipAgain(
    id: MachineId,
    { checkpoint, isSettled, ownership }: IndexedMachine,
  ): Promise<OwnershipChange | undefined> {
    if (!isSettled) return undefined;
    const { blockNumber: number, blockHash: hash } = checkpoint;
    if (readAgainAt.get(id) === hash) return ownership;
    const [current] = await chain.readOwnership({ number, hash }, [id]);
    const isSame = isSameOwnership(current!, ownership);
    if (!isSame && !(await store.repairOwnership(checkpoint, [current!]))) return undefined;
    setBounded(readAgainAt, id, hash, MAX_REMEMBERED);
    return isSame ? ownership : current;
  }

  /** Returns the ownership at the checkpoint; undefined where it does not lead to that of the snapshot. */
  async function findOwnership(
    snapshot: MachineSnapshot,
    indexed: IndexedMachine,
    followed: FollowedLogs | undefined,
    localOrdinal: number | undefined,
  ): Promise<OwnershipChange | undefined> {
    // Where the logs in between are not known, what differs changed by one of them.
    const leadsToSnapshot = (ownership: OwnershipChange) =>
      isOwnershipEqual(snapshot, ownership, followed ?? NOTHING_FOLLOWED);
    // Logs of homes are not followed: a home that differs is read again, and may have changed since the checkpoint.
    const isHomeEqual = localOrdinal === undefined || isSameHome(snapshot, indexed.ownership, localOrdinal);
    if (isHomeEqual && leadsToSnapshot(indexed.ownership)) return indexed.ownership;
    const ownership = await readOwnershipAgain(snapshot.id, indexed);
    return ownership !== undefined && leadsToSnapshot(ownership) ? ownership : undefined;
  }

  const behind = (checkpoint: Checkpoint | undefined, block: BlockRef) =>
    createIndexBehind(checkpoint, block, recent());

  return {
    async checkTokens(owner, tokens) {
      // ERC-721 has no balance of the zero address, which owns no token.
      if (owner === ZERO_ADDRESS || (await isEqualAtHead(owner, tokens))) return;
      if (await isEqualAtCheckpoint(owner, tokens)) return;
      repair.startTokens(owner);
      throw new Fault('OwnershipIndexRepairing', {});
    },
    async checkMachine(snapshot, localOrdinal) {
      const { id, block } = snapshot;
      const indexed = await store.readIndexedMachine(id);
      if (indexed === undefined) throw behind(await store.readMainChainCheckpoint(), block);
      const { checkpoint } = indexed;
      const followed = listFollowed(id, checkpoint, block);
      if (!isChipEqual(snapshot, indexed, followed ?? NOTHING_FOLLOWED)) {
        if (followed !== undefined) repair.startRegistryLogs('chip', id);
        throw behind(checkpoint, block);
      }
      const ownership = await findOwnership(snapshot, indexed, followed, localOrdinal);
      if (ownership === undefined) throw behind(checkpoint, block);
      // The evidence of events depends on the changes of hands before them and their acceptance, so the newest values are not enough.
      const unexplained = findUnexplained(indexed, ownership);
      if (unexplained !== undefined) {
        if (indexed.isSettled) repair.startRegistryLogs(unexplained, id);
        throw behind(checkpoint, block);
      }
      return { outcome: ownership === indexed.ownership ? 'agrees' : 'corrected', epoch: indexed.epoch };
    },
  };
}

/** Returns the logs that do not lead to owner and controller, if any. */
function findUnexplained(indexed: IndexedMachine, ownership: OwnershipChange): RegistryLogGroup | undefined {
  if (!explainsOwner(indexed.transfers, ownership)) return 'transfers';
  return explainsController(indexed, ownership) ? undefined : 'controllers';
}

function isSameOwnership(a: OwnershipChange, b: OwnershipChange): boolean {
  const list = (each: OwnershipChange) => [
    each.kind,
    each.kind === 'gone' ? undefined : each.owner,
    each.kind === 'held' ? each.controller : undefined,
  ];
  return list(a).join() === list(b).join();
}
