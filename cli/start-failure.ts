/** Messages for a failed start of the service, each with the variable that causes it. */
import { DatabaseNotOpened } from '../src/composition/database.ts';
import { StartRefused } from '../src/composition/start-refused.ts';
import { explainDatabaseFailure } from './database-remedies.ts';
import { CommandFailed } from './exit-codes.ts';

const LISTENING = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN'];

/** Converts an expected error to `CommandFailed`; returns any other error unchanged. */
export function toStartFailure(error: unknown): unknown {
  if (error instanceof StartRefused) return new CommandFailed('refused', formatProblems(error.problems));
  if (error instanceof DatabaseNotOpened) {
    const problem = `DATABASE_URL: the database cannot be opened: ${explainDatabaseFailure(error.code)}`;
    return new CommandFailed('unreachable', formatProblems([problem]));
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!LISTENING.includes(code)) return error;
  const { address = '', port = '' } = error as { readonly address?: string; readonly port?: number };
  const hint =
    code === 'EADDRINUSE'
      ? ': the port is in use. Set PORT and ADMIN_PORT to other ports, or to 0 for any free port'
      : '';
  return new CommandFailed('refused', formatProblems([`cannot listen on ${address}:${port} (${code})${hint}`]));
}

function formatProblems(problems: readonly string[]): string {
  return ['the service did not start:', ...problems.map((problem) => `  ${problem}`)].join('\n');
}
