/** Event metadata: opaque bytes, shown as a JSON object where they are one in UTF-8, else as `{}` (chain-evm 3.7). */
import { hexToBytes } from '@noble/hashes/utils.js';
import { parseUntrustedObject } from '../json/untrusted-json.ts';

/** Parses metadata. `hex`: `0x` and an even number of digits. */
export function parseEventMetadata(hex: string): object {
  return parseUntrustedObject(hexToBytes(hex.slice(2))) ?? {};
}
