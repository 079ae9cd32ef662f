/** Virtual main chain: a tree of blocks whose tip may move to any of them. */
import type { Random } from '../random.ts';
import { bloomOf, type SimLog } from './logs.ts';
import { EMPTY_WORLD, type SimEvent, type World } from './machine-state.ts';

/** An event that a block stored; another fork may store it too. */
export interface Submission {
  readonly id: bigint;
  readonly event: SimEvent;
}

export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly parent: Block | undefined;
  readonly timestamp: number;
  readonly logs: readonly SimLog[];
  readonly bloom: string;
  /** State after its transactions. */
  readonly world: World;
  /** What its transactions did, for the trace. */
  readonly summary: string;
  readonly submissions: readonly Submission[];
  /** Ancestor at a skip-list distance, so that any ancestor is a logarithmic number of steps away. */
  readonly jump: Block | undefined;
}

export interface BlockContent {
  readonly world: World;
  readonly logs: readonly SimLog[];
  readonly summary: string;
  readonly submissions: readonly Submission[];
}

export function emptyContent(world: World): BlockContent {
  return { world, logs: [], summary: '', submissions: [] };
}

/** Number of past tips retained for lagging nodes. */
const REMEMBERED_TIPS = 64;

export class VirtualChain {
  readonly #random: Random;
  readonly #now: () => number;
  readonly #siblingTimes = new Map<Block, Set<number>>();
  readonly #tips: { readonly tip: Block; readonly fromMilliseconds: number }[] = [];
  #tip: Block;
  #rival: Block;
  #finalized: Block;
  /** Number of blocks from the finalized block to the tip. */
  readonly finalityDepth: number;

  constructor(random: Random, now: () => number, finalityDepth: number, genesisTimestamp: number, isRollup = false) {
    this.#random = random;
    this.#now = now;
    this.finalityDepth = finalityDepth;
    this.#tip = {
      number: 0,
      hash: `0x${random.hex(32)}`,
      parent: undefined,
      timestamp: genesisTimestamp,
      logs: [],
      bloom: bloomOf([]),
      world: { ...EMPTY_WORLD, isRollup },
      summary: 'genesis',
      submissions: [],
      jump: undefined,
    };
    this.#rival = this.#tip;
    this.#finalized = this.#tip;
    this.#tips.push({ tip: this.#tip, fromMilliseconds: 0 });
  }

  get tip(): Block {
    return this.#tip;
  }

  /** Returns the newest tip that a reorg abandoned; the current tip when there is none. */
  get rival(): Block {
    return this.#rival.number === 0 ? this.#tip : this.#rival;
  }

  /** The newest block that was finalized: a shorter branch after it does not make it less final. */
  get finalized(): Block {
    return this.#finalized;
  }

  /**
   * Returns a time that no child of the block has yet. An aggregated call proves number, time and parent (chain-evm 5.4),
   * which do not distinguish siblings of equal time; the service claims no more than the number, so none are built.
   */
  freeTime(parent: Block, timestamp: number): number {
    const taken = this.#siblingTimes.get(parent);
    let free = Math.max(parent.timestamp + 1, timestamp);
    while (taken?.has(free) === true) free += 1;
    return free;
  }

  /** Builds a child of any block; the tip does not move. */
  build(parent: Block, timestamp: number, { world, logs, summary, submissions }: BlockContent): Block {
    const number = parent.number + 1;
    const hash = `0x${this.#random.hex(32)}`;
    const taken = this.#siblingTimes.get(parent);
    if (taken === undefined) this.#siblingTimes.set(parent, new Set([timestamp]));
    else taken.add(timestamp);
    const { jump } = parent;
    // Skip list of skew-binary numbers: one pointer per block, logarithmic paths.
    const isFar = jump !== undefined && parent.number - jump.number === jump.number - (jump.jump?.number ?? 0);
    const own = jump === undefined ? parent : isFar ? (jump.jump ?? parent) : parent;
    return { number, hash, parent, timestamp, logs, bloom: bloomOf(logs), world, summary, submissions, jump: own };
  }

  moveTip(tip: Block): void {
    if (!isOnChain(this.#tip, tip)) this.#rival = this.#tip;
    this.#tip = tip;
    this.#tips.push({ tip, fromMilliseconds: this.#now() });
    if (this.#tips.length > REMEMBERED_TIPS) this.#tips.shift();
    const deep = finalizedOf(tip, this.finalityDepth);
    if (deep.number > this.#finalized.number || !isOnChain(this.#finalized, tip)) this.#finalized = deep;
  }

  /** Returns the tip of so many milliseconds ago. */
  tipBefore(milliseconds: number): Block {
    const at = this.#now() - milliseconds;
    for (let i = this.#tips.length - 1; i > 0; i--) {
      if (this.#tips[i]!.fromMilliseconds <= at) return this.#tips[i]!.tip;
    }
    return this.#tips[0]!.tip;
  }
}

export function finalizedOf(tip: Block, depth: number): Block {
  return ancestorAt(tip, Math.max(0, tip.number - depth))!;
}

/** Returns the block of a height on the chain that ends with `tip`; undefined above it. */
export function ancestorAt(tip: Block, number: number): Block | undefined {
  if (number > tip.number || number < 0) return undefined;
  let block = tip;
  while (block.number > number) {
    block = block.jump !== undefined && block.jump.number >= number ? block.jump : block.parent!;
  }
  return block;
}

export function isOnChain(block: Block, tip: Block): boolean {
  return ancestorAt(tip, block.number) === block;
}
