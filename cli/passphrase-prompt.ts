/** What is the passphrase? Asked at a terminal, on standard error, and not shown. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from './exit-codes.ts';

/** Throws `CommandFailed` where there is no terminal to ask at, or nothing is entered. */
export async function askPassphrase(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandFailed('usage', 'the keystore needs a passphrase: set SVC_KEY_PASSPHRASE, or run at a terminal');
  }
  process.stderr.write(question);
  // What is typed is written to this, and goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await reader.question('', { signal: AbortSignal.timeout(120_000) });
  } catch {
    throw new CommandFailed('usage', 'no passphrase was entered');
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}
