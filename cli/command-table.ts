/** Table of all commands, behind `svc --help` (configuration.md 2), and dispatch of a command line to one of them. */
import { alignColumns, runCommand, type Command } from './command.ts';
import { ATTEST_COMMANDS } from './commands/attest.ts';
import { changes } from './commands/changes.ts';
import { CHIP_COMMANDS } from './commands/chip.ts';
import { DECISIONS_COMMANDS } from './commands/decisions.ts';
import { createCompletion } from './commands/completion.ts';
import { demo } from './commands/demo.ts';
import { devnet } from './commands/devnet.ts';
import { directory } from './commands/directory.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import { explain } from './commands/explain.ts';
import { fleet } from './commands/fleet.ts';
import { history } from './commands/history.ts';
import { machine } from './commands/machine.ts';
import { mcp } from './commands/mcp.ts';
import { monetize } from './commands/monetize.ts';
import { PAYOUT_COMMANDS } from './commands/payout.ts';
import { replay } from './commands/replay.ts';
import { search } from './commands/search.ts';
import { serve } from './commands/serve.ts';
import { STATEMENT_COMMANDS } from './commands/statement.ts';
import { status } from './commands/status.ts';
import { verify } from './commands/verify.ts';
import { WATCH_COMMANDS } from './commands/watch.ts';
import { findNearestWord } from '../src/domain/nearest-word.ts';
import manifest from '../package.json' with { type: 'json' };
import { CommandFailed, EXIT_CODES, EXIT_CODES_TEXT, type ExitCode } from './exit-codes.ts';

const LIST_HINT = 'Run svc --help for a list.';

export const COMMANDS: readonly Command[] = [
  ...[demo, devnet, serve, doctor, machine, explain, history, events, fleet, directory, search],
  ...[status, changes, verify, monetize, replay],
  ...STATEMENT_COMMANDS,
  ...DECISIONS_COMMANDS,
  ...CHIP_COMMANDS,
  ...ATTEST_COMMANDS,
  ...PAYOUT_COMMANDS,
  ...WATCH_COMMANDS,
  ...[mcp, createCompletion(() => COMMANDS)],
];

/** Runs a command line and returns its exit code. Throws `CommandFailed`. */
export async function runCommandLine(words: readonly string[]): Promise<ExitCode> {
  const [name = '', ...rest] = words;
  if (name === 'help' && rest.length > 0) return runCommandLine([...rest, '--help']);
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(formatOverview());
    return EXIT_CODES.ok;
  }
  if (name === '--version') {
    process.stdout.write(`svc ${manifest.version}, Node ${process.version}\n`);
    return EXIT_CODES.ok;
  }
  if (name === '') throw new CommandFailed('usage', `no command given\n\n${formatOverview()}`);
  const command = COMMANDS.find((each) => each.name === name || each.name === `${name} ${rest[0] ?? ''}`);
  if (command !== undefined) return runCommand(command, words.slice(command.name.split(' ').length));
  const group = COMMANDS.filter((each) => each.name.startsWith(`${name} `));
  if (group.length > 0 && ['--help', '-h', 'help'].includes(rest[0] ?? '')) {
    process.stdout.write(formatOverview(group));
    return EXIT_CODES.ok;
  }
  const verbs = group.map((each) => each.name.split(' ')[1]);
  if (verbs.length > 0) throw new CommandFailed('usage', `${name} requires one of ${verbs.join(', ')}. ${LIST_HINT}`);
  const near = findNearestWord(name, [...new Set(COMMANDS.map((each) => each.name.split(' ')[0]!))]);
  const suggestion = near === undefined ? '.' : `; did you mean ${near}?`;
  throw new CommandFailed('usage', `unknown command ${JSON.stringify(name)}${suggestion} ${LIST_HINT}`);
}

function formatOverview(commands: readonly Command[] = COMMANDS): string {
  const rows = commands.map(({ name, operands, about }) => [[name, ...operands].join(' '), about]);
  return [
    'Usage: svc COMMAND [options]',
    '',
    ...alignColumns(rows).map((line) => `  ${line}`),
    '',
    'Run svc COMMAND --help for the options of a command and an example, svc --version for the version.',
    `Exit codes: ${EXIT_CODES_TEXT}`,
    '',
  ].join('\n');
}
