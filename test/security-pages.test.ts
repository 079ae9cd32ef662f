/** Do SECURITY.md and docs/threat-model.md name tests that are there, word for word, and one in every row? */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  ['SECURITY.md', 10],
  ['docs/threat-model.md', 20],
] as const;

/** Rows of all tables, without their heads. */
function rowsOf(page: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| :?-/.test(line));
  return rows.filter((row) => !/\| test +\|$/.test(row));
}

function findProblems(row: string): string[] {
  const named = [...row.matchAll(/`([^`]+\.test\.ts)`((?: › `[^`]+`)+)/g)];
  if (named.length === 0) return [`no test: ${row}`];
  return named.flatMap(([, path, titles]) => {
    if (!existsSync(join(ROOT, path!))) return [`no file ${path}`];
    const source = readFileSync(join(ROOT, path!), 'utf8');
    const missing = [...titles!.matchAll(/`([^`]+)`/g)].filter(
      ([, title]) => !["'", '"', '`'].some((quote) => source.includes(quote + title + quote)),
    );
    return missing.map(([, title]) => `${path} has no '${title}'`);
  });
}

describe.each(PAGES)('%s', (page, count) => {
  const rows = rowsOf(readFileSync(join(ROOT, page), 'utf8'));

  it('names tests that are there', () => {
    expect(rows).toHaveLength(count);
    expect(rows.flatMap(findProblems)).toEqual([]);
  });
});

it('a row without a test, or with one that is gone, is noticed', () => {
  const own = 'test/security-pages.test.ts';
  expect(findProblems('| a | b | c |')).toEqual(['no test: | a | b | c |']);
  expect(findProblems('| a | b | `test/gone.test.ts` › `x` |')).toEqual(['no file test/gone.test.ts']);
  const gone = ['a title', 'that is', 'gone'].join(' ');
  expect(findProblems(`| a | b | \`${own}\` › \`${gone}\` |`)).toEqual([`${own} has no '${gone}'`]);
});
