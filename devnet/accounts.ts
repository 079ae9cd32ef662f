/**
 * Who acts on the local chains? Accounts with throw-away keys, each made from its name, so that they are the same in every
 * devnet and nobody's position in a list matters.
 */
import { keccak256, toBytes } from 'viem';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';

export interface Account {
  readonly name: string;
  readonly address: Address;
  readonly key: Hex;
}

/** The protocol owner: deploys, pauses, flags, attests. */
export const ADMIN_NAME = 'admin';

const known = new Map<string, Account>();

/** The account of a name. */
export function accountOf(name: string): Account {
  let account = known.get(name);
  if (account === undefined) {
    const key = keccak256(toBytes(`devnet account ${name}`));
    account = { name, address: privateKeyToAddress(key), key };
    known.set(name, account);
  }
  return account;
}
