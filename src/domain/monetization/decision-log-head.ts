/**
 * Signed head of a decision log: how many decisions of a machine are logged, and the hash of the last (design/provable 2). It is EIP-712
 * typed data in the domain of rating statements, signed by the statement key. A checkpoint is the signed head of rows that were pruned.
 */
import { formatAddress } from '../identifiers/identifiers.ts';
import type { MainChainKey } from '../signatures/account-keys.ts';
import { hashTypedData, type TypedMember } from '../signatures/typed-data.ts';
import type { StatementDomain } from '../statements/rating-statement.ts';

const LOG_HEAD_TYPE = 'DecisionLogHead';
const LOG_HEAD_MEMBERS = [
  { name: 'machineId', type: 'uint256' },
  { name: 'hash', type: 'bytes32' },
  { name: 'count', type: 'uint64' },
  { name: 'signedAt', type: 'uint64' },
] as const satisfies readonly TypedMember[];

/** Types of the signed message, as EIP-712 libraries take them. */
export const LOG_HEAD_TYPES = { [LOG_HEAD_TYPE]: LOG_HEAD_MEMBERS };

/** Signed message in JSON form. */
export interface DecisionLogHead {
  readonly machineId: string;
  /** Hash of the newest row. */
  readonly hash: string;
  /** Rows from the first to the newest, pruned ones included. */
  readonly count: number;
  /** Unix second. */
  readonly signedAt: number;
}

export interface SignedLogHead {
  readonly head: DecisionLogHead;
  /** `0x` and 130 hex digits: low s, recovery byte 27 or 28. */
  readonly signature: string;
  /** EIP-55 spelling. */
  readonly signer: string;
}

/** Returns the 32 bytes that the head's signature is of. */
export function hashLogHead(head: DecisionLogHead, domain: StatementDomain): Uint8Array {
  return hashTypedData({ ...domain, chainId: BigInt(domain.chainId) }, LOG_HEAD_TYPE, LOG_HEAD_MEMBERS, { ...head });
}

/** Signs a head. */
export function signLogHead(head: DecisionLogHead, domain: StatementDomain, key: MainChainKey): SignedLogHead {
  return { head, signature: key.signHash(hashLogHead(head, domain)), signer: formatAddress(key.address) };
}
