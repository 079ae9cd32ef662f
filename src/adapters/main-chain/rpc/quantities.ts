/** How does JSON-RPC write numbers and hashes? Strictly read: anything else is undefined. */
import type { Hex } from 'viem';

export function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** A number in `0x` hex; undefined for anything else and for one that is not a safe integer. */
export function parseQuantity(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^0x[0-9a-fA-F]{1,14}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** 32 bytes in lower-case hex. */
export function parseHash(text: unknown): string | undefined {
  return typeof text === 'string' && /^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined;
}

/** Whole bytes, in any letter case. */
export function isHexData(value: unknown): value is Hex {
  return typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);
}
