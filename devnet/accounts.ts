/**
 * Accounts of the local chains. Each key is throw-away and derived from the account's name, so that it is the same in every devnet and
 * independent of the order of the accounts.
 */
import { keccak256, toBytes } from 'viem';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

export interface Account {
  readonly name: string;
  readonly address: Address;
  readonly key: Hex;
}

/** Name of the protocol owner, who deploys, pauses, flags and attests. */
export const ADMIN_NAME = 'admin';

const known = new Map<string, Account>();

/** Returns the account of a name. The key is `keccak256` of a fixed prefix and the name. */
export function accountOf(name: string): Account {
  let account = known.get(name);
  if (account === undefined) {
    const key = keccak256(toBytes(`devnet account ${name}`));
    account = { name, address: privateKeyToAddress(key), key };
    known.set(name, account);
  }
  return account;
}
