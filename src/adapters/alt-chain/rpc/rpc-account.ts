/** Parsing of accounts in `getMultipleAccounts`, `getAccountInfo` and rows of `getProgramAccounts` (chain-svm 5 and 8). */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { ABSENT, present, unreadable, type ReadResult } from '../../../domain/read-result.ts';
import { parseBase64 } from './base64.ts';
import { decodable, Undecodable } from '../accounts/byte-reader.ts';
import { expectArray, expectCount, expectKey, expectObject, expectText } from './json-shape.ts';

export interface RawAccount {
  readonly owner: AltKey;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

/** Accounts of one response, all read at one slot, in the order of the requested keys. */
export interface RawAccounts {
  readonly slot: number;
  readonly accounts: readonly ReadResult<RawAccount>[];
}

/** Parses an account in encoding `base64`; `null` is absent. */
export function parseRpcAccount(value: unknown): ReadResult<RawAccount> {
  if (value === null) return ABSENT;
  const account = decodable(() => toRawAccount(value));
  return account === undefined ? unreadable('malformed') : present(account);
}

/** Parses the result of `getMultipleAccounts`; undefined if it is not a response for `count` keys. */
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
