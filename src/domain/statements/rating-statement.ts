/**
 * Rating statement: the members of a rating that are signed as EIP-712 typed data, so that contracts and third parties can check them
 * (design/provable 1).
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { formatAddress, type Address } from '../identifiers/identifiers.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import { canonicalBytes, type JsonTree } from '../json/canonical-json.ts';
import type { MainChainKey } from '../signatures/account-keys.ts';
import { hashTypedData, type TypedMember } from '../signatures/typed-data.ts';

/** Longest time between `ratedAt` and `validUntil`. */
export const MAX_STATEMENT_LIFETIME_SECONDS = 86_400;

/** A statement is made for the start of a period, so that all replicas sign the same bytes. */
export const STATEMENT_PERIOD_SECONDS = 60;

/** Type of the signed message; its order is part of the digest. */
export const STATEMENT_TYPE = 'RatingStatement';
export const STATEMENT_MEMBERS = [
  { name: 'machineId', type: 'uint256' },
  { name: 'homeChain', type: 'uint16' },
  { name: 'model', type: 'string' },
  { name: 'rating', type: 'string' },
  { name: 'scoreHundredths', type: 'uint16' },
  { name: 'bonded', type: 'bool' },
  { name: 'negativeFlag', type: 'bool' },
  { name: 'kyb', type: 'string' },
  { name: 'chip', type: 'string' },
  { name: 'blockNumber', type: 'uint256' },
  { name: 'blockHash', type: 'bytes32' },
  { name: 'altSlot', type: 'uint64' },
  { name: 'ratedAt', type: 'uint64' },
  { name: 'validUntil', type: 'uint64' },
  { name: 'explanationHash', type: 'bytes32' },
] as const satisfies readonly TypedMember[];

/** Types of the signed message, as EIP-712 libraries take them. */
export const STATEMENT_TYPES = { [STATEMENT_TYPE]: STATEMENT_MEMBERS };

/** Signed message in JSON form. Ids, block numbers and slots are decimal texts; times are Unix seconds. */
export interface RatingStatement {
  readonly machineId: string;
  /** Protocol ordinal of the machine's home. */
  readonly homeChain: number;
  readonly model: string;
  readonly rating: string;
  /** Points in hundredths for the letters AAA to B, else 0. */
  readonly scoreHundredths: number;
  readonly bonded: boolean;
  readonly negativeFlag: boolean;
  readonly kyb: string;
  readonly chip: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  /** `0` for a machine of the main chain. */
  readonly altSlot: string;
  readonly ratedAt: number;
  readonly validUntil: number;
  readonly explanationHash: string;
}

/** EIP-712 domain in JSON form. */
export interface StatementDomain {
  readonly name: string;
  readonly version: '1';
  readonly chainId: number;
  /** The machine registry in EIP-55 spelling. */
  readonly verifyingContract: string;
}

/** Document that proves a rating, without its explanation. */
export interface SignedStatement {
  readonly statement: RatingStatement;
  readonly domain: StatementDomain;
  readonly types: typeof STATEMENT_TYPES;
  /** `0x` and 130 hex digits: low s, recovery byte 27 or 28. */
  readonly signature: string;
  /** EIP-55 spelling. */
  readonly signer: string;
}

const DOMAIN_VERSION = '1';

/** Returns the domain of a deployment. */
export function statementDomain(chainId: number, registry: Address, namespace: Namespace): StatementDomain {
  return {
    name: namespace.statement_name,
    version: DOMAIN_VERSION,
    chainId,
    verifyingContract: formatAddress(registry),
  };
}

/** Returns the 32 bytes that the statement's signature is of. */
export function hashStatement(statement: RatingStatement, domain: StatementDomain): Uint8Array {
  const typedDomain = { ...domain, chainId: BigInt(domain.chainId) };
  return hashTypedData(typedDomain, STATEMENT_TYPE, STATEMENT_MEMBERS, { ...statement });
}

/** Signs a statement. */
export function signStatement(statement: RatingStatement, domain: StatementDomain, key: MainChainKey): SignedStatement {
  const signature = key.signHash(hashStatement(statement, domain));
  return { statement, domain, types: STATEMENT_TYPES, signature, signer: formatAddress(key.address) };
}

/** Returns the hash that a statement carries of its explanation. Throws `TypeError` for a tree without canonical form. */
export function hashExplanation(explanation: JsonTree): string {
  return `0x${bytesToHex(keccak_256(canonicalBytes(explanation)))}`;
}
