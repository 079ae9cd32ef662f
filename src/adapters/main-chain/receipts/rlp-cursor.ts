/** What stands in bytes that were written as RLP (Yellow Paper, appendix B)? For bytes of our own writing: nothing is checked. */
import type { Hex } from 'viem';
import { FIRST_LIST, FIRST_TEXT, MAX_SHORT } from './rlp-buffer.ts';

export class RlpCursor {
  at = 0;
  readonly #bytes: Buffer;
  readonly #digits: string;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#digits = bytes.toString('hex');
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length;
  }

  /** Goes behind the length of the next text or list, which is told. */
  enter(): number {
    const first = this.#bytes[this.at]!;
    if (first < FIRST_TEXT) return 1;
    this.at += 1;
    const short = first - (first < FIRST_LIST ? FIRST_TEXT : FIRST_LIST);
    if (short <= MAX_SHORT) return short;
    let length = 0;
    for (let left = short - MAX_SHORT; left > 0; left--) length = length * 0x100 + this.#bytes[this.at++]!;
    return length;
  }

  takeText(): Hex {
    const bytes = this.enter();
    const from = this.at;
    this.at += bytes;
    return `0x${this.#digits.slice(2 * from, 2 * this.at)}`;
  }
}
