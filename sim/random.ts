/** Seeded random generator (sfc32): the only source of chance in a run. */

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = 0x9e3779b9 ^ seed;
    this.#b = 0x243f6a88 ^ Math.floor(seed / 2 ** 32);
    this.#c = 0xb7e15162;
    for (let i = 0; i < 16; i++) this.#next();
  }

  /** Returns an integer from `least` to `greatest`, both included. */
  integer(least: number, greatest: number): number {
    return least + Math.floor(this.#fraction() * (greatest - least + 1));
  }

  /** Returns an integer from 0 to `greatest`, small ones more often: each power of two is equally likely. */
  skewed(greatest: number): number {
    return Math.floor((greatest + 1) ** this.#fraction()) - 1;
  }

  chance(probability: number): boolean {
    return this.#fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Picks a name by its weight. */
  weigh<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.#fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)![0];
  }

  /** Returns `bytes` random bytes as hex without `0x`. */
  hex(bytes: number): string {
    let text = '';
    while (text.length < bytes * 2) text += this.#next().toString(16).padStart(8, '0');
    return text.slice(0, bytes * 2);
  }

  #fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** Returns the next 32 bits. */
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}
