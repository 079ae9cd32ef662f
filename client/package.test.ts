/** The published package: built as `npm pack` builds it, then used by a program outside of this repository. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import manifest from './package.json' with { type: 'json' };

const MODULES = join(import.meta.dirname, '..', 'node_modules');
const TSC = join(MODULES, 'typescript7/bin/tsc');

const PROGRAM = `
import { createClient, isRetryable, type ServiceError } from '@svcos/client';
import { prepareDecision } from '@svcos/client/monetization';
import { buildEvidence } from '@svcos/client/evidence';

const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
const rating = await client.getRating(42n);
if (rating.ok) {
  const score: number = rating.value.mcr_score;
  console.log(score);
} else {
  const error: ServiceError = rating.error;
  console.log(error.kind, isRetryable(error), typeof prepareDecision, typeof buildEvidence);
}
`;
/** A program that the types must reject. */
const WRONG = `
import { createClient } from '@svcos/client';
await createClient({ baseUrl: '' }).getRating(42);
`;

let folder: string;
/** Folder of the package. */
let root: string;

/** Builds as `npm pack` does, but into the folder of the program. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  root = join(folder, 'node_modules/@svcos/client');
  const dist = join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: import.meta.dirname, stdio: 'pipe' });
  run(join(MODULES, 'rolldown/bin/cli.mjs'), '--config', 'rolldown.config.js', '--dir', dist);
  run(TSC, '-p', '.', '--outDir', join(dist, 'types'));
  cpSync(join(import.meta.dirname, 'package.json'), join(root, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

function check(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  const options = '--noEmit --strict --module nodenext --target es2024 --lib es2025,dom'.split(' ');
  try {
    return execFileSync(process.execPath, [TSC, ...options, name], { cwd: folder, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

it('runs with its types outside of the repository', () => {
  expect(check('program.ts', PROGRAM)).toBe('');
  expect(execFileSync(process.execPath, ['program.ts'], { cwd: folder, encoding: 'utf8' })).toBe(
    'unreachable true function function\n',
  );
});

it('rejects an id that is a number', () => {
  expect(check('wrong.ts', WRONG)).toContain("Argument of type 'number' is not assignable to parameter of type");
});

it('has one file for each entry', () => {
  const entries = Object.values(manifest.exports).map((entry) => entry.default.replace('./dist/', ''));
  const files = readdirSync(join(root, 'dist')).filter((name) => name !== 'types');
  expect(files.sort()).toEqual(entries.sort());
});
