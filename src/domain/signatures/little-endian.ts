/** Which number do bytes stand for, least significant byte first? So edwards25519 spells scalars and coordinates. */
import { bytesToHex } from '@noble/hashes/utils.js';

/** The number of at least one byte. */
export function toLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes.toReversed())}`);
}
