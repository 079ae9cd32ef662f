/**
 * Every fenced program and command of README and documents is run by a test that reads its page. What no test runs, as indented commands, still
 * names scripts, commands, options and files that exist.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { COMMANDS } from '../cli/command-table.ts';
import { rule } from './conformance/rule.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = globSync(
  ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'client/README.md', 'clients/*/README.md'],
  {
    cwd: ROOT,
  },
);

const COMMANDS_CAMPAIGN = 'test/campaigns/document-commands.test.ts';

/** Test that runs the blocks of a page, except those below a marker that names another one. */
const RUN_BY: Readonly<Record<string, string>> = {
  'client/README.md': 'test/service/clients/client-package.test.ts',
  'clients/go/README.md': 'test/languages/client-packages.test.ts',
  'clients/python/README.md': 'test/languages/client-packages.test.ts',
  'docs/benchmarks.md': COMMANDS_CAMPAIGN,
  'docs/capacity-planning.md': COMMANDS_CAMPAIGN,
  'docs/chip-onboarding.md': 'test/service/verify/chip-onboarding-page.test.ts',
  'docs/debugging.md': COMMANDS_CAMPAIGN,
  'docs/deployment.md': 'test/campaigns/release.test.ts',
  'docs/getting-started.md': COMMANDS_CAMPAIGN,
  'docs/integration-guide.md': 'test/service/clients/integration-guide.test.ts',
  'docs/operating.md': COMMANDS_CAMPAIGN,
  'docs/payouts.md': 'test/payouts-guide.test.ts',
  'docs/statements.md': 'test/client-vectors.test.ts',
};

interface Block {
  readonly page: string;
  readonly text: string;
  /** Path of the test that runs it. */
  readonly runBy: string | undefined;
}

/** Returns the fenced blocks that a reader would run; `text`, `json` and `env` blocks are output and settings. */
function listBlocks(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const form = /(?:^<!-- run by (\S+) -->\n+)?^```(?:sh|bash|ts|js|python|go)\n([^]+?)^```$/gm;
  return [...text.matchAll(form)].map(([, marked, block]) => ({ page, text: block!, runBy: marked ?? RUN_BY[page] }));
}

const blocks = PAGES.flatMap(listBlocks);
const runs = new Set(blocks.flatMap(({ page, runBy }) => (runBy === undefined ? [] : [`${runBy} runs ${page}`])));

it('finds blocks, and a test for each', () => {
  rule('documents.blocks');
  expect(blocks.length).toBeGreaterThan(20);
  expect(blocks.filter(({ runBy }) => runBy === undefined)).toEqual([]);
  expect(Object.entries(RUN_BY).filter(([page, path]) => !runs.has(`${path} runs ${page}`))).toEqual([]);
});

it.each([...runs])('names a test that reads the page: %s', (run) => {
  rule('documents.blocks');
  const [path, page] = run.split(' runs ') as [string, string];
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain(page);
});

/** Returns the commands of indented blocks, some of which no test runs. */
function listIndented(page: string): Pick<Block, 'page' | 'text'>[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^ {4}((?:npm|node|(?:bin\/)?svc) .+)$/gm)].map(([, line]) => ({ page, text: line! }));
}

const lines = PAGES.flatMap(listIndented)
  .flatMap(({ page, text }) => text.split('\n').map((line) => [page, line.replace(/ +#.*/, '').trim()] as const))
  .filter(([, line]) => line !== '');

describe('an indented command', () => {
  it.each(lines.filter(([, line]) => /\bnpm run\b/.test(line)))('%s: %s names a script', (_, line) => {
    for (const [, name] of line.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(manifest.scripts)).toContain(name);
  });

  it.each(lines.filter(([, line]) => /^(?:bin\/)?svc /.test(line)))(
    '%s: %s names a command and its options',
    (_, line) => {
      const words = line.split(' ').slice(1);
      const command = COMMANDS.find(({ name }) => [words[0], words.slice(0, 2).join(' ')].includes(name))!;
      expect(command).toBeDefined();
      const options = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
      expect(Object.keys(command.options)).toEqual(expect.arrayContaining(options));
    },
  );

  it.each(lines.filter(([, line]) => /\S+\.(?:ts|js)\b/.test(line)))('%s: %s names files that exist', (_, line) => {
    const named = line.match(/[\w./-]+\.(?:ts|js)\b/g) ?? [];
    expect(named.filter((path) => !path.startsWith('@') && !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
