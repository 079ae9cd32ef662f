/** Commands of the documents, run by a shell as a reader runs them. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SVC, readResult, type SvcResult } from './run-svc.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Returns the command lines of a page below the markers that name the test, in the order of the page. */
export function listPageCommands(page: string, test: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = text.split(`<!-- run by ${test} -->\n\n\`\`\`sh\n`).slice(1);
  return blocks.flatMap((block) => block.slice(0, block.indexOf('```')).split('\n').filter(Boolean));
}

/** Runs a command line in the folder until it exits; `svc` is the command of this installation. */
export function runInShell(line: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<SvcResult> {
  const script = `svc() { "$SVC_NODE" "$SVC_PATH" "$@"; }\n${line}`;
  const child = spawn('/bin/sh', ['-c', script], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', SVC_NODE: process.execPath, SVC_PATH: SVC, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return readResult(child);
}
