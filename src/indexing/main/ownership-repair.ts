/**
 * Repair of the ownership of one address whose tokens do not add up (design/real-chains 1). Queries the `Transfer` logs that name the
 * address, newest first, and reads only the machines in them again at the checkpoint: logs choose, reads decide. It ends when
 * `balanceOf` agrees.
 */
import { Fault } from '../../domain/faults.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRange } from '../../domain/index-rules/block-checks.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import { LogQueryRefused, type MainChain, type MainChainLog } from '../../ports/main-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { Checkpoint, MainChainIndexStore, OwnershipStore } from '../../ports/store.ts';
import type { IndexIntegrity } from '../loops/index-integrity.ts';
import { isRangeRefusal } from './window-stream.ts';

export interface OwnershipRepair {
  /** Starts a repair unless one of this address started within a minute. Only one runs at a time. */
  start(owner: Address): void;
  /** Resolves when no repair is running. */
  idle(): Promise<void>;
  report(): OwnershipRepairReport;
}

export interface OwnershipRepairReport {
  readonly started: number;
  /** Repairs after which `balanceOf` agreed. */
  readonly succeeded: number;
}

export interface OwnershipRepairOptions {
  readonly chain: Pick<MainChainLog, 'readLogs' | 'readOwnership'>;
  readonly balances: Pick<MainChain, 'readBalanceAt'>;
  readonly store: Pick<MainChainIndexStore, 'readMainChainCheckpoint'> &
    Pick<OwnershipStore, 'listOwnership' | 'repairOwnership'>;
  readonly integrity: IndexIntegrity;
  readonly clock: Clock;
  readonly log: Log;
  readonly startBlock: number;
}

const INTERVAL_MILLISECONDS = 60_000;
/** Addresses whose last repair is remembered. */
const MAX_REMEMBERED = 10_000;
const FIRST_WINDOW_BLOCKS = 50_000;
const MAX_WINDOW_BLOCKS = 1_000_000;
/** The checkpoint rarely moves twice while a few machines are read. */
const MAX_ATTEMPTS = 5;

export function createOwnershipRepair(options: OwnershipRepairOptions): OwnershipRepair {
  const { chain, balances, store, integrity, clock, log, startBlock } = options;
  const startedAt = new Map<Address, number>();
  let running: Promise<void> | undefined;
  /** Blocks of one query, as the node has accepted them. */
  let windowBlocks = FIRST_WINDOW_BLOCKS;
  let started = 0;
  let succeeded = 0;

  async function repair(owner: Address): Promise<boolean> {
    const first = await store.readMainChainCheckpoint();
    let toBlock = first?.blockNumber ?? -1;
    const known = new Set<MachineId>();
    while (toBlock >= startBlock) {
      const range = { fromBlock: Math.max(startBlock, toBlock - windowBlocks + 1), toBlock };
      const ids = await findMachines(owner, range);
      // Undefined means that the range is too large for one query.
      if (ids === undefined) {
        if (range.fromBlock === toBlock) throw new LogQueryRefused('range-too-large');
        windowBlocks = Math.ceil((toBlock - range.fromBlock + 1) / 4);
        continue;
      }
      windowBlocks = Math.min(2 * windowBlocks, MAX_WINDOW_BLOCKS);
      const added = ids.filter((id) => !known.has(id));
      for (const id of added) known.add(id);
      if (added.length > 0 && (await readAgain(owner, added))) return true;
      toBlock = range.fromBlock - 1;
    }
    return false;
  }

  /** Returns the machines in the transfers from or to the owner; undefined when the node refuses the range. */
  async function findMachines(owner: Address, range: BlockRange): Promise<readonly MachineId[] | undefined> {
    try {
      const ids = new Set<MachineId>();
      for (const side of ['from', 'to'] as const) {
        for (const { registry } of await chain.readLogs({ ...range, transfersOf: { holder: owner, side } })) {
          if (registry?.kind !== 'transfer' || registry[side] !== owner) throw new ResponseRejected('foreign-machine');
          ids.add(registry.machineId);
        }
      }
      return [...ids];
    } catch (error) {
      if (isRangeRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Stores the machines as they are at the checkpoint. Returns whether `balanceOf` agrees then. */
  async function readAgain(owner: Address, ids: readonly MachineId[]): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      integrity.check();
      const checkpoint = (await store.readMainChainCheckpoint())!;
      const block = toBlockId(checkpoint);
      const changes = await chain.readOwnership(block, ids);
      if (!(await store.repairOwnership(checkpoint, changes))) continue;
      const { tokens } = await store.listOwnership(owner, 0, 1);
      if (tokens === undefined) return false;
      return (await balances.readBalanceAt(owner, toBlockId(tokens.checkpoint))) === BigInt(tokens.count);
    }
    return false;
  }

  async function run(owner: Address): Promise<void> {
    log.warn({ owner }, 'the ownership index disagrees with balanceOf; repairing it');
    try {
      const isRepaired = await repair(owner);
      if (isRepaired) succeeded += 1;
      log.warn({ owner, isRepaired }, isRepaired ? 'ownership repaired' : 'no Transfer log explains balanceOf');
    } catch (error) {
      const isExpected =
        error instanceof Fault || error instanceof ResponseRejected || error instanceof LogQueryRefused;
      log.warn({ owner, cause: isExpected ? error.message : 'unexpected' }, 'ownership could not be repaired');
    }
  }

  return {
    start(owner) {
      const now = clock.nowMilliseconds();
      const last = startedAt.get(owner);
      const isRecent = last !== undefined && Math.abs(now - last) < INTERVAL_MILLISECONDS;
      if (running !== undefined || isRecent) return;
      startedAt.delete(owner);
      startedAt.set(owner, now);
      if (startedAt.size > MAX_REMEMBERED) startedAt.delete(startedAt.keys().next().value!);
      started += 1;
      running = run(owner).finally(() => {
        running = undefined;
      });
    },
    idle: () => running ?? Promise.resolve(),
    report: () => ({ started, succeeded }),
  };
}

function toBlockId({ blockNumber: number, blockHash: hash }: Checkpoint) {
  return { number, hash };
}
