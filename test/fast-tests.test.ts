/** Selection of the fast tests, over files given as texts and over this repository. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFastTests, selectFastTests, SLOW_TESTS } from './fast-tests.ts';

function isFast(files: Readonly<Record<string, string>>): boolean {
  return selectFastTests(['a/x.test.ts'], (path) => files[path] ?? '').length === 1;
}

describe('omits a test that reaches a module that starts processes', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['itself', { 'a/x.test.ts': "import { spawn } from 'node:child_process';" }],
    ['for its effects', { 'a/x.test.ts': "import 'node:cluster';" }],
    ['over several lines', { 'a/x.test.ts': "import {\n  chromium,\n} from 'playwright-core';" }],
    ['through a file', { 'a/x.test.ts': "import './y.ts';", 'a/y.ts': "import 'node:child_process';" }],
    ['through a re-export', { 'a/x.test.ts': "export * from '../b/y.tsx';", 'b/y.tsx': "import 'node:cluster';" }],
    ['through a dynamic import', { 'a/x.test.ts': "await import('./y.ts');", 'a/y.ts': "import 'node:cluster';" }],
    [
      'through a circle',
      { 'a/x.test.ts': "import './y.ts';", 'a/y.ts': "import './x.test.ts';\nimport 'node:cluster';" },
    ],
  ])('%s', (_how, files) => {
    expect(isFast(files)).toBe(false);
  });
});

describe('selects a test', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['that imports nothing of the kind', { 'a/x.test.ts': "import './y.ts';", 'a/y.ts': "import 'node:fs';" }],
    ['that imports types only', { 'a/x.test.ts': "import type { ChildProcess } from 'node:child_process';" }],
    [
      'that imports types of a file',
      { 'a/x.test.ts': "import type {\n  Y,\n} from './y.ts';", 'a/y.ts': "import 'node:cluster';" },
    ],
    ['that spells a module in a text', { 'a/x.test.ts': "const x = ['a', 'node:cluster'];" }],
  ])('%s', (_what, files) => {
    expect(isFast(files)).toBe(true);
  });
});

it('selects most tests of this repository, and none that starts the local chains', () => {
  const fast = listFastTests(['{cli,devnet,src}/**/*.test.ts']);
  expect(fast.length).toBeGreaterThan(150);
  expect(fast).toContain('src/domain/identifiers/identifiers.test.ts');
  expect(fast).not.toContain('devnet/main-chain/anvil.test.ts');
  expect(fast).not.toContain('cli/commands/demo.test.ts');
});

it('names slow tests that exist', () => {
  expect(SLOW_TESTS.filter((path) => !existsSync(join(import.meta.dirname, '..', path)))).toEqual([]);
});
