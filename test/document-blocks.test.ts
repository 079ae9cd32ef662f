/**
 * Every fenced program and command of README and documents is run by a test, or a marker above it states why none does. What no test runs
 * still names scripts, commands, options and files that exist.
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

/** Test that runs the blocks of a page. */
const RUN_BY: Readonly<Record<string, string>> = {
  'client/README.md': 'test/service/clients/client-package.test.ts',
  'clients/go/README.md': 'test/languages/client-packages.test.ts',
  'clients/python/README.md': 'test/languages/client-packages.test.ts',
  'docs/chip-onboarding.md': 'test/service/verify/chip-onboarding-page.test.ts',
  'docs/deployment.md': 'test/campaigns/release.test.ts',
  'docs/getting-started.md': 'test/service/clients/getting-started.test.ts',
  'docs/integration-guide.md': 'test/service/clients/integration-guide.test.ts',
  'docs/payouts.md': 'test/payouts-guide.test.ts',
};

interface Block {
  readonly page: string;
  readonly text: string;
  /** Why no test runs it. */
  readonly reason: string | undefined;
}

/** Returns the fenced blocks that a reader would run; `text`, `json` and `env` blocks are output and settings. */
function listBlocks(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const form = /(?:^<!-- not run: (.+) -->\n+)?^```(?:sh|bash|ts|js|python|go)\n([^]+?)^```$/gm;
  return [...text.matchAll(form)].map(([, reason, block]) => ({ page, text: block!, reason }));
}

const blocks = PAGES.flatMap(listBlocks);

it('finds blocks, and a test or a reason for each', () => {
  rule('documents.blocks');
  expect(blocks.length).toBeGreaterThan(20);
  const unexplained = blocks.filter(({ page, reason }) => reason === undefined && RUN_BY[page] === undefined);
  expect(unexplained).toEqual([]);
  expect(Object.keys(RUN_BY).filter((page) => !blocks.some((block) => block.page === page))).toEqual([]);
});

it.each(Object.entries(RUN_BY))('has a test of %s that reads the page: %s', (page, path) => {
  rule('documents.blocks');
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain(page);
});

/** Returns the commands of indented blocks, which no test runs except on the pages above. */
function listIndented(page: string): Pick<Block, 'page' | 'text'>[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^ {4}((?:npm|node|(?:bin\/)?svc) .+)$/gm)].map(([, line]) => ({ page, text: line! }));
}

const notRun = blocks.filter(({ reason }) => reason !== undefined);
const indented = PAGES.filter((page) => RUN_BY[page] === undefined).flatMap(listIndented);
const lines = [...notRun, ...indented]
  .flatMap(({ page, text }) => text.split('\n').map((line) => [page, line.replace(/ +#.*/, '').trim()] as const))
  .filter(([, line]) => line !== '');

describe('a command that no test runs', () => {
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
