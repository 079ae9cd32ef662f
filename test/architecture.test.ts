/** Do the files keep to the house (CONTRIBUTING.md)? And would this test notice if one did not? */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_NAMESPACE } from '../src/domain/namespace.ts';
import { parseSourceFiles } from './architecture/source-file.ts';
import { findViolations } from './architecture/violations.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = '{src,client,cli,explorer,contracts,devnet,test}/**/*.{ts,tsx}';

it('every file keeps to the house', () => {
  const paths = globSync(FILES, { cwd: ROOT, exclude: ['**/dist/**', '**/node_modules/**'] }).sort();
  expect(paths.length).toBeGreaterThan(100);
  const texts = Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  expect(findViolations(parseSourceFiles(texts))).toEqual([]);
});

/** Judges files that are given without their opening comment. */
function judge(bodies: Readonly<Record<string, string>>): string[] {
  const texts = Object.entries(bodies).map(([path, body]) => [path, `/** ? */\n${body}`]);
  return findViolations(parseSourceFiles(Object.fromEntries(texts)));
}

describe('this test notices', () => {
  it.each([
    ['src/domain/a.ts', "import { x } from '../ports/clock.ts';", 'src/domain may not import src/ports/clock.ts'],
    ['src/domain/a.ts', "import type { x } from 'viem';", 'src/domain may not import viem'],
    ['src/domain/a.ts', "const x = await import('node:fs');", 'src/domain may not import node:fs'],
    ['src/domain/a.ts', "let x: import('viem').Hex;", 'src/domain may not import viem'],
    ['src/ports/a.ts', "import { x } from 'viem/utils';", 'src/ports may not import viem'],
    ['src/actions/a.ts', "export { x } from '../http/answer.ts';", 'src/actions may not import src/http/answer.ts'],
    ['src/http/a.ts', "import '../ports/store.ts';", 'src/http may not import src/ports/store.ts'],
    ['src/http/a.ts', "import '../adapters/evm/abis.ts';", 'src/http may not import src/adapters/evm/abis.ts'],
    ['src/adapters/sql/a.ts', "import 'viem';", 'src/adapters/sql may not import viem'],
    ['src/adapters/sql/a.ts', "import '../evm/abis.ts';", 'src/adapters/sql may not import src/adapters/evm/abis.ts'],
    ['src/adapters/evm/a.ts', "import '@solana/kit';", 'src/adapters/evm may not import @solana/kit'],
    ['src/adapters/fx/a.ts', "import 'kysely';", 'src/adapters/fx may not import kysely'],
    ['src/indexers/a.ts', "import '../adapters/sql/x.ts';", 'src/indexers may not import src/adapters/sql/x.ts'],
    ['src/config.ts', "import './main.ts';", 'src/config.ts may not import src/main.ts'],
    ['src/main.ts', "import '../cli/svc.ts';", 'src/main.ts may not import cli/svc.ts'],
    ['client/a.ts', "import '../src/ports/clock.ts';", 'client may not import src/ports/clock.ts'],
    ['cli/a.ts', "import 'fastify';", 'cli may not import fastify'],
    ['cli/replay/a.ts', "import '../../src/domain/bond.ts';", 'cli/replay may not import src/domain/bond.ts'],
    ['src/adapters/new/a.ts', '', 'no row of the import table covers it'],
    ['src/domain/utils/a.ts', '', 'no folder is called utils'],
    ['test/helpers/a.ts', '', 'no folder is called helpers'],
    ['src/domain/index.ts', '', 'no barrels: import from the file itself'],
    ['src/domain/types.ts', '', 'no types.ts: a type stands where it belongs'],
    ['src/domain/camelCase.ts', '', 'file names are kebab-case'],
    ['src/main.ts', 'const x = process.env;', 'only src/config.ts reads process.env'],
    ['cli/a.ts', "const x = process['env']['PORT'];", 'only src/config.ts reads process.env'],
    ['cli/a.ts', "import { env } from 'node:process';", 'only src/config.ts reads process.env'],
    ['src/http/a.ts', `const x = '${DEFAULT_NAMESPACE.profile_object}';`, 'only src/domain/namespace.ts spells svcos'],
    ['src/http/a.ts', 'const x = `did:${1}:did:svc:${2}`;', 'only src/domain/namespace.ts spells did:svc:'],
    ['src/actions/a.ts', 'const x = { status: 404 };', 'only src/http knows statuses: status: 404'],
    ['src/domain/a.ts', 'if (statusCode === 503) throw 0;', 'only src/http knows statuses: statusCode === 503'],
  ])('%s: %s', (path, body, violation) => {
    expect(judge({ [path]: body })).toEqual([`${path}: ${violation}`]);
  });

  it('a file without its opening', () => {
    expect(findViolations(parseSourceFiles({ 'src/domain/a.ts': '// x' }))).toEqual([
      'src/domain/a.ts: a file opens with the question it answers: /** … */',
    ]);
  });

  it('what is for tests, in what is not', () => {
    expect(judge({ 'src/domain/a.ts': "import 'vitest';", 'src/domain/b.ts': "import './a.ts';" })).toEqual([
      'src/domain/b.ts: imports src/domain/a.ts, which is for tests',
    ]);
  });

  it('a word of the error table elsewhere', () => {
    const table = "const x = ['CHAIN_GONE', 'Machine is gone', 'x'];";
    const body = "throw ['CHAIN_GONE', 'Machine is gone', 'x'];";
    expect(judge({ 'src/http/wire-errors.ts': table, 'src/actions/a.ts': body })).toEqual([
      'src/actions/a.ts: only src/http spells CHAIN_GONE',
      'src/actions/a.ts: only src/http spells Machine is gone',
    ]);
  });
});

describe('this test lets pass', () => {
  it.each([
    ['src/domain/a.ts', "import { x } from './rating/y.ts'; import '@noble/hashes/sha3.js'; // import 'viem'"],
    ['src/adapters/evm/a.ts', "import type { x } from '../../ports/log.ts'; import 'viem'; import 'node:fs';"],
    ['src/config.ts', 'const x = process.env;'],
    ['src/main.ts', '// process.env'],
    ['src/domain/a.test.ts', "import 'viem'; import '../main.ts'; const x = process.env.A + 'did:svc:1';"],
    ['src/http/a.ts', "const x = { status: 404, y: 'svcosmos' };"],
    ['cli/a.ts', "const x = 'svc machine';"],
  ])('%s: %s', (path, body) => {
    expect(judge({ [path]: body })).toEqual([]);
  });

  it('what only tests import, unless nothing does but its own test', () => {
    const files = { 'src/domain/a.ts': "import 'node:fs';", 'src/domain/b.test.ts': "import './a.ts';" };
    const ownTest = { 'src/domain/a.ts': "import 'node:fs';", 'src/domain/a.test.ts': "import './a.ts';" };
    expect(judge(ownTest)).toEqual(['src/domain/a.ts: src/domain may not import node:fs']);
    expect(judge({ ...files, ...ownTest })).toEqual([]);
    expect(judge(files)).toEqual([]);
    expect(judge({ ...files, 'src/domain/c.ts': "import './a.ts';" })).toHaveLength(1);
  });
});
