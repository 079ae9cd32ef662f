/** Passphrase prompt on the terminal: written to standard error, without echo. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from './exit-codes.ts';

/** Reads a passphrase. Throws `CommandFailed` without a terminal, or when nothing is entered within two minutes. */
export async function promptPassphrase(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandFailed('usage', 'the keystore needs a passphrase: set SVC_KEY_PASSPHRASE or run in a terminal');
  }
  process.stderr.write(question);
  // Discards the echo of the typed characters.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: discard, terminal: true });
  try {
    return await reader.question('', { signal: AbortSignal.timeout(120_000) });
  } catch {
    throw new CommandFailed('usage', 'no passphrase was entered');
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}
