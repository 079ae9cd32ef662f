/** Finds the largest range of logs that the node serves, with the code that the index uses. */
import { MAX_LOG_WINDOW_BLOCKS } from '../../../src/domain/index-rules/log-limits.ts';
import { AdaptiveWindow } from '../../../src/indexing/main/adaptive-window.ts';
import { readLogWindow, type LogWindow } from '../../../src/indexing/main/log-window.ts';
import { isRangeRefusal, streamWindows } from '../../../src/indexing/main/window-stream.ts';
import { watchContracts, type BlockRange } from '../../../src/domain/index-rules/block-checks.ts';
import type { MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import type { ChainLog, MainChainLog } from '../../../src/ports/main-chain.ts';

export interface LogRange {
  /** Largest range that was served. */
  readonly blocks: number;
  /** Blocks whose logs were read, in all ranges together. */
  readonly readBlocks: number;
  readonly logs: number;
  readonly blocksWithLogs: number;
  /** Number of machines that the logs name, at most. */
  readonly machines: number;
  /** One of them. */
  readonly machine: MachineId | undefined;
  readonly firstLogBlock: number | undefined;
  /** The last log read, with its time where the node reports it. */
  readonly sample: ChainLog | undefined;
  /** Whether the node refused a larger range. */
  readonly isLimited: boolean;
}

/** Returns the results of two searches in different blocks as one. */
export function joinLogRanges(one: LogRange, other: LogRange): LogRange {
  return {
    blocks: Math.max(one.blocks, other.blocks),
    readBlocks: one.readBlocks + other.readBlocks,
    logs: one.logs + other.logs,
    blocksWithLogs: one.blocksWithLogs + other.blocksWithLogs,
    machines: one.machines + other.machines,
    machine: one.machine ?? other.machine,
    firstLogBlock: one.firstLogBlock ?? other.firstLogBlock,
    sample: one.sample ?? other.sample,
    isLimited: one.isLimited || other.isLimited,
  };
}

/** Windows that the search may read. */
const MAX_WINDOWS = 24;

/** Reads growing windows from the start of the range on. Throws what reading a window throws, at the latest for one block. */
export async function findLogRange(chain: MainChainLog, range: BlockRange): Promise<LogRange> {
  const window = new AdaptiveWindow(MAX_LOG_WINDOW_BLOCKS, () => chain.logLimits);
  const contracts = watchContracts(chain.addresses);
  const stop = new AbortController();
  let sample: ChainLog | undefined;
  let firstLogBlock: number | undefined;
  const machines = new Set<MachineId>();
  let found = { blocks: 0, readBlocks: 0, logs: 0, blocksWithLogs: 0, isLimited: false };
  let windows = 0;
  let next = range.fromBlock;

  function toRange(): LogRange {
    const [machine] = machines;
    return { ...found, machines: machines.size, machine, firstLogBlock, sample };
  }

  async function read(part: BlockRange): Promise<LogWindow> {
    const watched: MainChainLog = Object.assign(Object.create(chain) as MainChainLog, {
      readLogs: async (query: BlockRange) => {
        const logs = await chain.readLogs(query);
        sample = logs.at(-1) ?? sample;
        firstLogBlock ??= logs[0]?.blockNumber;
        return logs;
      },
    });
    return readLogWindow(watched, contracts, part).catch((error: unknown) => {
      if (isRangeRefusal(error)) found = { ...found, isLimited: true };
      throw error;
    });
  }

  while (next <= range.toBlock && windows < MAX_WINDOWS) {
    try {
      for await (const { fromBlock, toBlock, summary, blocks } of streamWindows(
        read,
        window,
        { fromBlock: next, toBlock: range.toBlock },
        stop.signal,
      )) {
        const size = toBlock - fromBlock + 1;
        next = toBlock + 1;
        windows += 1;
        for (const id of summary.ownershipOf) machines.add(id);
        found = {
          ...found,
          blocks: Math.max(found.blocks, size),
          readBlocks: found.readBlocks + size,
          logs: found.logs + summary.logCount,
          blocksWithLogs: found.blocksWithLogs + blocks.length,
        };
        const isFound = found.isLimited ? window.windowBlocks <= found.blocks : found.blocks === MAX_LOG_WINDOW_BLOCKS;
        if (isFound || windows >= MAX_WINDOWS) return toRange();
      }
    } catch (error) {
      if (!isRangeRefusal(error)) throw error;
    }
  }
  return toRange();
}
