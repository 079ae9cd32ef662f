/**
 * Identifiers of machines and accounts ("Machine identifier" of the interface, http-facts 3).
 * Parsing is total: invalid text gives `undefined`, never a similar value and never an exception.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Namespace } from './namespace.ts';

declare const brand: unique symbol;

/** 1 to 2^256 - 1. */
export type MachineId = bigint & { readonly [brand]: 'MachineId' };
/** `0x` and 40 lower-case hex digits. */
export type Address = `0x${string}` & { readonly [brand]: 'Address' };

export const MAX_MACHINE_ID = 2n ** 256n - 1n;
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000' as Address;

const CANONICAL_DECIMAL = /^[1-9][0-9]{0,77}$/;
const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Parses a canonical decimal id; rejects any other notation of the same number. */
export function parseMachineId(text: string): MachineId | undefined {
  if (!CANONICAL_DECIMAL.test(text)) return undefined;
  const id = BigInt(text);
  return id <= MAX_MACHINE_ID ? (id as MachineId) : undefined;
}

/** Converts an id that a chain returned; 0 is not a machine. */
export function toMachineId(id: bigint): MachineId | undefined {
  return id >= 1n && id <= MAX_MACHINE_ID ? (id as MachineId) : undefined;
}

/** Orders ids as numbers, for `sort`. */
export function compareIds(a: MachineId, b: MachineId): number {
  return a < b ? -1 : Number(a > b);
}

/** Parses `did:<method>:<decimal id>`; case-sensitive, does not trim. */
export function parseMachineDid(text: string, namespace: Namespace): MachineId | undefined {
  const prefix = didPrefix(namespace);
  return text.startsWith(prefix) ? parseMachineId(text.slice(prefix.length)) : undefined;
}

export function formatMachineDid(id: MachineId, namespace: Pick<Namespace, 'did_method'>): string {
  return `${didPrefix(namespace)}${id}`;
}

export function didPrefix(namespace: Pick<Namespace, 'did_method'>): string {
  return `did:${namespace.did_method}:`;
}

/** Parses `0x` and 40 hex digits of any letter case; does not check the checksum. */
export function parseAddress(text: string): Address | undefined {
  return HEX_ADDRESS.test(text) ? (text.toLowerCase() as Address) : undefined;
}

/** Formats an address with its EIP-55 checksum. */
export function formatAddress(address: Address): string {
  const digits = address.slice(2);
  const hash = bytesToHex(keccak_256(new TextEncoder().encode(digits)));
  let text = '0x';
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i]!;
    text += hash.charCodeAt(i) >= 0x38 ? digit.toUpperCase() : digit;
  }
  return text;
}

export function formatAddressDid(address: Address, namespace: Pick<Namespace, 'did_method'>): string {
  return `${didPrefix(namespace)}${formatAddress(address)}`;
}
