/** `svc completion`: what bash offers when it has read the script, and that every shell is told every command. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../command-table.ts';
import { runSvc } from '../run-svc.ts';

const read = async (shell: string, ...options: string[]) => runSvc(['completion', shell, ...options]);
const bash = (await read('bash')).stdout;

/** What bash offers behind these words, the last of which is being written. */
function offer(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `${bash}\nCOMP_WORDS=(svc ${line}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bash', () => {
  it('offers the commands, each once', () => {
    expect(offer('')).toEqual([...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!)), '--help']);
    expect(offer('fle')).toEqual(['fleet']);
  });

  it('offers the second word of a command that has two', () => {
    expect(offer('chip', 'pr')).toEqual(['prove']);
  });

  it('offers the options of a command', () => {
    expect(offer('fleet', '--')).toEqual(['--base-url', '--env-file', '--json', '--help']);
    expect(offer('chip', 'submit', '--he')).toEqual(['--help']);
    expect(offer('verify', '42', '--re')).toEqual(['--require']);
  });

  it('offers shells to completion', () => {
    expect(offer('completion', '')).toEqual(['bash', 'zsh', 'fish', '--json', '--help']);
  });

  it('leaves files to bash', () => {
    expect(offer('fleet', '--env-file', 'x')).toEqual([]);
  });
});

it.each(['bash', 'zsh', 'fish'])('%s is told every option of every command', async (shell) => {
  const { code, stdout, stderr } = await read(shell);
  expect([code, stderr]).toEqual([0, '']);
  const words = COMMANDS.flatMap(({ name, options }) => [...name.split(' '), ...Object.keys(options)]);
  expect(words.filter((word) => !stdout.includes(word))).toEqual([]);
});

it('prints the commands as JSON', async () => {
  const commands = JSON.parse((await read('fish', '--json')).stdout) as { word: string; verb?: string }[];
  expect(commands.map(({ word, verb }) => [word, verb].join(' ').trim())).toEqual(COMMANDS.map(({ name }) => name));
});

it('of another shell is refused', async () => {
  expect(await read('toString')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'svc: SHELL must be one of bash, zsh, fish\n',
  });
});
