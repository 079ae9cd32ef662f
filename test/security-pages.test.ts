/** Do SECURITY.md and docs/threat-model.md name tests that are there, word for word, and one in every row? */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  ['SECURITY.md', 10],
  ['docs/threat-model.md', 20],
] as const;

/** What `npm test` runs. */
const RUN_ALWAYS = /^(?:(?:src|cli|client|explorer|devnet|contracts)\/|test\/(?:service\/)?[^/]+$)/;
const LEFT_OUT = /\b(?:it|test|describe)\.(?:skip|todo|only|skipIf|runIf)\b/;

/** Rows of all tables, without their heads. */
function rowsOf(page: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| :?-/.test(line));
  return rows.filter((row) => !/\| test +\|$/.test(row));
}

function findProblems(row: string): string[] {
  const named = [...row.matchAll(/`([^`]+\.test\.ts)`((?: › `[^`]+`)+)/g)];
  if (named.length === 0) return [`no test: ${row}`];
  if (!named.some(([, path]) => RUN_ALWAYS.test(path!))) return [`no test of every run: ${row}`];
  return named.flatMap(([, path, titles]) => {
    if (!existsSync(join(ROOT, path!))) return [`no file ${path}`];
    const source = readFileSync(join(ROOT, path!), 'utf8');
    if (RUN_ALWAYS.test(path!) && LEFT_OUT.test(source)) return [`${path} leaves tests out`];
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
  const late = '| a | b | `test/campaigns/openapi-fuzz.test.ts` › `part %i` |';
  expect(findProblems(late)).toEqual([`no test of every run: ${late}`]);
  const gone = ['a title', 'that is', 'gone'].join(' ');
  expect(findProblems(`| a | b | \`${own}\` › \`${gone}\` |`)).toEqual([`${own} has no '${gone}'`]);
});
