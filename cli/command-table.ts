/** Which commands are there? The table behind `svc --help` (configuration.md 2), and how one of them is run. */
import { alignColumns, runCommand, type Command } from './command.ts';
import { demo } from './commands/demo.ts';
import { devnet } from './commands/devnet.ts';
import { doctor } from './commands/doctor.ts';
import { machine } from './commands/machine.ts';
import { monetize } from './commands/monetize.ts';
import { replay } from './commands/replay.ts';
import { serve } from './commands/serve.ts';
import { CommandFailed, EXIT_CODES, EXIT_CODES_TEXT, type ExitCode } from './exit-codes.ts';

export const COMMANDS: readonly Command[] = [demo, devnet, serve, doctor, machine, monetize, replay];

/** Runs a whole command line. Throws `CommandFailed`. */
export async function runCommandLine([name = '', ...args]: readonly string[]): Promise<ExitCode> {
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(formatOverview());
    return EXIT_CODES.ok;
  }
  if (name === '') throw new CommandFailed('usage', `a command is missing\n\n${formatOverview()}`);
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    throw new CommandFailed('usage', `there is no command ${JSON.stringify(name)}; see svc --help`);
  }
  return runCommand(command, args);
}

function formatOverview(): string {
  const rows = COMMANDS.map(({ name, operands, about }) => [[name, ...operands].join(' '), about]);
  return [
    'svc COMMAND [options]',
    '',
    ...alignColumns(rows).map((line) => `  ${line}`),
    '',
    'svc COMMAND --help tells the options of a command and an example.',
    `Exit codes: ${EXIT_CODES_TEXT}`,
    '',
  ].join('\n');
}
