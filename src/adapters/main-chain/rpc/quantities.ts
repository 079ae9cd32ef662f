/** Numbers, hashes and bytes as JSON-RPC encodes them, parsed strictly. */
import type { Hex } from 'viem';

export function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** Parses a number in `0x` hex; undefined for anything else and for a number that is not a safe integer. */
export function parseQuantity(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^0x[0-9a-fA-F]{1,14}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Returns 32 bytes in lower-case hex; undefined for anything else. */
export function parseHash(text: unknown): string | undefined {
  return typeof text === 'string' && /^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined;
}

/** Returns whether the value is `0x` hex of whole bytes, in any letter case. */
export function isHexData(value: unknown): value is Hex {
  return typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);
}
