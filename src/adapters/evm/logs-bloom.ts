/** Which bits of a block's bloom do given logs set? (Yellow Paper 4.3.1: three bits for each address and each topic.) */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

const BLOOM_BYTES = 256;

/** Collects addresses and topics, as `0x` hex, into one bloom. */
export interface LogsBloom {
  add(item: string): void;
  /** `0x` and 512 lower-case hex digits. */
  format(): string;
}

export function createLogsBloom(): LogsBloom {
  const bloom = new Uint8Array(BLOOM_BYTES);
  const added = new Set<string>();
  return {
    add(item) {
      if (added.has(item)) return;
      added.add(item);
      const hash = keccak_256(hexToBytes(item.slice(2)));
      for (const at of [0, 2, 4]) {
        const bit = ((hash[at]! << 8) | hash[at + 1]!) & 0x7ff;
        bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
      }
    },
    format: () => `0x${bytesToHex(bloom)}`,
  };
}
