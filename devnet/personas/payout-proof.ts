/** Metadata with a payout proof, signed with the devnet's keys (scoring, Payout proof). */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import type { MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { formatPayoutText } from '../../src/domain/rating/paid/payout-proof.ts';
import { createAltChainKey, createMainChainKey } from '../../src/domain/signatures/account-keys.ts';
import type { Account } from '../accounts.ts';
import type { AltAccount } from '../alt-chain/keys.ts';

/** Returns the metadata in which the account signs for the machine under this owner. */
export function signPayoutProof(id: bigint, owner: string, account: Account): string {
  const key = createMainChainKey(Uint8Array.from(Buffer.from(account.key.slice(2), 'hex')));
  const named = { account: key.address, owner: /^0x/i.test(owner) ? owner.toLowerCase() : owner };
  const text = formatPayoutText(id as MachineId, named, DEFAULT_NAMESPACE);
  return JSON.stringify({ payout: named.account, owner: named.owner, proof: key.sign(utf8ToBytes(text)) });
}

/** Returns the metadata in which an alt-chain account signs for the machine of an alt-chain owner. */
export function signAltPayoutProof(id: bigint, owner: AltAccount, account: AltAccount): string {
  const named = { account: account.key, owner: owner.key };
  const text = formatPayoutText(id as MachineId, named, DEFAULT_NAMESPACE);
  const proof = createAltChainKey(account.seed).sign(utf8ToBytes(text));
  return JSON.stringify({ payout: named.account, owner: named.owner, proof });
}
