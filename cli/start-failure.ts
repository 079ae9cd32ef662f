/** Why did the service not start? In words for the person who started it, by the variable that is about it. */
import { Fault } from '../src/domain/faults.ts';
import { StartRefused } from '../src/composition/start-refused.ts';
import { CommandFailed } from './exit-codes.ts';

const LISTENING = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN'];

/** The failure as a command's, or the error itself when it is none that is expected. */
export function toStartFailure(error: unknown): unknown {
  if (error instanceof StartRefused) return new CommandFailed('refused', formatProblems(error.problems));
  if (error instanceof Fault && error.kind === 'StoreUnavailable') {
    return new CommandFailed(
      'unreachable',
      formatProblems(['DATABASE_URL: the database cannot be opened; see svc doctor']),
    );
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!LISTENING.includes(code)) return error;
  const { address = '', port = '' } = error as { readonly address?: string; readonly port?: number };
  const hint = code === 'EADDRINUSE' ? '; another program does. PORT and ADMIN_PORT take others, 0 any free one' : '';
  return new CommandFailed('refused', formatProblems([`cannot listen on ${address}:${port} (${code})${hint}`]));
}

function formatProblems(problems: readonly string[]): string {
  return ['the service does not start:', ...problems.map((problem) => `  ${problem}`)].join('\n');
}
