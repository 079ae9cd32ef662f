/** What does a node say is at an address? (chain-svm 5 and 8: `getMultipleAccounts`, `getAccountInfo`, rows of `getProgramAccounts`.) */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import { parseBase64 } from './base64.ts';
import { decodable, Undecodable } from '../accounts/byte-reader.ts';
import { expectArray, expectCount, expectKey, expectObject, expectText } from './json-shape.ts';

export interface RawAccount {
  readonly owner: AltKey;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

/** All accounts of one answer, of one slot, in the order of the question. */
export interface RawAccounts {
  readonly slot: number;
  readonly accounts: readonly ReadResult<RawAccount>[];
}

/** Reads an account as JSON, encoding `base64`. Absent: `null`. */
export function parseRpcAccount(value: unknown): ReadResult<RawAccount> {
  if (value === null) return { state: 'absent' };
  const account = decodable(() => toRawAccount(value));
  return account === undefined ? { state: 'unreadable', cause: 'malformed' } : { state: 'present', value: account };
}

/** Reads the result of `getMultipleAccounts`; undefined when it is not an answer to a question for `count` keys. */
export function parseRpcAccounts(result: unknown, count: number): RawAccounts | undefined {
  return decodable(() => {
    const { context, value } = expectObject(result);
    const accounts = expectArray(value);
    if (accounts.length !== count) throw new Undecodable();
    return { slot: expectCount(expectObject(context)['slot']), accounts: accounts.map(parseRpcAccount) };
  });
}

function toRawAccount(value: unknown): RawAccount {
  const { owner, executable, data } = expectObject(value);
  const [text, encoding] = expectArray(data);
  const bytes = parseBase64(expectText(text));
  if (bytes === undefined || encoding !== 'base64' || typeof executable !== 'boolean') throw new Undecodable();
  return { owner: expectKey(owner), executable, data: bytes };
}
