/**
 * Does docs/conformance.md still tell the truth? Every test that it names is there, word for word, and every route of the service has a row
 * with a test. Which rules there are, only a reader of the interface can tell.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import type { OpenapiDocument } from '../testing/harness/openapi-conformance.ts';
import { createStubCtx } from '../testing/fakes/stub-ctx.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/conformance.md'), 'utf8');
const NOT_BUILT = 'not built';

interface Rule {
  readonly text: string;
  readonly isBuilt: boolean;
  /** Titles of groups, tests and rows of their tables, all in the one file. */
  readonly tests: readonly { readonly path: string; readonly titles: readonly string[] }[];
}

function parseRules(page: string): Rule[] {
  return page
    .split('\n')
    .filter((line, at, lines) => line.startsWith('|') && !isHeading(at, lines))
    .map((line) => {
      const [text, proof, ...surplus] = line.slice(1, -1).split(' | ');
      if (proof === undefined || surplus.length > 0) throw new Error(`not two cells: ${line}`);
      return { text: text!.trim(), isBuilt: !proof.trim().startsWith(NOT_BUILT), tests: parseTests(proof) };
    });
}

/** The first row of a table, which names its columns, and the line below it. */
function isHeading(at: number, lines: readonly string[]): boolean {
  return [lines[at]!, lines[at + 1] ?? ''].some((line) => /^\| *:?-+/.test(line));
}

function parseTests(proof: string): Rule['tests'] {
  return [...proof.matchAll(/`([^`]+)`((?: › `[^`]+`)+)/g)].map(([, path, titles]) => ({
    path: path!,
    titles: [...titles!.matchAll(/`([^`]+)`/g)].map(([, title]) => title!),
  }));
}

/** As the source spells it, placeholders included. */
function holdsTitle(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(quote + title + quote));
}

function findProblems({ text, isBuilt, tests }: Rule): string[] {
  if (isBuilt && tests.length === 0) return [`${text}: no test`];
  return tests.flatMap(({ path, titles }) => {
    if (!path.endsWith('.test.ts') || !existsSync(join(ROOT, path))) return [`${text}: no file of tests ${path}`];
    const source = readFileSync(join(ROOT, path), 'utf8');
    return titles.filter((title) => !holdsTitle(source, title)).map((title) => `${text}: ${path} has no '${title}'`);
  });
}

const rules = parseRules(PAGE);
const built = rules.filter(({ isBuilt }) => isBuilt);

describe('docs/conformance.md', () => {
  it('names tests that are there', () => {
    process.stdout.write(`${built.length} rules of the interface are built, ${rules.length - built.length} are not\n`);
    expect(rules.flatMap(findProblems)).toEqual([]);
  });

  it('names every route of the service', async () => {
    const app = await buildApp(createStubCtx(), { rateLimits: 'off' });
    const { paths } = (await app.inject('/openapi.json')).json<OpenapiDocument>();
    await app.close();
    const named = built.map(({ text }) => text).join('\n');
    expect(Object.keys(paths).filter((path) => !named.includes(`${path}\``))).toEqual([]);
  });

  it('states no rule twice under one heading', () => {
    for (const section of PAGE.split('\n## ').slice(1)) {
      const texts = parseRules(section).map(({ text }) => text);
      expect(texts).toEqual([...new Set(texts)]);
    }
  });
});

describe('this test notices', () => {
  const page = (proof: string) => `| rule | test |\n| :- | :- |\n| a rule | ${proof} |\n`;
  const own = 'test/conformance.test.ts';
  const other = 'test/architecture.test.ts';

  it.each([
    ['a rule without a test', 'soon', ['a rule: no test']],
    ['a file that is gone', '`test/gone.test.ts` › `x`', ['a rule: no file of tests test/gone.test.ts']],
    ['a file without tests', '`README.md` › `x`', ['a rule: no file of tests README.md']],
    ['a title that is gone', `\`${other}\` › \`gone\``, [`a rule: ${other} has no 'gone'`]],
    ['a title that is gone, of groundwork', `not built; \`${other}\` › \`gone\``, [`a rule: ${other} has no 'gone'`]],
  ])('%s', (_name, proof, problems) => {
    expect(parseRules(page(proof)).flatMap(findProblems)).toEqual(problems);
  });

  it('nothing where all is well', () => {
    const rows = [`\`${own}\` › \`this test notices\` › \`a file that is gone\``, 'not built'].map(page);
    expect(rows.flatMap(parseRules).flatMap(findProblems)).toEqual([]);
  });
});
