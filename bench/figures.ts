/** Figures of a benchmark: one machine-readable line among its output, from which the table of all benchmarks is made. */

export interface Measured {
  readonly ours: number;
  /** Undefined: no peer, or it was left out; null: it is not installed. */
  readonly peer?: number | null | undefined;
  /** Bounds of 95 % of what was measured; undefined: one measurement. */
  readonly interval?: readonly [number, number] | undefined;
}

export type MeasuredFigures = Readonly<Record<string, Measured>>;

const MARK = 'figures ';

/** Prints figures by their names in `bench/benchmarks.ts`. */
export function printFigures(figures: MeasuredFigures): void {
  console.log(MARK + JSON.stringify(figures));
}

/** Returns the figures in the output of a benchmark. */
export function readFigures(printed: string): MeasuredFigures {
  const lines = printed.split('\n').filter((line) => line.startsWith(MARK));
  return Object.assign({}, ...lines.map((line) => JSON.parse(line.slice(MARK.length)) as object)) as MeasuredFigures;
}
