/**
 * Bounded buffer of the newest blocks of one chain, parent to child, with their logs of events and registries. Every
 * block above `floor` is known, and the floor is a block of the same chain. When a limit is reached the oldest blocks are dropped and the
 * floor rises.
 */
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import type { BlockId, BlockRef } from '../../domain/machine/machine-facts.ts';
import type { EventGeneration } from '../../ports/main-chain.ts';
import type { Checkpoint, EventLogEntry, RegistryLogEntry } from '../../ports/store.ts';

interface RecentBlock extends BlockRef {
  readonly events: readonly EventLogEntry[];
}

export interface RecentBlocksLimits {
  readonly blocks: number;
  /** Includes the logs of registries. */
  readonly events: number;
}

/** Some hours of blocks, about 10 MB. */
export const RECENT_BLOCKS_LIMITS: RecentBlocksLimits = { blocks: 2_048, events: 50_000 };

export class RecentBlocks {
  readonly #limits: RecentBlocksLimits;
  #floor: Checkpoint;
  #blocks: RecentBlock[] = [];
  #eventCount = 0;

  constructor(floor: Checkpoint, limits: RecentBlocksLimits = RECENT_BLOCKS_LIMITS) {
    this.#floor = floor;
    this.#limits = limits;
  }

  get floor(): Checkpoint {
    return this.#floor;
  }

  get headNumber(): number {
    return this.#floor.blockNumber + this.#blocks.length;
  }

  /** Appends the child of the newest block with all of its logs of events and registries. */
  append({ number, hash, timestamp }: BlockRef, events: readonly EventLogEntry[]): void {
    this.#blocks.push({ number, hash, timestamp, events });
    this.#eventCount += events.length;
    let excess = Math.max(0, this.#blocks.length - this.#limits.blocks);
    let eventsLeft = this.#eventCount - countEvents(this.#blocks.slice(0, excess));
    while (eventsLeft > this.#limits.events) eventsLeft -= this.#blocks[excess++]!.events.length;
    this.#dropFirst(excess);
  }

  /** Drops the blocks up to `blockNumber`. */
  raiseFloor(blockNumber: number): void {
    const covered = Math.min(blockNumber, this.headNumber) - this.#floor.blockNumber;
    this.#dropFirst(Math.max(0, covered));
  }

  /** Returns the hash of a block from the floor to the head. */
  hashAt(number: number): string | undefined {
    return number === this.#floor.blockNumber ? this.#floor.blockHash : this.blockAt(number)?.hash;
  }

  /** Returns a block above the floor. */
  blockAt(number: number): BlockRef | undefined {
    return this.#blocks[number - this.#floor.blockNumber - 1];
  }

  /** Returns whether the checkpoint and `block` are on one chain and all blocks between them are known. */
  holdsBoth(checkpoint: Checkpoint, block: BlockId): boolean {
    return this.hashAt(checkpoint.blockNumber) === checkpoint.blockHash && this.hashAt(block.number) === block.hash;
  }

  /** Returns whether all blocks after the checkpoint up to `block` are known and on one chain with both. */
  spans(checkpoint: Checkpoint, block: BlockRef): boolean {
    return checkpoint.blockNumber <= block.number && this.holdsBoth(checkpoint, block);
  }

  /** Returns the logs of one machine in the blocks after `after` up to `upTo`, in chain order. */
  listEvents(generation: EventGeneration, id: MachineId, after: number, upTo: number): EventLogEntry[] {
    return this.#slice(after, upTo).flatMap(({ events }) =>
      events.filter((event) => event.machineId === id && event.generation === generation),
    );
  }

  /**
   * Returns how many tokens the address gained from the checkpoint to `block`, which may be the older of the two;
   * undefined when they are not known to be on one chain.
   */
  countTokenGrowth(owner: Address, checkpoint: Checkpoint, block: BlockId): number | undefined {
    if (!this.holdsBoth(checkpoint, block)) return undefined;
    const [after, upTo] = [checkpoint.blockNumber, block.number].sort((a, b) => a - b) as [number, number];
    let growth = 0;
    for (const { events } of this.#slice(after, upTo)) {
      for (const log of events) {
        if (log.kind === 'transfer') growth += Number(log.to === owner) - Number(log.from === owner);
      }
    }
    return block.number < checkpoint.blockNumber ? -growth : growth;
  }

  /** Returns the changes of one machine's owner, controller and chip record in the blocks after `after` up to `upTo`. */
  listRegistry(id: MachineId, after: number, upTo: number): RegistryLogEntry[] {
    return this.listEvents('current', id, after, upTo).filter(
      (log) => log.kind !== 'submitted' && log.kind !== 'imported',
    );
  }

  #slice(after: number, upTo: number): RecentBlock[] {
    const start = Math.max(0, after - this.#floor.blockNumber);
    return this.#blocks.slice(start, Math.max(0, upTo - this.#floor.blockNumber));
  }

  #dropFirst(count: number): void {
    if (count === 0) return;
    const { number, hash } = this.#blocks[count - 1]!;
    const dropped = this.#blocks.splice(0, count);
    this.#eventCount -= countEvents(dropped);
    this.#floor = { blockNumber: number, blockHash: hash };
  }
}

function countEvents(blocks: readonly RecentBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.events.length, 0);
}
