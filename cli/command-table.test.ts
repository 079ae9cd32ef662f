/** The command line: help for every command, and what wrong usage is told. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { formatHelp } from './command.ts';
import { COMMANDS, runCommandLine } from './command-table.ts';
import { EXIT_CODES, EXIT_CODES_TEXT } from './exit-codes.ts';

let printed: string;

beforeEach(() => {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

it.each(['--help', '-h', 'help'])('%s lists every command', async (word) => {
  expect(await runCommandLine([word])).toBe(EXIT_CODES.ok);
  const listed = [...printed.matchAll(/^ {2}((?:(?:chip|attest) )?[\w-]+)/gm)].map(([, name]) => name);
  expect(listed).toEqual([
    ...['demo', 'devnet', 'serve', 'doctor', 'machine', 'fleet', 'verify', 'monetize', 'replay'],
    ...['chip challenge', 'chip prove', 'chip submit', 'chip test-pki'],
    ...['attest list', 'attest judge', 'attest approve', 'attest revoke'],
    ...['mcp', 'completion'],
  ]);
  expect(printed).toContain(EXIT_CODES_TEXT);
});

describe.each(COMMANDS)('$name', (command) => {
  it('tells its options, an example and the exit codes', async () => {
    expect(await runCommandLine([...command.name.split(' '), '--help'])).toBe(EXIT_CODES.ok);
    expect(printed).toBe(formatHelp(command));
    for (const option of Object.keys(command.options)) expect(printed).toContain(`  --${option}`);
    expect(printed).toContain(`Example: svc ${command.name}`);
    expect(printed).toContain(EXIT_CODES_TEXT);
  });

  it('prints JSON when asked', () => {
    expect(command.options).toHaveProperty('json');
  });
});

it('helps with a command in every way that is tried', async () => {
  for (const words of [
    ['machine', '-h'],
    ['machine', '--help'],
    ['help', 'machine'],
  ]) {
    printed = '';
    expect(await runCommandLine(words)).toBe(EXIT_CODES.ok);
    expect(printed).toMatch(/^svc machine ID \[options\]\n/);
  }
});

it('tells its version', async () => {
  expect(await runCommandLine(['--version'])).toBe(EXIT_CODES.ok);
  expect(printed).toBe(`svc ${manifest.version}, Node ${process.version}\n`);
});

describe('wrong usage', () => {
  it.each([
    [[], 'a command is missing'],
    [['chip'], 'chip takes one of challenge, prove, submit, test-pki; see svc --help'],
    [['chip', 'fly'], 'chip takes one of challenge, prove, submit, test-pki; see svc --help'],
    [['chip', 'submit'], 'chip submit takes EVIDENCE; see svc chip submit --help'],
    [['fly'], 'there is no command "fly"; see svc --help'],
    [['machin'], 'there is no command "machin"; do you mean machine? svc --help lists all'],
    [['machine'], 'machine takes ID; see svc machine --help, as in: svc machine did:svc:42'],
    [['machine', 'a', 'b'], 'machine takes ID; see svc machine --help'],
    [['serve', 'now'], 'serve takes no argument; see svc serve --help'],
    [['serve', '--fast'], "Unknown option '--fast'; see svc serve --help"],
    [['serve', '--env-file'], "Option '--env-file <value>' argument missing; see svc serve --help"],
    [['devnet', '--evm-port', 'x'], '--evm-port must be a whole number from 0 to 65535'],
    [['demo', '--port', '65536'], '--port must be a whole number from 0 to 65535'],
    [['machine', 'x', '--base-url', 'nowhere'], '--base-url must be a URL'],
    [['machine', 'x', '--base-url', 'ftp://x'], '--base-url must be a URL'],
  ])('%j', async (args, message) => {
    await expect(runCommandLine(args)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      exitCode: EXIT_CODES.usage,
    });
    expect(printed).toBe('');
  });
});
