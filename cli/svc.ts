/** Entry point of `svc`, whose command `svc NAME` is `commands/NAME.ts`. Writes data to standard output and messages to standard error, and sets the exit code. */
import { removeNodeEnvFileVariables } from '../src/config.ts';
import { runCommandLine } from './command-table.ts';
import { CommandFailed, EXIT_CODES } from './exit-codes.ts';

// The reader of a pipe may close it early: `svc … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_CODES.ok);
  throw error;
});

const args = process.argv.slice(2);
removeNodeEnvFileVariables(args);

try {
  process.exitCode = await runCommandLine(args);
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  process.stderr.write(`svc: ${error.message.trimEnd()}\n`);
  process.exitCode = error.exitCode;
}
