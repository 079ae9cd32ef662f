/**
 * Keccak-256 in WebAssembly, for code that hashes much: about eight times as fast as JavaScript. It is compiled when this file is loaded, so
 * occasional callers and the pages use `@noble/hashes` instead.
 */
import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** Returns the 32-byte hash of the concatenated parts. */
export function keccak256(...parts: readonly Uint8Array[]): Uint8Array {
  hasher.init();
  for (const part of parts) hasher.update(part);
  return hasher.digest('binary');
}
