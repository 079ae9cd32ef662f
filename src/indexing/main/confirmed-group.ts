/**
 * Confirms a group of windows before it is stored. Far from the head no parent links lead from the group to the finalized
 * block, and one node of a pool may be on another fork. So the header that the checkpoint names is read together with the
 * finalized block, which shows that the node is on the finalized chain. Where pools often differ, near the finalized block,
 * the blocks of the logs are read as well.
 */
import { checkHeaders } from '../../domain/index-rules/block-checks.ts';
import { MAX_LAG_BLOCKS } from '../../domain/index-rules/index-freshness.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import { UNKNOWN_BLOCK_TIME, type LogBlock } from '../../ports/index-proof.ts';
import type { Header, MainChainLog } from '../../ports/main-chain.ts';
import type { EventLogEntry } from '../../ports/store.ts';
import type { LogGroup } from './log-groups.ts';

/** Group whose last block is on the finalized chain. */
export interface ConfirmedGroup extends LogGroup {
  readonly last: BlockRef;
}

type Chain = Pick<MainChainLog, 'readHeaders'>;

/** What has the time of its block; some kinds of logs have none. */
interface Timed {
  readonly blockNumber: number;
  readonly blockTimestamp?: number | undefined;
}

/**
 * Returns the group with its last block, and with the times of the blocks that were read. `startTime` is that of the block before the group,
 * 0 where it is not known. Throws `ResponseRejected` and
 * `ChainUnreadable`.
 */
export async function confirmGroup(
  chain: Chain,
  group: LogGroup,
  finalized: BlockRef,
  startTime: number,
): Promise<ConfirmedGroup> {
  const { toBlock, unproven } = group;
  const isNear = (block: number) => finalized.number - block <= MAX_LAG_BLOCKS;
  const checked = unproven.blocks.filter(({ blockNumber }) => blockNumber === toBlock || isNear(blockNumber));
  const headers = await readOnFinalizedChain(
    chain,
    [...checked.map(({ blockNumber }) => blockNumber), toBlock],
    finalized,
  );
  const last = headers.get(toBlock)!;
  for (const block of checked) checkBlock(block, headers.get(block.blockNumber)!);
  checkTimes(unproven.blocks, startTime, last.timestamp);
  const setTime = <T extends Timed>(each: T): T => {
    const header = each.blockTimestamp === UNKNOWN_BLOCK_TIME ? headers.get(each.blockNumber) : undefined;
    return header === undefined ? each : { ...each, blockTimestamp: header.timestamp };
  };
  return {
    ...group,
    last,
    events: group.events.map((event) => setTime<EventLogEntry>(event)),
    unproven: { ...unproven, blocks: unproven.blocks.map(setTime) },
  };
}

/**
 * Reads headers, ascending and not above the finalized block, together with the finalized block. Throws
 * `ResponseRejected` when the node has another block there.
 */
export async function readOnFinalizedChain(
  chain: Chain,
  numbers: readonly number[],
  finalized: BlockRef,
): Promise<ReadonlyMap<number, Header>> {
  const all = [...new Set([...numbers, finalized.number])];
  const headers = await chain.readHeaders(all);
  checkHeaders(all, headers);
  if (headers.at(-1)!.hash !== finalized.hash) throw new ResponseRejected('hash-mismatch');
  return new Map(headers.map((header) => [header.number, header]));
}

/** Checks that the times of blocks, which are those that a node put into their logs, never fall. */
function checkTimes(blocks: readonly LogBlock[], startTime: number, endTime: number): void {
  let time = startTime;
  for (const { blockTimestamp } of blocks) {
    if (blockTimestamp === UNKNOWN_BLOCK_TIME) continue;
    if (blockTimestamp < time || blockTimestamp > endTime) throw new ResponseRejected('time-mismatch');
    time = blockTimestamp;
  }
}

/** Checks that logs are of this block. */
function checkBlock({ blockHash, blockTimestamp }: LogBlock, { hash, timestamp }: Header): void {
  if (blockHash !== hash) throw new ResponseRejected('hash-mismatch');
  if (blockTimestamp !== UNKNOWN_BLOCK_TIME && blockTimestamp !== timestamp)
    throw new ResponseRejected('time-mismatch');
}
