/**
 * Which command was called? The table of commands behind `svc` (configuration.md 2). Data go to standard output, messages to
 * standard error, and the exit code says how it ended.
 */
import { alignColumns, runCommand, type Command } from './command.ts';
import { demo } from './commands/demo.ts';
import { devnet } from './commands/devnet.ts';
import { doctor } from './commands/doctor.ts';
import { machine } from './commands/machine.ts';
import { replay } from './commands/replay.ts';
import { serve } from './commands/serve.ts';
import { CommandFailed, EXIT_CODES, EXIT_CODES_TEXT, type ExitCode } from './exit-codes.ts';

const COMMANDS: readonly Command[] = [demo, devnet, serve, doctor, machine, replay];

async function run([name = '', ...args]: readonly string[]): Promise<ExitCode> {
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(formatOverview());
    return EXIT_CODES.ok;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command !== undefined) return runCommand(command, args);
  process.stderr.write(
    name === '' ? formatOverview() : `svc: there is no command ${JSON.stringify(name)}; see svc --help\n`,
  );
  return EXIT_CODES.usage;
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

// Whoever reads our output may have seen enough: `svc … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_CODES.ok);
  throw error;
});

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  process.stderr.write(`svc: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
