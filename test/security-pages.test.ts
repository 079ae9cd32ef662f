/** Every row of SECURITY.md and docs/threat-model.md names rules, each proven by a test of every run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SECTIONS, type Section } from '../docs/conformance/rules.ts';
import { toAnchor } from '../docs/render-decisions.ts';
import { readAllProofs, type Proof } from './conformance/rule-markers.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  ['SECURITY.md', 10],
  ['docs/threat-model.md', 20],
] as const;

/** Matches the files that `npm test` runs. */
const RUN_ALWAYS = /^(?:(?:src|cli|client|explorer|devnet|contracts)\/|test\/(?:service\/.+|[^/]+)$)/;
/** Matches a test that is left out, unless it is quoted as a sample. */
const LEFT_OUT = /(?<!["'`])\b(?:it|test|describe)\.(?:skip|todo|only|skipIf|runIf)\b/;
const LINK = /\[`([^`]+)`\]\((?:docs\/)?conformance\.md#([^)]+)\)/g;

const proofs = readAllProofs();
const readSource = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the rows of all tables, without their heads. */
function listRows(page: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| :?-/.test(line));
  return rows.filter((row) => !/\| rules +\|$/.test(row));
}

function findProblems(row: string, known: readonly Proof[] = proofs, read = readSource): string[] {
  const links = [...row.matchAll(LINK)].map(([, id, anchor]) => ({ id: id!, anchor: anchor! }));
  if (links.length === 0) return [`no rule: ${row}`];
  return links.flatMap(({ id, anchor }) => {
    const section = SECTIONS.find(({ rules }: Section) => Object.hasOwn(rules, id));
    if (section === undefined) return [`unknown rule ${id}`];
    if (toAnchor(section.heading) !== anchor) return [`${id} is not under #${anchor}`];
    const paths = known.filter((proof) => proof.id === id && RUN_ALWAYS.test(proof.path)).map(({ path }) => path);
    if (paths.length === 0) return [`${id} has no test of every run`];
    return [...new Set(paths)].filter((path) => LEFT_OUT.test(read(path))).map((path) => `${path} leaves tests out`);
  });
}

describe.each(PAGES)('the page %s', (page, count) => {
  const rows = listRows(readFileSync(join(ROOT, page), 'utf8'));

  it('names rules with tests in every row', () => {
    expect(rows).toHaveLength(count);
    expect(rows.flatMap((row) => findProblems(row))).toEqual([]);
  });
});

describe('this test reports', () => {
  const row = '| a | b | [`auth.token-first`](docs/conformance.md#authentication) |';
  const proofAt = (path: string): Proof => ({ id: 'auth.token-first', path, titles: ['x'] });

  it('nothing when a test of every run proves the rule', () => {
    expect(findProblems(row, [proofAt('test/a.test.ts')], () => 'it();')).toEqual([]);
  });

  it('a row without a rule', () => {
    expect(findProblems('| a | b | c |')).toEqual(['no rule: | a | b | c |']);
  });

  it('an unknown rule', () => {
    expect(findProblems('| a | b | [`auth.gone`](conformance.md#authentication) |')).toEqual([
      'unknown rule auth.gone',
    ]);
  });

  it('a link to another section', () => {
    const moved = row.replace('#authentication', '#limits');
    expect(findProblems(moved)).toEqual(['auth.token-first is not under #limits']);
  });

  it('a rule that only a campaign proves', () => {
    const problems = findProblems(row, [proofAt('test/campaigns/a.test.ts')], () => 'it();');
    expect(problems).toEqual(['auth.token-first has no test of every run']);
  });

  it('a test file that leaves tests out', () => {
    const problems = findProblems(row, [proofAt('test/a.test.ts')], () => "it.skip('x');");
    expect(problems).toEqual(['test/a.test.ts leaves tests out']);
  });
});
