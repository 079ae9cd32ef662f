/** Requires a property test of each property that design/scoring.md numbers. The twelfth, discrimination, is measured by `bench/rating`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PROPERTIES = 11;

it('finds a property test whose title names each property of the model', () => {
  const files = globSync(['src/**/*.test.ts', 'test/*.test.ts', 'cli/**/*.test.ts'], { cwd: ROOT });
  const titles = files.flatMap((path) => readFileSync(join(ROOT, path), 'utf8').match(/['`]property \d+: \S/g) ?? []);
  const named = new Set(titles.map((title) => Number(/\d+/.exec(title)![0])));
  expect([...named].sort((a, b) => a - b)).toEqual(Array.from({ length: PROPERTIES }, (_, index) => index + 1));
});
