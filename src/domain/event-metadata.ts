/** What does an event's metadata show? Opaque bytes; shown when they are a JSON object in UTF-8, else as `{}` (chain-evm 3.7). */
import { hexToBytes } from '@noble/hashes/utils.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `hex`: `0x` and an even number of digits. */
export function parseEventMetadata(hex: string): object {
  if (hex.length <= 2) return {};
  try {
    const value: unknown = JSON.parse(UTF8.decode(hexToBytes(hex.slice(2))));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
