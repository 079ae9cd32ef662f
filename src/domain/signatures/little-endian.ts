/** Little-endian integers, the encoding of scalars and coordinates on edwards25519. */
import { bytesToHex } from '@noble/hashes/utils.js';

/** Decodes one or more bytes, least significant byte first. */
export function toLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes.toReversed())}`);
}
