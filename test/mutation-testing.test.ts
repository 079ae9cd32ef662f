/** Report of a mutation run, collection of its tests, and reasons in the list of equivalent mutants. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectTests, describe as collectedSuite, it as collectedTest } from './mutation/collected-tests.ts';
import { EQUIVALENT_MUTANTS, type EquivalentMutants } from './mutation/equivalent-mutants.ts';
import { formatReport, judgeMutants, type MutationReport } from './mutation/mutation-report.ts';

const ROOT = join(import.meta.dirname, '..');
const FILE = 'src/domain/rating/a.ts';

function reportOf(...statuses: MutationReport['files'][string]['mutants'][number]['status'][]): MutationReport {
  const location = { start: { line: 2, column: 10 }, end: { line: 2, column: 15 } };
  const mutants = statuses.map((status) => ({ mutatorName: 'Arithmetic', replacement: 'a - b', status, location }));
  return { files: { [FILE]: { source: 'const x = 1;\n  return a + b;\n', mutants } } };
}

const SUM: EquivalentMutants = { file: FILE, line: 'return a + b;', changes: [['a + b', 'a - b']], why: 'b is 0.' };

describe('a mutation report', () => {
  it('counts a mutant without coverage as survived, and omits one that could not run', () => {
    const report = reportOf('Killed', 'Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError', 'CompileError');
    expect(judgeMutants(report, [])).toEqual({
      folders: [{ folder: 'src/domain/rating', killed: 3, survived: 2, equivalent: 0 }],
      percent: 60,
      survived: [
        `${FILE}:2:10 Survived Arithmetic\n  - a + b\n  + a - b`,
        `${FILE}:2:10 NoCoverage Arithmetic\n  - a + b\n  + a - b`,
      ],
      unmatched: [],
    });
  });

  it('omits mutants that are listed as equivalent', () => {
    const { folders, percent, survived, unmatched } = judgeMutants(reportOf('Killed', 'Survived'), [SUM]);
    expect(folders).toEqual([{ folder: 'src/domain/rating', killed: 1, survived: 0, equivalent: 1 }]);
    expect([percent, survived, unmatched]).toEqual([100, [], []]);
  });

  it.each([
    ['file', { ...SUM, file: 'src/domain/rating/b.ts' }],
    ['line', { ...SUM, line: 'return a + b + c;' }],
    ['original', { ...SUM, changes: [['a', 'a - b']] as const }],
    ['replacement', { ...SUM, changes: [['a + b', 'a * b']] as const }],
  ])('does not match a listed mutant by another %s', (_name, other) => {
    expect(judgeMutants(reportOf('Survived'), [other]).survived).toHaveLength(1);
  });

  it('reports listed mutants of judged files that were killed', () => {
    const judgement = judgeMutants(reportOf('Killed'), [SUM, { ...SUM, file: 'src/domain/rating/b.ts' }]);
    expect(judgement.unmatched).toEqual([{ file: FILE, line: SUM.line, change: SUM.changes[0] }]);
    expect(formatReport(judgement)).toBe(
      [
        `listed as equivalent, but killed or gone: ${FILE}: return a + b;\n  + a - b`,
        ' 100.0 %  1 killed, 0 survived, 0 equivalent  src/domain/rating',
        ' 100.0 %  all',
        '',
      ].join('\n'),
    );
  });
});

it('collects tests in the order of their declaration', async () => {
  const ran: unknown[] = [];
  const tests = await collectTests(async () => {
    collectedSuite('suite', () => {
      collectedTest('one', () => ran.push('one'));
      collectedTest.each([1, ['x']])('whole %j', (value: unknown) => ran.push(value));
    });
    collectedSuite.each([
      ['a', 2],
      ['b', 3],
    ])('%s of', (name: string, value: number) => {
      collectedTest.each([{ title: 'named' }])('$title', {}, () => ran.push(`${name}${value}`));
    });
    collectedTest('two', () => ran.push('two'));
    collectedTest('two', () => ran.push('two again'));
  });
  expect(tests.map(({ name }) => name)).toEqual([
    'suite › one',
    'suite › whole 1',
    "suite › whole [ 'x' ]",
    'a of › named',
    'b of › named',
    'two',
    'two (2)',
  ]);
  for (const { run } of tests) run();
  expect(ran).toEqual(['one', 1, ['x'], 'a2', 'b3', 'two', 'two again']);
});

it.each(EQUIVALENT_MUTANTS)('lists a complete equivalent mutant of $file: $line', ({ file, line, changes, why }) => {
  expect(existsSync(join(ROOT, file))).toBe(true);
  for (const [original] of changes) {
    const [first = ''] = original.split('\n');
    expect(line).toContain(first);
  }
  expect(why).toMatch(/\.$/);
});
