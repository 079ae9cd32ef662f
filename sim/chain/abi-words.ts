/**
 * ABI encoding by hand, a second implementation that checks the service's decoders. A general encoder would take too
 * long over ten thousand runs.
 */
import { keccakOf } from './keccak.ts';

/** Hex without `0x`. */
export type Words = string;

/** A static value, or the tail of a dynamic one. */
export type Part = { readonly word: Words } | { readonly tail: Words };

export function uint(value: bigint | number): Words {
  return value.toString(16).padStart(64, '0');
}

export function bool(value: boolean): Words {
  return uint(value ? 1 : 0);
}

export function address(value: string): Words {
  return value.slice(2).padStart(64, '0');
}

export const word = (words: Words): Part => ({ word: words });
export const tail = (words: Words): Part => ({ tail: words });

/** Encodes heads, then tails. */
export function tuple(parts: readonly Part[]): Words {
  let offset = parts.reduce((sum, part) => sum + ('word' in part ? part.word.length / 2 : 32), 0);
  let heads = '';
  let tails = '';
  for (const part of parts) {
    if ('word' in part) {
      heads += part.word;
      continue;
    }
    heads += uint(offset);
    tails += part.tail;
    offset += part.tail.length / 2;
  }
  return heads + tails;
}

/** Encodes bytes given as hex without `0x`. */
export function bytes(hex: string): Words {
  return uint(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
}

export function text(value: string): Words {
  return bytes(Buffer.from(value, 'utf8').toString('hex'));
}

/** Encodes an array of dynamic elements. */
export function array(elements: readonly Words[]): Words {
  return uint(elements.length) + tuple(elements.map(tail));
}

/** Encodes an array of words. */
export function wordArray(elements: readonly Words[]): Words {
  return uint(elements.length) + elements.join('');
}

export function readUint(hex: string, at: number): number {
  return Number(BigInt(`0x${hex.slice(2 * at, 2 * at + 64)}`));
}

export function readBigint(hex: string, at: number): bigint {
  return BigInt(`0x${hex.slice(2 * at, 2 * at + 64)}`);
}

/** Returns the selector of a signature: `0x` and 8 digits. */
export function selector(signature: string): string {
  return `0x${keccakOf(signature).slice(0, 8)}`;
}
