/** What did a benchmark measure? One line that the table of all benchmarks is made of, among the lines for people. */

export interface Measured {
  readonly ours: number;
  /** Undefined: there is none, or it was left out; null: it is not installed. */
  readonly peer?: number | null | undefined;
}

export type MeasuredFigures = Readonly<Record<string, Measured>>;

const MARK = 'figures ';

/** Names are those of `bench/benchmarks.ts`. */
export function tellFigures(figures: MeasuredFigures): void {
  console.log(MARK + JSON.stringify(figures));
}

/** Of all that a benchmark printed. */
export function readFigures(printed: string): MeasuredFigures {
  const lines = printed.split('\n').filter((line) => line.startsWith(MARK));
  return Object.assign({}, ...lines.map((line) => JSON.parse(line.slice(MARK.length)) as object)) as MeasuredFigures;
}
