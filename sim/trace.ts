/** Trace of a run. All lines enter one hash, by which two runs of one seed are compared; the last ones are retained for people. */
import { createHash } from 'node:crypto';

const RETAINED_LINES = 60;

export class Trace {
  readonly #hash = createHash('sha256');
  readonly #tail: string[] = [];
  readonly #now: () => number;
  readonly #print: boolean;
  readonly #startedAt: number;

  constructor(now: () => number, print: boolean) {
    this.#now = now;
    this.#print = print;
    this.#startedAt = now();
  }

  line(text: string): void {
    const seconds = ((this.#now() - this.#startedAt) / 1000).toFixed(3);
    const line = `${seconds.padStart(9)} ${text}`;
    this.#hash.update(line);
    this.#tail.push(line.length > 400 ? `${line.slice(0, 400)}...` : line);
    if (this.#tail.length > RETAINED_LINES && !this.#print) this.#tail.shift();
  }

  tail(): readonly string[] {
    return this.#tail;
  }

  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
