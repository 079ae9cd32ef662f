/**
 * Virtual chain on which machines are paid: the one payment source of a run. Its newest blocks may be replaced until they are final; a final
 * block never changes.
 */
import type { Random } from '../random.ts';

export interface TokenTransfer {
  /** Contract in lower case. */
  readonly contract: string;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
}

export interface PaymentTransaction {
  readonly hash: string;
  readonly from: string;
  readonly isSuccessful: boolean;
  readonly transfers: readonly TokenTransfer[];
}

export interface PaymentBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: number;
  readonly transactions: readonly PaymentTransaction[];
}

/** The chain as a node sees it: the first `length` blocks. */
export interface PaymentView {
  readonly blocks: readonly PaymentBlock[];
  readonly length: number;
}

/** Transaction with its block. */
export interface MinedPayment {
  readonly transaction: PaymentTransaction;
  readonly block: PaymentBlock;
}

/** Number of past views retained for lagging nodes. */
const REMEMBERED_VIEWS = 256;

export class PaymentChain {
  readonly #random: Random;
  readonly #now: () => number;
  readonly #finalityDepth: number;
  readonly #views: { readonly view: PaymentView; readonly fromMilliseconds: number }[] = [];
  /** Transactions that wait for a block. */
  readonly #waiting: PaymentTransaction[] = [];
  #blocks: PaymentBlock[] = [];

  constructor(random: Random, now: () => number, finalityDepth: number) {
    this.#random = random;
    this.#now = now;
    this.#finalityDepth = finalityDepth;
  }

  get view(): PaymentView {
    return { blocks: this.#blocks, length: this.#blocks.length };
  }

  get finalized(): PaymentBlock {
    return finalizedOf(this.view, this.#finalityDepth);
  }

  get nowMilliseconds(): number {
    return this.#now();
  }

  get finalityDepth(): number {
    return this.#finalityDepth;
  }

  get tip(): PaymentBlock {
    return this.#blocks.at(-1)!;
  }

  submit(transaction: PaymentTransaction): void {
    this.#waiting.push(transaction);
  }

  /** Mines a block with everything that waits, sometimes without the newest. */
  mine(timestamp: number): void {
    const isSlow = this.#random.chance(0.2);
    this.#append(timestamp, this.#waiting.splice(0, isSlow ? this.#waiting.length - 1 : this.#waiting.length));
    this.#remember();
  }

  /** Replaces at most this many of the newest blocks, none of them final. Their transactions are mined again, moved or lost. */
  reorganize(depth: number): number {
    const random = this.#random;
    const last = this.#blocks.length - Math.min(depth, this.#blocks.length - 1 - this.finalized.number);
    const replaced = this.#blocks.slice(last);
    this.#blocks = this.#blocks.slice(0, last);
    const carried: PaymentTransaction[] = [];
    for (const { timestamp, transactions } of replaced) {
      carried.push(...transactions.filter(() => random.chance(0.85)));
      const mined = random.chance(0.7) ? carried.splice(0) : [];
      this.#append(Math.max(this.tip.timestamp + 1, timestamp + random.integer(-1, 1)), mined);
    }
    this.#waiting.push(...carried);
    this.#remember();
    return replaced.length;
  }

  /** Returns the view of so many milliseconds ago. */
  viewBefore(milliseconds: number): PaymentView {
    const at = this.#now() - milliseconds;
    return (this.#views.findLast(({ fromMilliseconds }) => fromMilliseconds <= at) ?? this.#views[0]!).view;
  }

  #append(timestamp: number, transactions: readonly PaymentTransaction[]): void {
    const parent = this.#blocks.at(-1);
    this.#blocks.push({
      number: this.#blocks.length,
      hash: `0x${this.#random.hex(32)}`,
      parentHash: parent?.hash ?? `0x${'0'.repeat(64)}`,
      timestamp,
      transactions,
    });
  }

  #remember(): void {
    this.#views.push({ view: this.view, fromMilliseconds: this.#now() });
    if (this.#views.length > REMEMBERED_VIEWS) this.#views.shift();
  }
}

/** Returns the newest final block of a view. */
export function finalizedOf({ blocks, length }: PaymentView, depth: number): PaymentBlock {
  return blocks[Math.max(0, length - 1 - depth)]!;
}

/** Returns a transaction of a view; undefined: it is in none of its blocks. */
export function findPayment({ blocks, length }: PaymentView, hash: string): MinedPayment | undefined {
  for (let i = length - 1; i >= 0; i--) {
    const block = blocks[i]!;
    const transaction = block.transactions.find((each) => each.hash === hash);
    if (transaction !== undefined) return { transaction, block };
  }
  return undefined;
}
