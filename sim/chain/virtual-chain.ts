/** Which blocks are there, and which way does the chain go? A tree of blocks; the tip may move to any of them. */
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
  /** After its transactions. */
  readonly world: World;
  /** What its transactions did, for people. */
  readonly story: string;
  readonly submissions: readonly Submission[];
  /** A few ancestors at growing distances, so that any ancestor is near. */
  readonly jump: Block | undefined;
}

export interface BlockContent {
  readonly world: World;
  readonly logs: readonly SimLog[];
  readonly story: string;
  readonly submissions: readonly Submission[];
}

export function emptyContent(world: World): BlockContent {
  return { world, logs: [], story: '', submissions: [] };
}

/** Tips of the past are remembered for nodes that lag. */
const REMEMBERED_TIPS = 64;

export class VirtualChain {
  readonly #random: Random;
  readonly #now: () => number;
  readonly #siblingTimes = new Map<Block, Set<number>>();
  readonly #tips: { readonly tip: Block; readonly fromMilliseconds: number }[] = [];
  #tip: Block;
  #rival: Block;
  /** How many blocks a tip finalizes below itself. */
  readonly finalityDepth: number;

  constructor(random: Random, now: () => number, finalityDepth: number, genesisTimestamp: number) {
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
      world: EMPTY_WORLD,
      story: 'genesis',
      submissions: [],
      jump: undefined,
    };
    this.#rival = this.#tip;
    this.#tips.push({ tip: this.#tip, fromMilliseconds: 0 });
  }

  get tip(): Block {
    return this.#tip;
  }

  /** The newest tip that was left for another way; the tip itself when none was. */
  get rival(): Block {
    return this.#rival.number === 0 ? this.#tip : this.#rival;
  }

  get finalized(): Block {
    return finalizedOf(this.#tip, this.finalityDepth);
  }

  /**
   * A time that no child of the block has yet. Siblings of one time cannot be told apart by what an aggregated call proves (chain-evm 5.4):
   * number, time and parent. The service claims no more than the number, so they are left out here.
   */
  freeTime(parent: Block, timestamp: number): number {
    const taken = this.#siblingTimes.get(parent);
    let free = Math.max(parent.timestamp + 1, timestamp);
    while (taken?.has(free) === true) free += 1;
    return free;
  }

  /** A child of any block; the tip stays where it is. */
  build(parent: Block, timestamp: number, { world, logs, story, submissions }: BlockContent): Block {
    const number = parent.number + 1;
    const hash = `0x${this.#random.hex(32)}`;
    const taken = this.#siblingTimes.get(parent);
    if (taken === undefined) this.#siblingTimes.set(parent, new Set([timestamp]));
    else taken.add(timestamp);
    const { jump } = parent;
    // The skip list of "skew-binary numbers": one pointer per block, logarithmic ways.
    const isFar = jump !== undefined && parent.number - jump.number === jump.number - (jump.jump?.number ?? 0);
    const own = jump === undefined ? parent : isFar ? (jump.jump ?? parent) : parent;
    return { number, hash, parent, timestamp, logs, bloom: bloomOf(logs), world, story, submissions, jump: own };
  }

  moveTip(tip: Block): void {
    if (!isOnChain(this.#tip, tip)) this.#rival = this.#tip;
    this.#tip = tip;
    this.#tips.push({ tip, fromMilliseconds: this.#now() });
    if (this.#tips.length > REMEMBERED_TIPS) this.#tips.shift();
  }

  /** The tip of so long ago. */
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

/** The block of a height on the chain that ends with `tip`; undefined above it. */
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
