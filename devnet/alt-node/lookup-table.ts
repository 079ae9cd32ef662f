/** Address lookup table of the alt chain: a header of 56 bytes, then the addresses that version 0 messages reference by index. */
import { formatAltKey, parseAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { BorshWriter } from './borsh-writer.ts';

/** Owner of all lookup tables. */
export const LOOKUP_TABLE_PROGRAM = parseAltKey('AddressLookupTab1e1111111111111111111111111')!;

const HEADER_BYTES = 56;
const KEY_BYTES = 32;
const KIND_TABLE = 1;
const NEVER = 2n ** 64n - 1n;

/** Encodes an immutable table that is active in full. */
export function encodeLookupTable(addresses: readonly AltKey[]): Uint8Array {
  const writer = new BorshWriter()
    .u32(KIND_TABLE)
    .u64(NEVER) // slot of its deactivation
    .u64(0n) // slot of its last extension
    .u8(0) // start index of that extension
    .bool(false) // authority
    .raw(new Uint8Array(HEADER_BYTES - 22));
  for (const address of addresses) writer.key(address);
  return writer.bytes();
}

/** Decodes the addresses of a table. */
export function readLookupTable(data: Uint8Array): AltKey[] {
  const count = Math.max(0, Math.floor((data.length - HEADER_BYTES) / KEY_BYTES));
  return Array.from({ length: count }, (_, index) => {
    const at = HEADER_BYTES + index * KEY_BYTES;
    return formatAltKey(data.slice(at, at + KEY_BYTES));
  });
}
