/**
 * Completes a backfill from logs (design/real-chains.md 1): reads the owners of all machines that logs named, once and at
 * the checkpoint, and the headers of blocks whose time no log reported, newest first. Both resume where they stopped.
 */
import { checkLogOrder, checkLogsOfBlock, watchContracts } from '../../domain/index-rules/block-checks.ts';
import { digestLogs } from '../../domain/index-rules/log-digest.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Header, MainChainLog } from '../../ports/main-chain.ts';
import type { OwnershipChange, Store } from '../../ports/store.ts';
import type { VerifiedLog } from './verified-log.ts';
import { toEventEntries } from './event-entries.ts';
import { readOneAhead } from './window-stream.ts';
import { summarizeLogs } from './window-summary.ts';

export type BackfillStore = Pick<
  Store,
  'listUnreadMachines' | 'storeOwnershipReads' | 'listUntimedBlocks' | 'writeBlockTimes' | 'repairBlocks'
>;

export interface BackfillCompletion {
  readonly chain: MainChainLog;
  readonly store: BackfillStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Clock milliseconds at which to stop. */
  readonly endAt: number;
}

/** Bounds one transaction. */
export const MACHINES_PER_TRANSACTION = 2_000;
/** Machines of the first read; the others take about as long as given. The adapter splits them into requests. */
export const FIRST_MACHINES = 2_000;
const MAX_MACHINES_PER_READ = 14_000;
const MAX_HEADERS_PER_READ = 500;
/** Headers of the first read; the others likewise, so that times are served while a slow node is read. */
const FIRST_HEADERS = 25;
const READ_MILLISECONDS = 2_000;

/** Returns whether everything was done; false when the time is up or the checkpoint moved. Throws like every chain read. */
export async function completeBackfill(completion: BackfillCompletion, checkpoint: BlockRef): Promise<boolean> {
  return (await readOwners(completion, checkpoint)) && (await readTimes(completion, checkpoint));
}

async function readOwners(completion: BackfillCompletion, checkpoint: BlockRef): Promise<boolean> {
  const { store } = completion;
  const expected = { blockNumber: checkpoint.number, blockHash: checkpoint.hash };
  for await (const owners of readOneAhead(readUnread(completion, checkpoint))) {
    for (let from = 0; from < owners.length; from += MACHINES_PER_TRANSACTION) {
      const changes = owners.slice(from, from + MACHINES_PER_TRANSACTION);
      if (!(await store.storeOwnershipReads(expected, { readAtBlock: checkpoint.number, changes }))) return false;
    }
  }
  return (await store.listUnreadMachines(undefined, 1)).length === 0;
}

/** Yields the ownership of the unread machines in order of id, until the time is up. */
async function* readUnread(
  completion: BackfillCompletion,
  checkpoint: BlockRef,
): AsyncGenerator<readonly OwnershipChange[]> {
  const { chain, store, clock } = completion;
  let after: MachineId | undefined;
  let count = FIRST_MACHINES;
  for (;;) {
    const ids = await store.listUnreadMachines(after, count);
    if (ids.length === 0 || isOver(completion)) return;
    const startedAt = clock.nowMilliseconds();
    const owners = await chain.readOwnership(checkpoint, ids);
    count = countMachines(count, ids.length, startedAt, clock);
    after = ids.at(-1);
    yield owners;
  }
}

/** Returns how many machines the next read may have, given one of at most `count` that has ended. */
export function countMachines(count: number, machines: number, startedAt: number, clock: Clock): number {
  return Math.min(countTimely(machines, startedAt, clock), 2 * count, MAX_MACHINES_PER_READ);
}

/** Returns how many items a read may have, given one that has ended. */
function countTimely(items: number, startedAt: number, clock: Clock): number {
  return Math.ceil((items * READ_MILLISECONDS) / Math.max(1, clock.nowMilliseconds() - startedAt));
}

/** Logs of a block whose hash differs are of another block: they get no time, and are replaced. */
async function readTimes(completion: BackfillCompletion, checkpoint: BlockRef): Promise<boolean> {
  const { chain, store, clock } = completion;
  let below = Number.MAX_SAFE_INTEGER;
  let count = FIRST_HEADERS;
  for (;;) {
    const blocks = await store.listUntimedBlocks(below, count);
    if (blocks.length === 0) return true;
    if (isOver(completion)) return false;
    const startedAt = clock.nowMilliseconds();
    const headers = await chain.readHeaders(blocks.map(({ blockNumber }) => blockNumber));
    const times = headers
      .filter(({ hash }, i) => hash === blocks[i]!.blockHash)
      .map(({ number, timestamp }) => ({ blockNumber: number, blockTimestamp: timestamp }));
    await store.writeBlockTimes(times);
    const replaced = headers.filter(({ hash }, i) => hash !== blocks[i]!.blockHash);
    for (const header of replaced) await replaceLogs(completion, checkpoint, header);
    below = blocks.at(-1)!.blockNumber;
    count = Math.min(countTimely(blocks.length, startedAt, clock), 2 * count, MAX_HEADERS_PER_READ);
  }
}

/** Replaces the stored logs of a block by those of a query for the block alone. They stay unproven. */
async function replaceLogs({ chain, store }: BackfillCompletion, checkpoint: BlockRef, header: Header): Promise<void> {
  const logs = await readLogs(chain, header);
  if (logs === undefined) return;
  const { number: blockNumber, hash: blockHash, timestamp: blockTimestamp } = header;
  const { ownershipOf, touched } = summarizeLogs(logs);
  const changes = ownershipOf.size === 0 ? [] : await chain.readOwnership(checkpoint, [...ownershipOf]);
  const block = { blockNumber, blockHash, blockTimestamp, digest: digestLogs(logs) };
  const repairs = [{ block, events: toEventEntries(logs), isProven: false }];
  const expected = { blockNumber: checkpoint.number, blockHash: checkpoint.hash };
  await store.repairBlocks(expected, repairs, { readAtBlock: checkpoint.number, changes }, touched);
}

/** Returns undefined while the node's logs are again those of another block. */
async function readLogs(chain: MainChainLog, header: Header): Promise<readonly VerifiedLog[] | undefined> {
  const range = { fromBlock: header.number, toBlock: header.number };
  const logs = await chain.readLogs(range);
  try {
    checkLogOrder(watchContracts(chain.addresses), range, logs);
    checkLogsOfBlock(header, logs);
  } catch (error) {
    if (error instanceof ResponseRejected) return undefined;
    throw error;
  }
  return logs.map((log) => ({ ...log, blockTimestamp: header.timestamp }));
}

function isOver({ clock, signal, endAt }: BackfillCompletion): boolean {
  return signal.aborted || clock.nowMilliseconds() >= endAt;
}
