/** Digest of an EIP-191 personal message (version 0x45, `personal_sign`), which main-chain wallets sign. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Hashes a message of any bytes to 32 bytes; its length in bytes is part of the hashed data. */
export function hashPersonalMessage(message: Uint8Array): Uint8Array {
  return keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${message.length}`), message));
}
