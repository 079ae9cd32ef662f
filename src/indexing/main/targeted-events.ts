/**
 * Targeted log query for a machine with more records than known logs (chain-evm 3.7). It reads the machine's own logs
 * above the index once, and accepts them only if their blocks are known to be on the chain of the pinned block.
 */
import {
  checkHeaders,
  checkLogOrder,
  checkLogsOfBlock,
  watchContracts,
  type BlockRange,
} from '../../domain/index-rules/block-checks.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { ChainLog, EventGeneration, Header, MainChainLog } from '../../ports/main-chain.ts';
import type { Checkpoint, EventLogEntry } from '../../ports/store.ts';
import { toEventEntries } from './event-entries.ts';
import type { RecentBlocks } from '../head/recent-blocks.ts';
import { listBlocks } from './block-reader.ts';
import { readCompleteBlocks } from './complete-blocks.ts';

export interface TargetedEvents {
  /**
   * Reads the event logs of one machine after `checkpoint` up to `block`; undefined when the node cannot return them or
   * their blocks cannot be placed. Throws `ResponseRejected`, `LogQueryRefused` and `ChainUnreadable`.
   */
  read(
    generation: EventGeneration,
    id: MachineId,
    checkpoint: Checkpoint,
    block: BlockRef,
  ): Promise<readonly EventLogEntry[] | undefined>;
  /**
   * Reads those after `block` up to `checkpoint`, when the index is ahead of the followed blocks; also undefined when
   * the node does not return both blocks. Throws the same errors.
   */
  readCovered(
    generation: EventGeneration,
    id: MachineId,
    block: BlockRef,
    checkpoint: Checkpoint,
  ): Promise<readonly EventLogEntry[] | undefined>;
}

/** A longer range between index and head is left to the indexer. */
const MAX_BLOCKS = 5_000;
/** Blocks that one call proves. */
const MAX_COVERED_BLOCKS = 64;
/** A pinned block further above the known head cannot be connected to it. */
const MAX_BLOCKS_ABOVE_HEAD = 64;

type PlacedBlock = Pick<Header, 'hash' | 'timestamp'>;

export function createTargetedEvents(chain: MainChainLog, recent: () => RecentBlocks | undefined): TargetedEvents {
  const contracts = watchContracts(chain.addresses);

  async function read(
    generation: EventGeneration,
    id: MachineId,
    checkpoint: Checkpoint,
    block: BlockRef,
  ): Promise<readonly EventLogEntry[] | undefined> {
    const range: BlockRange = { fromBlock: checkpoint.blockNumber + 1, toBlock: block.number };
    if (range.toBlock - range.fromBlock >= MAX_BLOCKS) return undefined;
    const logs = await readMachineLogs(generation, id, range);
    const placed = await placeBlocks(listLogBlocks(logs), block);
    return placed && toPlacedEntries(logs, placed);
  }

  async function readCovered(
    generation: EventGeneration,
    id: MachineId,
    block: BlockRef,
    checkpoint: Checkpoint,
  ): Promise<readonly EventLogEntry[] | undefined> {
    const range: BlockRange = { fromBlock: block.number + 1, toBlock: checkpoint.blockNumber };
    if (range.toBlock - block.number > MAX_COVERED_BLOCKS) return undefined;
    // A list that lacks a log would look complete, so it is read twice: by query, and block by block.
    const logs = await readMachineLogs(generation, id, range);
    const numbers = [block.number, ...listBlocks(range)];
    const headers = await chain.readHeaders(numbers);
    checkHeaders(numbers, headers);
    // Blocks up to a checkpoint are final, so the node has no other chain between the two.
    if (headers[0]!.hash !== block.hash || headers.at(-1)!.hash !== checkpoint.blockHash) return undefined;
    const all = await readComplete(headers.slice(1), logs, generation, id);
    return toPlacedEntries(all, new Map(headers.map((header) => [header.number, header])));
  }

  /** Reads the blocks by hash, compares the list with what their blooms prove, and returns all logs of the machine. */
  async function readComplete(
    headers: readonly Header[],
    logs: readonly ChainLog[],
    generation: EventGeneration,
    id: MachineId,
  ): Promise<readonly ChainLog[]> {
    const blocks = await readCompleteBlocks(chain, contracts, headers);
    return headers.flatMap((header, i) => {
      const allLogs = blocks[i]!;
      const isOfMachine = ({ event, blockNumber }: ChainLog) =>
        blockNumber === header.number && event?.machineId === id && event.generation === generation;
      if (allLogs.filter(isOfMachine).length !== logs.filter(isOfMachine).length)
        throw new ResponseRejected('withheld-logs');
      const isOfToken = ({ registry }: ChainLog) => generation === 'current' && registry?.machineId === id;
      return allLogs.filter((log) => isOfMachine(log) || isOfToken(log));
    });
  }

  async function readMachineLogs(
    generation: EventGeneration,
    id: MachineId,
    range: BlockRange,
  ): Promise<readonly ChainLog[]> {
    const logs = await chain.readLogs({ ...range, eventsOf: { generation, machineId: id } });
    checkLogOrder(contracts, range, logs);
    const isOther = ({ event }: ChainLog) => event?.machineId !== id || event.generation !== generation;
    if (logs.some(isOther)) throw new ResponseRejected('foreign-machine');
    return logs;
  }

  /** Returns the blocks of the given numbers on the chain of `block`; undefined when one of them is unknown. */
  async function placeBlocks(
    numbers: readonly number[],
    block: BlockRef,
  ): Promise<ReadonlyMap<number, PlacedBlock> | undefined> {
    const placed = new Map<number, PlacedBlock>([[block.number, block]]);
    const known = recent();
    const above = await readAbove(known, block);
    for (const header of above ?? []) placed.set(header.number, header);

    const unknown: number[] = [];
    for (const number of numbers) {
      if (placed.has(number)) continue;
      const found = above === undefined ? undefined : known?.blockAt(number);
      if (found === undefined) unknown.push(number);
      else placed.set(number, found);
    }
    if (unknown.length === 0) return placed;
    // Below the known blocks only final blocks are on every fork.
    const [finalized, headers] = await Promise.all([chain.readHeader('finalized'), chain.readHeaders(unknown)]);
    checkHeaders(unknown, headers);
    if (headers.some(({ number }) => number > finalized.number)) return undefined;
    for (const header of headers) placed.set(header.number, header);
    return placed;
  }

  /**
   * Returns the headers after the known head up to `block`, none when it is known; undefined when the two are not known
   * to be on one chain.
   */
  async function readAbove(known: RecentBlocks | undefined, block: BlockRef): Promise<readonly Header[] | undefined> {
    if (known === undefined) return undefined;
    if (block.number <= known.headNumber) return known.hashAt(block.number) === block.hash ? [] : undefined;
    if (block.number - known.headNumber > MAX_BLOCKS_ABOVE_HEAD) return undefined;
    const head = { number: known.headNumber, hash: known.hashAt(known.headNumber)! };
    const numbers = listBlocks({ fromBlock: head.number + 1, toBlock: block.number });
    const headers = await chain.readHeaders(numbers);
    checkHeaders(numbers, headers, head);
    return headers.at(-1)!.hash === block.hash ? headers : undefined;
  }

  return { read, readCovered };
}

function listLogBlocks(logs: readonly ChainLog[]): number[] {
  return [...new Set(logs.map(({ blockNumber }) => blockNumber))];
}

function toPlacedEntries(
  logs: readonly ChainLog[],
  placed: ReadonlyMap<number, PlacedBlock>,
): readonly EventLogEntry[] {
  return toEventEntries(
    logs.map((log) => {
      const { hash, timestamp } = placed.get(log.blockNumber)!;
      checkLogsOfBlock({ hash, timestamp }, [log]);
      return { ...log, blockTimestamp: timestamp };
    }),
  );
}
