/** Runs every command of docs/getting-started.md unchanged against the service of this suite. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runSvc } from '../../../testing/harness/run-svc.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { rule } from '../../conformance/rule.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs/getting-started.md'), 'utf8');
const BASE_URL = 'http://127.0.0.1:8000';

const baseUrl = inject('baseUrl');
const devnetEnv = inject('devnetEnv');

/** Working directory of the reader. */
let folder: string;
const settings = /```env\n([^]+?)```/.exec(PAGE)![1]!;
const names = [...settings.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'getting-started-'));
  mkdirSync(join(folder, '.devnet'));
  writeEnv('.devnet/env', Object.keys(devnetEnv));
  writeEnv(
    'svc.env',
    // The local chain has Multicall3 at an address of its own.
    [...names.filter((name) => name !== 'DATABASE_URL'), 'MULTICALL3_ADDRESS'],
    'DATABASE_URL=sqlite:svc.db\n',
  );
  writeFileSync(join(folder, 'as-printed.env'), settings);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes settings with the values of the local chain. */
function writeEnv(file: string, which: readonly string[], further = ''): void {
  writeFileSync(join(folder, file), which.map((name) => `${name}=${devnetEnv[name]!}\n`).join('') + further);
}

const lines = [...PAGE.matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line!);
const pagesToOpen = lines.filter((line) => line.startsWith(BASE_URL));
const requests = lines.filter((line) => line.startsWith('curl -s http'));
const commands = lines.filter((line) => line.startsWith('bin/svc '));

it('covers every command of the page except those that start the service', () => {
  rule('documents.getting-started');
  expect([...pagesToOpen, ...requests, ...commands].toSorted()).toEqual(lines.toSorted());
  expect([pagesToOpen.length, requests.length, commands.length]).toEqual([2, 2, 4]);
  expect([...PAGE.matchAll(/```sh\n([^]+?)```/g)].map(([, text]) => text)).toEqual([
    'git clone ADDRESS machine-ratings && cd machine-ratings\nnpm start\n',
    'bin/svc serve --env-file svc.env\n',
  ]);
  expect(manifest.scripts.start).toBe('exec node bin/svc demo');
});

it.each(requests)('returns the rating for %s', async (line) => {
  const response = await fetch(line.replace('curl -s ', '').replace(BASE_URL, baseUrl));
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ mcr: 'B', mcr_score: 43 })]);
});

it.each(pagesToOpen)('serves the page %s', async (line) => {
  const response = await fetch(line.replace(BASE_URL, baseUrl));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
});

describe.each(commands)('the command %s', (line) => {
  it('exits with 0 and reports no problem', async () => {
    rule('documents.getting-started');
    const args = line.split(' ').slice(1);
    const callsService = ['machine', 'replay'].includes(args[0]!);
    const result = await runSvc([...args, ...(callsService ? ['--base-url', baseUrl] : [])], { cwd: folder });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).not.toMatch(/^(fail|unreachable|warn)/m);
  });
});

it('accepts the printed settings in serve --check', async () => {
  const result = await runSvc(['serve', '--check', '--env-file', 'as-printed.env'], { cwd: folder });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  for (const name of names) expect(result.stdout).toMatch(new RegExp(`^${name} +[^- ]`, 'm'));
});
