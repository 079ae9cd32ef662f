/** Keccak-256 in WebAssembly: hashing is the most frequent computation of a simulation. */
import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** Hashes hex without `0x` to hex without `0x`. */
export function keccakOfHex(hex: string): string {
  return keccakOf(Buffer.from(hex, 'hex'));
}

/** Returns the hash as hex without `0x`. */
export function keccakOf(bytes: Uint8Array | string): string {
  return hasher.init().update(bytes).digest('hex');
}
