/**
 * EIP-712 digests of flat structs: typed data whose members are all of elementary types. Wallets, contracts and other libraries compute
 * the same digest.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Elementary types in use. A hash or address is `0x` and hex digits. */
export type TypedMember =
  | { readonly name: string; readonly type: 'uint16' | 'uint64' | 'uint256' }
  | { readonly name: string; readonly type: 'string' | 'bool' | 'bytes32' | 'address' };

export type TypedValue = bigint | number | string | boolean;

export interface TypedDataDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: bigint;
  readonly verifyingContract: string;
}

const DOMAIN_MEMBERS: readonly TypedMember[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

const WORD_BYTES = 32;

/** Returns the 32 bytes that are signed. Every member must have a value of its type. */
export function hashTypedData(
  domain: TypedDataDomain,
  type: string,
  members: readonly TypedMember[],
  message: Readonly<Record<string, TypedValue>>,
): Uint8Array {
  const separator = hashStruct('EIP712Domain', DOMAIN_MEMBERS, { ...domain });
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), separator, hashStruct(type, members, message)));
}

function hashStruct(
  type: string,
  members: readonly TypedMember[],
  message: Readonly<Record<string, TypedValue>>,
): Uint8Array {
  const signature = `${type}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`;
  const words = members.map((member) => encodeWord(member.type, message[member.name]!));
  return keccak_256(concatBytes(keccak_256(utf8ToBytes(signature)), ...words));
}

function encodeWord(type: TypedMember['type'], value: TypedValue): Uint8Array {
  if (type === 'string') return keccak_256(utf8ToBytes(String(value)));
  return hexToBytes(
    BigInt(value)
      .toString(16)
      .padStart(2 * WORD_BYTES, '0'),
  );
}
