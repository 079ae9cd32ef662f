/** Enforces the architecture rules of CONTRIBUTING.md, and proves on small samples that each violation is reported. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { parseSourceFiles, type SourceFile } from './architecture/source-file.ts';
import { findSharedExports } from './architecture/shared-exports.ts';
import { findTestOnlyFiles } from './architecture/test-only-files.ts';
import { findViolations } from './architecture/violations.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = '{src,client,cli,explorer,contracts,devnet,sim,bench,docs,test,testing}/**/*.{ts,tsx}';

it('finds no violation in the repository', () => {
  const paths = globSync(FILES, { cwd: ROOT, exclude: ['**/dist/**', '**/node_modules/**'] }).sort();
  expect(paths.length).toBeGreaterThan(100);
  const texts = Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  const files = parseSourceFiles(texts);
  expect([...findViolations(files), ...findTestOnlyFiles(files), ...findSharedExports(files)]).toEqual([]);
});

/** Returns the violations of files that are given without their opening comment. */
function judge(bodies: Readonly<Record<string, string>>): string[] {
  return findViolations(parse(bodies));
}

function parse(bodies: Readonly<Record<string, string>>): SourceFile[] {
  const texts = Object.entries(bodies).map(([path, body]) => [path, `/** A sample. */\n${body}`]);
  return parseSourceFiles(Object.fromEntries(texts));
}

describe('this test reports', () => {
  it.each([
    ['src/domain/a.ts', "import { x } from '../ports/clock.ts';", 'src/domain may not import src/ports/clock.ts'],
    ['src/domain/a.ts', "import type { x } from 'viem';", 'src/domain may not import viem'],
    ['src/domain/a.ts', "const x = await import('node:fs');", 'src/domain may not import node:fs'],
    ['src/domain/a.ts', "let x: import('viem').Hex;", 'src/domain may not import viem'],
    ['src/ports/a.ts', "import { x } from 'viem/utils';", 'src/ports may not import viem'],
    ['src/actions/a.ts', "export { x } from '../http/a.ts';", 'src/actions may not import src/http/a.ts'],
    ['src/http/a.ts', "import '../ports/store.ts';", 'src/http may not import src/ports/store.ts'],
    [
      'src/http/a.ts',
      "import '../adapters/main-chain/abis.ts';",
      'src/http may not import src/adapters/main-chain/abis.ts',
    ],
    ['src/adapters/sql/a.ts', "import 'viem';", 'src/adapters/sql may not import viem'],
    [
      'src/adapters/sql/a.ts',
      "import '../main-chain/abis.ts';",
      'src/adapters/sql may not import src/adapters/main-chain/abis.ts',
    ],
    ['src/adapters/main-chain/a.ts', "import '@solana/kit';", 'src/adapters/main-chain may not import @solana/kit'],
    ['src/adapters/fx/a.ts', "import 'kysely';", 'src/adapters/fx may not import kysely'],
    ['src/indexing/a.ts', "import '../adapters/sql/x.ts';", 'src/indexing may not import src/adapters/sql/x.ts'],
    ['src/config.ts', "import './main.ts';", 'src/config.ts may not import src/main.ts'],
    ['src/main.ts', "import '../cli/svc.ts';", 'src/main.ts may not import cli/svc.ts'],
    ['client/a.ts', "import '../src/ports/runtime.ts';", 'client may not import src/ports/runtime.ts'],
    ['cli/a.ts', "import 'fastify';", 'cli may not import fastify'],
    ['cli/replay/a.ts', "import '../../src/domain/a.ts';", 'cli/replay may not import src/domain/a.ts'],
    ['src/adapters/new/a.ts', '', 'no row of the import table covers it'],
    ['src/domain/utils/a.ts', '', 'no folder is called utils'],
    ['test/helpers/a.ts', '', 'no folder is called helpers'],
    ['src/domain/index.ts', '', 'no barrels: import from the file itself'],
    ['src/domain/types.ts', '', 'no types.ts: define a type in the module it belongs to'],
    ['src/domain/camelCase.ts', '', 'file names are kebab-case'],
    ['src/main.ts', 'const x = process.env;', 'only src/config.ts reads process.env'],
    ['cli/a.ts', "const x = process['env']['PORT'];", 'only src/config.ts reads process.env'],
    ['cli/a.ts', "import { env } from 'node:process';", 'only src/config.ts reads process.env'],
    [
      'src/http/a.ts',
      `const x = '${DEFAULT_NAMESPACE.profile_object}';`,
      'only src/domain/identifiers/namespace.ts spells svcos',
    ],
    ['src/http/a.ts', 'const x = `did:${1}:did:svc:${2}`;', 'only src/domain/identifiers/namespace.ts spells did:svc:'],
    ['src/actions/a.ts', 'const x = { status: 404 };', 'only src/http knows statuses: status: 404'],
    ['src/domain/a.ts', 'if (statusCode === 503) throw 0;', 'only src/http knows statuses: statusCode === 503'],
  ])('in %s: %s', (path, body, violation) => {
    expect(judge({ [path]: body })).toEqual([`${path}: ${violation}`]);
  });

  it('a file that opens with a question', () => {
    expect(findViolations(parseSourceFiles({ 'src/domain/a.ts': '/**\n * Is it? (rule 1.)\n */' }))).toEqual([
      'src/domain/a.ts: opens with a question instead of a statement',
    ]);
  });

  it('a file without its opening', () => {
    expect(findViolations(parseSourceFiles({ 'src/domain/a.ts': '// x' }))).toEqual([
      'src/domain/a.ts: a file opens with a statement of what it is: /** … */',
    ]);
  });

  it('an import of test support by production code', () => {
    expect(judge({ 'testing/fakes/a.ts': '', 'src/domain/b.ts': "import '../../testing/fakes/a.ts';" })).toEqual([
      'src/domain/b.ts: imports testing/fakes/a.ts, which is for tests',
    ]);
  });

  it('a file of a program that only tests reach', () => {
    const files = parse({
      'cli/svc.ts': "import '../src/main.ts';",
      'src/main.ts': "const worker = await import('./domain/a.ts');",
      'src/domain/a.ts': '',
      'src/domain/b.ts': '',
      'src/domain/b.test.ts': "import './b.ts';",
      'bench/c.ts': "import '../src/domain/b.ts';",
      'cli/d.ts': "import './svc.ts';",
      'client/e.ts': '',
      'explorer/page.tsx': "import './f.tsx';",
      'explorer/f.tsx': '',
      'explorer/g.test.tsx': '',
      'testing/h.ts': '',
    });
    expect(findTestOnlyFiles(files)).toEqual(
      ['src/domain/b.ts', 'cli/d.ts', 'client/e.ts'].map(
        (path) => `${path}: no program reaches it: test support belongs in testing/`,
      ),
    );
  });

  it('a name that two files of src export', () => {
    const files = parse({
      'src/domain/a.ts': 'export interface A {}\nexport const b = 1, c = 2;',
      'src/http/a.ts': 'export type A = 1;\nfunction b() {}\nexport { b };',
      'src/http/b.ts': "export type { A } from '../domain/a.ts';",
    });
    expect(findSharedExports(files)).toEqual([
      'A is exported by src/domain/a.ts and src/http/a.ts',
      'b is exported by src/domain/a.ts and src/http/a.ts',
    ]);
  });

  it('a word of the error table elsewhere', () => {
    const table = "const x = ['CHAIN_GONE', 'Machine is gone', 'x'];";
    const body = "throw ['CHAIN_GONE', 'Machine is gone', 'x'];";
    expect(judge({ 'src/http/error-responses.ts': table, 'src/actions/a.ts': body })).toEqual([
      'src/actions/a.ts: only src/http spells CHAIN_GONE',
      'src/actions/a.ts: only src/http spells Machine is gone',
    ]);
  });
});

describe('this test accepts', () => {
  it.each([
    ['src/domain/a.ts', "import { x } from './rating/y.ts'; import '@noble/hashes/sha3.js'; // import 'viem'"],
    ['src/adapters/main-chain/a.ts', "import type { x } from '../../ports/log.ts'; import 'viem'; import 'node:fs';"],
    ['src/config.ts', 'const x = process.env;'],
    ['src/main.ts', '// process.env'],
    ['src/domain/a.test.ts', "import 'viem'; import '../main.ts'; const x = process.env.A + 'did:svc:1';"],
    ['src/http/a.ts', "const x = { status: 404, y: 'svcosmos' };"],
    ['cli/a.ts', "const x = 'svc machine';"],
  ])('in %s: %s', (path, body) => {
    expect(judge({ [path]: body })).toEqual([]);
  });

  it('any import in a file that only tests import, unless its own test is the only one', () => {
    const files = { 'src/domain/a.ts': "import 'node:fs';", 'src/domain/b.test.ts': "import './a.ts';" };
    const ownTest = { 'src/domain/a.ts': "import 'node:fs';", 'src/domain/a.test.ts': "import './a.ts';" };
    expect(judge(ownTest)).toEqual(['src/domain/a.ts: src/domain may not import node:fs']);
    expect(judge({ ...files, ...ownTest })).toEqual([]);
    expect(judge(files)).toEqual([]);
    expect(judge({ ...files, 'src/domain/c.ts': "import './a.ts';" })).toHaveLength(1);
  });
});
