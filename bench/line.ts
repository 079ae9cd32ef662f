/** Least-squares line through measured points, for slopes and extrapolations. */

export interface Line {
  readonly slope: number;
  /** Returns the value of the line. */
  at(x: number): number;
}

/** Throws for fewer than two different positions, which determine no line. */
export function fitLine(points: readonly (readonly [x: number, y: number])[]): Line {
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const [x, y] = [mean(points.map(([each]) => each)), mean(points.map(([, each]) => each))];
  const spread = points.reduce((sum, [each]) => sum + (each - x) ** 2, 0);
  if (!(spread > 0)) throw new RangeError('a line needs two different positions');
  const slope = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / spread;
  return { slope, at: (position) => y + slope * (position - x) };
}
