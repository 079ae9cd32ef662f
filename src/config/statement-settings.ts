/** Settings of rating statements: the files of their keys and their lifetime (design/provable 1). */
import { MAX_STATEMENT_LIFETIME_SECONDS } from '../domain/statements/rating-statement.ts';
import type { Environment } from './environment.ts';
import { FILE, listOfValues, wholeNumber, type ValueParser } from './parsers.ts';

export const DEFAULT_STATEMENT_LIFETIME_SECONDS = 3600;
const MIN_LIFETIME_SECONDS = 60;

export interface StatementSettings {
  /** The first key signs, the others are announced. */
  readonly keyFiles: readonly string[];
  /** Of every file that is a keystore. */
  readonly passphrase: string | undefined;
  readonly lifetimeSeconds: number;
}

const PASSPHRASE: ValueParser<string> = { rule: 'a passphrase', parse: (text) => text };

/** Returns undefined when no key is configured. */
export function readStatementSettings(environment: Environment): StatementSettings | undefined {
  const keyFiles = environment.read('STATEMENT_KEY_FILE', listOfValues(FILE));
  const lifetime = wholeNumber(MIN_LIFETIME_SECONDS, MAX_STATEMENT_LIFETIME_SECONDS);
  const lifetimeSeconds =
    environment.read('STATEMENT_LIFETIME_SECONDS', lifetime) ?? DEFAULT_STATEMENT_LIFETIME_SECONDS;
  const passphrase = environment.read('STATEMENT_KEY_PASSPHRASE', PASSPHRASE);
  return keyFiles && { keyFiles, passphrase, lifetimeSeconds };
}
