/** `svc completion`: completions of bash with the generated script, and coverage of every option for each shell. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../command-table.ts';
import { runSvc } from '../../testing/harness/run-svc.ts';

const read = async (shell: string, ...options: string[]) => runSvc(['completion', shell, ...options]);
const bash = (await read('bash')).stdout;

/** Returns the completions of bash for the last of these words. */
function complete(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `${bash}\nCOMP_WORDS=(svc ${line}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bash', () => {
  it('completes each command once', () => {
    expect(complete('')).toEqual([...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!)), '--help']);
    expect(complete('fle')).toEqual(['fleet']);
  });

  it('completes the verb of a command group', () => {
    expect(complete('chip', 'pr')).toEqual(['prove']);
  });

  it('completes the options of a command', () => {
    expect(complete('fleet', '--')).toEqual(['--base-url', '--env-file', '--json', '--help']);
    expect(complete('chip', 'submit', '--he')).toEqual(['--help']);
    expect(complete('verify', '42', '--re')).toEqual(['--require']);
  });

  it('completes the shells of completion', () => {
    expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish', '--json', '--help']);
  });

  it('leaves file names to bash', () => {
    expect(complete('fleet', '--env-file', 'x')).toEqual([]);
  });
});

it.each(['bash', 'zsh', 'fish'])('covers every option of every command for %s', async (shell) => {
  const { code, stdout, stderr } = await read(shell);
  expect([code, stderr]).toEqual([0, '']);
  const words = COMMANDS.flatMap(({ name, options }) => [...name.split(' '), ...Object.keys(options)]);
  expect(words.filter((word) => !stdout.includes(word))).toEqual([]);
});

it('prints the commands as JSON', async () => {
  const commands = JSON.parse((await read('fish', '--json')).stdout) as { word: string; verb?: string }[];
  expect(commands.map(({ word, verb }) => [word, verb].join(' ').trim())).toEqual(COMMANDS.map(({ name }) => name));
});

it('rejects an unknown shell', async () => {
  expect(await read('toString')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'svc: SHELL must be one of bash, zsh, fish\n',
  });
});
