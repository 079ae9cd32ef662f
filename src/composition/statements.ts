/**
 * Opens rating statements: reads the configured keys and records them in the database, so that old statements verify for ever
 * (design/provable 1).
 */
import type { Config } from '../config.ts';
import { createMainChainKey, isMainChainSecret, type MainChainKey } from '../domain/signatures/account-keys.ts';
import { decryptKeystore } from '../domain/signatures/keystore.ts';
import { STATEMENT_PERIOD_SECONDS } from '../domain/statements/rating-statement.ts';
import { nowSeconds } from '../ports/runtime.ts';
import type { StatementConfig } from '../ports/statements.ts';
import { CLOCK } from './process-time.ts';
import type { ServiceStart } from './startup.ts';
import { StartRefused } from './start-refused.ts';
import { readConfiguredFile } from '../adapters/files/configured-file.ts';

const HEX_KEY = /^0x[0-9a-fA-F]{64}$/;
/** Time in which the other replicas restart with a new signing key. */
const ROTATION_SECONDS = 600;

/** Throws `StartRefused` for files that hold no key, for a key given twice, and for a signing key that was revoked. */
export async function openStatements({
  config: { statements },
  store,
  log,
}: Pick<ServiceStart, 'config' | 'store' | 'log'>): Promise<StatementConfig | undefined> {
  if (statements === undefined) return undefined;
  const [key, ...others] = await readStatementKeys(statements);
  const announced = others.map(({ address }) => address);
  const now = nowSeconds(CLOCK);
  const times = { nowSeconds: now - (now % STATEMENT_PERIOD_SECONDS), lastSecond: now + ROTATION_SECONDS };
  await store.recordStatementKeys({ signing: key!.address, announced }, times);
  const recorded = (await store.listStatementKeys()).find(({ address }) => address === key!.address);
  if (recorded?.revokedAt !== undefined) {
    throw new StartRefused(['STATEMENT_KEY_FILE: the first key was revoked; put another one first']);
  }
  log.info({ signer: key!.address, announced }, 'rating statements are signed');
  return { key: key!, lifetimeSeconds: statements.lifetimeSeconds };
}

/** Reads the configured keys, the signing key first. Throws `StartRefused`. */
export async function readStatementKeys({
  keyFiles,
  passphrase,
}: NonNullable<Config['statements']>): Promise<readonly MainChainKey[]> {
  const keys: MainChainKey[] = [];
  const problems: string[] = [];
  for (const [at, file] of keyFiles.entries()) {
    const { key, problem } = await readKey(file, passphrase);
    if (problem !== undefined) problems.push(`STATEMENT_KEY_FILE: file ${at + 1} ${problem}`);
    else if (keys.some(({ address }) => address === key.address)) {
      problems.push(`STATEMENT_KEY_FILE: file ${at + 1} holds the key of an earlier file`);
    } else keys.push(key);
  }
  if (problems.length > 0) throw new StartRefused(problems);
  return keys;
}

type KeyReading =
  { readonly key: MainChainKey; readonly problem?: never } | { readonly problem: string; readonly key?: never };

/** No problem contains anything from the file. */
async function readKey(file: string, passphrase: string | undefined): Promise<KeyReading> {
  const { bytes, problem } = await readConfiguredFile(file);
  if (problem !== undefined) return { problem };
  const secret = readSecret(bytes.toString('utf8').trim(), passphrase);
  if (typeof secret === 'string') return { problem: secret };
  return isMainChainSecret(secret)
    ? { key: createMainChainKey(secret) }
    : { problem: 'is not a valid key of the main chain' };
}

/** Returns the secret, or what is wrong with the text. */
function readSecret(text: string, passphrase: string | undefined): Uint8Array | string {
  if (HEX_KEY.test(text)) return Uint8Array.from(Buffer.from(text.slice(2), 'hex'));
  if (!text.startsWith('{')) return 'must be 0x and 64 hex digits, or a version 3 keystore';
  if (passphrase === undefined) return 'is a keystore: set STATEMENT_KEY_PASSPHRASE';
  const { secret, problem } = decryptKeystore(text, passphrase);
  return secret ?? `cannot be decrypted: ${problem}`;
}
