/** Command line of `svc`: help for every command, and messages for wrong usage. */
import { readFileSync } from 'node:fs';
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

it.each(['--help', '-h', 'help'])('lists every command for %s', async (word) => {
  expect(await runCommandLine([word])).toBe(EXIT_CODES.ok);
  const listed = [...printed.matchAll(/^ {2}((?:(?:chip|attest|statement|decisions|payout|watch) )?[\w-]+)/gm)].map(
    ([, name]) => name,
  );
  expect(listed).toEqual([
    ...['demo', 'devnet', 'serve', 'doctor', 'machine', 'explain', 'history', 'events', 'fleet', 'directory', 'search'],
    ...['status', 'changes', 'verify', 'monetize', 'replay'],
    ...['statement get', 'statement verify', 'statement revoke'],
    ...['decisions list', 'decisions export', 'decisions verify'],
    ...['chip challenge', 'chip prove', 'chip submit', 'chip test-pki'],
    ...['attest list', 'attest judge', 'attest approve', 'attest revoke', 'attest watch', 'attest export'],
    ...['payout proof', 'watch list'],
    ...['mcp', 'completion'],
  ]);
  expect(printed).toContain(EXIT_CODES_TEXT);
});

it('names each command or its group in the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  for (const { name } of COMMANDS) expect(readme).toMatch(new RegExp(`^\\| \`svc ${name.split(' ')[0]}[ \`]`, 'm'));
});

describe.each(COMMANDS)('$name', (command) => {
  it('prints its options, an example and the exit codes for --help', async () => {
    expect(await runCommandLine([...command.name.split(' '), '--help'])).toBe(EXIT_CODES.ok);
    expect(printed).toBe(formatHelp(command));
    for (const option of Object.keys(command.options)) expect(printed).toContain(`  --${option}`);
    expect(printed).toContain(`Example: svc ${command.name}`);
    expect(printed).toContain(EXIT_CODES_TEXT);
  });

  it('has the option --json', () => {
    expect(command.options).toHaveProperty('json');
  });
});

it('prints the help of a command for -h, --help and help COMMAND', async () => {
  for (const words of [
    ['machine', '-h'],
    ['machine', '--help'],
    ['help', 'machine'],
  ]) {
    printed = '';
    expect(await runCommandLine(words)).toBe(EXIT_CODES.ok);
    expect(printed).toMatch(/^Usage: svc machine ID \[options\]\n/);
  }
});

it.each([
  ['chip', '--help'],
  ['chip', '-h'],
  ['help', 'chip'],
])('lists the commands of a group for %s %s, and exits with 0', async (...words) => {
  expect(await runCommandLine(words)).toBe(EXIT_CODES.ok);
  expect(printed).toContain('  chip challenge DID');
  expect(printed).not.toContain('attest');
});

it('prints its version', async () => {
  expect(await runCommandLine(['--version'])).toBe(EXIT_CODES.ok);
  expect(printed).toBe(`svc ${manifest.version}, Node ${process.version}\n`);
});

describe('wrong usage', () => {
  it.each([
    [[], 'no command given'],
    [['chip'], 'chip requires one of challenge, prove, submit, test-pki. Run svc --help for a list.'],
    [['chip', 'fly'], 'chip requires one of challenge, prove, submit, test-pki. Run svc --help for a list.'],
    [
      ['chip', 'submit'],
      'missing argument EVIDENCE, as in: svc chip submit evidence.json; run svc chip submit --help for usage',
    ],
    [['fly'], 'unknown command "fly". Run svc --help for a list.'],
    [['machin'], 'unknown command "machin"; did you mean machine? Run svc --help for a list.'],
    [['machine'], 'missing argument ID, as in: svc machine did:svc:42; run svc machine --help for usage'],
    [['machine', 'a', 'b'], 'too many arguments; machine takes ID; run svc machine --help for usage'],
    [['serve', 'now'], 'too many arguments; serve takes none; run svc serve --help for usage'],
    [['serve', '--fast'], "Unknown option '--fast'; run svc serve --help for usage"],
    [['serve', '--env-file'], "Option '--env-file <value>' argument missing; run svc serve --help for usage"],
    [['devnet', '--evm-port', 'x'], '--evm-port must be a whole number from 0 to 65535'],
    [['demo', '--port', '65536'], '--port must be a whole number from 0 to 65535'],
    [['machine', 'x', '--base-url', 'nowhere'], '--base-url must be a URL that starts with http:// or https://'],
    [['machine', 'x', '--base-url', 'ftp://x'], '--base-url must be a URL that starts with http:// or https://'],
  ])('exits with 2 for %j', async (args, message) => {
    await expect(runCommandLine(args)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      exitCode: EXIT_CODES.usage,
    });
    expect(printed).toBe('');
  });
});
