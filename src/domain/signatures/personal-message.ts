/** Which 32 bytes does a wallet of the main chain sign for a message? (EIP-191, version 0x45, `personal_sign`.) */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** The digest of a message of any bytes; its length is part of what is hashed. */
export function hashPersonalMessage(message: Uint8Array): Uint8Array {
  return keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${message.length}`), message));
}
