/** How does a call of `svc` end? Data go to standard output, messages to standard error, and the exit code says the rest. */
import { forgetEnvFilesOfNode } from '../src/config.ts';
import { runCommandLine } from './command-table.ts';
import { CommandFailed, EXIT_CODES } from './exit-codes.ts';

// Whoever reads our output may have seen enough: `svc … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_CODES.ok);
  throw error;
});

const args = process.argv.slice(2);
forgetEnvFilesOfNode(args);

try {
  process.exitCode = await runCommandLine(args);
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  process.stderr.write(`svc: ${error.message.trimEnd()}\n`);
  process.exitCode = error.exitCode;
}
