/** Tests of the keys of rating statements at a start: files, rotation and revocation, with a real database. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PASSPHRASE, PBKDF2, SECRET } from '../../testing/fixtures/keystore-samples.ts';
import { rule } from '../../test/conformance/rule.ts';
import { createStore } from '../adapters/sql/create-store.ts';
import { readConfig } from '../config.ts';
import { createMainChainKey } from '../domain/signatures/account-keys.ts';
import type { Store } from '../ports/store.ts';
import { StartRefused } from './start-refused.ts';
import { openStatements } from './statements.ts';

type Variables = Readonly<Record<string, string>>;

const addressOf = (digits: string) => createMainChainKey(Uint8Array.from(Buffer.from(digits, 'hex'))).address;
const [ONE, TWO] = ['11'.repeat(32), '22'.repeat(32)];
const log = { info() {}, warn() {}, error() {} };

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statements-'));
  store = await createStore(`sqlite:${join(folder, 'svc.db')}`);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function open(variables: Variables) {
  const { config, problems } = readConfig(variables, { readFile: (path) => readFileSync(path, 'utf8') });
  expect(problems).toEqual([]);
  return openStatements({ config, store, log });
}

/** Returns the problems of a refused start. */
async function listProblems(variables: Variables): Promise<readonly string[]> {
  const error: unknown = await open(variables).catch((reason: unknown) => reason);
  if (!(error instanceof StartRefused)) throw new Error('the start was not refused');
  return error.problems;
}

it('signs nothing without a key file', async () => {
  expect(await open({})).toBeUndefined();
  expect(await store.listStatementKeys()).toEqual([]);
});

it('signs with the first key, announces the others, and ends a replaced key ten minutes later', async () => {
  rule('statement.rotation');
  const one = fileOf('one', `0x${ONE}\n`);
  const keystore = fileOf('keystore', JSON.stringify(PBKDF2));
  const passphrase = { STATEMENT_KEY_PASSPHRASE: PASSPHRASE, STATEMENT_LIFETIME_SECONDS: '86400' };
  const before = Math.floor(Date.now() / 1000);
  const first = await open({ STATEMENT_KEY_FILE: `${one}, ${keystore}`, ...passphrase });
  expect([first?.key.address, first?.lifetimeSeconds]).toEqual([addressOf(ONE), 86_400]);
  const [signing, announced] = await store.listStatementKeys();
  expect(signing).toMatchObject({ address: addressOf(ONE), notAfter: undefined });
  // The start of a minute, which statements are made for.
  expect([signing!.notBefore! % 60, signing!.notBefore! > before - 60]).toEqual([0, true]);
  expect(announced).toMatchObject({ address: addressOf(SECRET), notBefore: undefined });
  expect((await open({ STATEMENT_KEY_FILE: keystore, ...passphrase }))?.key.address).toBe(addressOf(SECRET));
  const [replaced, inUse] = await store.listStatementKeys();
  expect(replaced!.notAfter).toBeGreaterThanOrEqual(before + 600);
  expect(inUse).toMatchObject({ address: addressOf(SECRET), notAfter: undefined });
  expect(inUse!.notBefore).toBeDefined();
});

it('refuses a start with a revoked signing key', async () => {
  rule('statement.key-times');
  const variables = { STATEMENT_KEY_FILE: fileOf('one', `0x${ONE}`) };
  await open(variables);
  await store.revokeStatementKey(addressOf(ONE), 1_800_000_000);
  expect(await listProblems(variables)).toEqual([
    'STATEMENT_KEY_FILE: the first key was revoked; put another one first',
  ]);
});

describe('a start is refused, without a part of the key in its problem,', () => {
  it.each<[string, string, Variables, string]>([
    ['for hex without 0x', TWO, {}, 'must be 0x and 64 hex digits, or a version 3 keystore'],
    ['for too few digits', `0x${TWO.slice(2)}`, {}, 'must be 0x and 64 hex digits, or a version 3 keystore'],
    ['for zero', `0x${'0'.repeat(64)}`, {}, 'is not a valid key of the main chain'],
    ['for a key beyond the order', `0x${'f'.repeat(64)}`, {}, 'is not a valid key of the main chain'],
    ['for a keystore without a passphrase', JSON.stringify(PBKDF2), {}, 'is a keystore: set STATEMENT_KEY_PASSPHRASE'],
    [
      'for a wrong passphrase',
      JSON.stringify(PBKDF2),
      { STATEMENT_KEY_PASSPHRASE: 'x' },
      'cannot be decrypted: wrong passphrase',
    ],
    ['for another JSON', '{}', { STATEMENT_KEY_PASSPHRASE: 'x' }, 'cannot be decrypted: no keystore'],
    ['for a key given twice', `0x${ONE}`, {}, 'holds the key of an earlier file'],
  ])('%s', async (_, content, variables, problem) => {
    const files = [fileOf('one', `0x${ONE}`), fileOf('two', content)];
    expect(await listProblems({ STATEMENT_KEY_FILE: files.join(), ...variables })).toEqual([
      `STATEMENT_KEY_FILE: file 2 ${problem}`,
    ]);
    expect(await store.listStatementKeys()).toEqual([]);
  });

  it('for files that cannot be read', async () => {
    expect(await listProblems({ STATEMENT_KEY_FILE: `${folder}/none,${folder}` })).toEqual([
      'STATEMENT_KEY_FILE: file 1 cannot be read: it does not exist',
      'STATEMENT_KEY_FILE: file 2 cannot be read: it is a folder',
    ]);
  });
});
