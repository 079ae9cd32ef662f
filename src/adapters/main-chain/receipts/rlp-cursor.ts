/** RLP decoder (Yellow Paper, appendix B) for bytes that this service encoded itself: nothing is validated. */
import type { Hex } from 'viem';
import { FIRST_LIST, FIRST_STRING, MAX_SHORT } from './rlp-buffer.ts';

export class RlpCursor {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length;
  }

  /** Moves past the prefix of the next string or list and returns the length of its content in bytes. */
  enter(): number {
    const first = this.#bytes[this.at]!;
    if (first < FIRST_STRING) return 1;
    this.at += 1;
    const short = first - (first < FIRST_LIST ? FIRST_STRING : FIRST_LIST);
    if (short <= MAX_SHORT) return short;
    let length = 0;
    for (let left = short - MAX_SHORT; left > 0; left--) length = length * 0x100 + this.#bytes[this.at++]!;
    return length;
  }

  /** Reads a string as hex. */
  takeHex(): Hex {
    const bytes = this.enter();
    const from = this.at;
    this.at += bytes;
    return `0x${this.#bytes.toString('hex', from, this.at)}`;
  }
}
