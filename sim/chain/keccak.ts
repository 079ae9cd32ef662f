/** What is the hash of some bytes? Keccak in WebAssembly: a simulation hashes more than anything else it computes. */
import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** Hex without `0x`, of hex without `0x`. */
export function keccakOfHex(hex: string): string {
  return keccakOf(Buffer.from(hex, 'hex'));
}

/** Hex without `0x`. */
export function keccakOf(bytes: Uint8Array | string): string {
  return hasher.init().update(bytes).digest('hex');
}
