/**
 * Base58 codec of the alt chain: the bytes as one number in 58 digits, with a leading `1` for every leading zero byte (http-facts 3).
 * Every byte string has exactly one encoding, so parsing and formatting are inverse. Our own, because the alt-chain index decodes every instruction
 * that it reads and `@scure/base` takes 4 to 24 times as long (docs/decisions/alt-chain.md).
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE58_TEXT = /^[1-9A-HJ-NP-Za-km-z]*$/;
const VALUE_OF = new Map(Array.from(ALPHABET, (digit, value) => [digit, value] as const));

/** Digits converted in one step: the most whose value is still an exact number. */
const DIGITS_AT_ONCE = 9;
const BASE_AT_ONCE = 58n ** BigInt(DIGITS_AT_ONCE);
const DIGITS_PER_BYTE = Math.log(256) / Math.log(58);

/** Decodes at most `maxBytes` bytes; rejects a longer text before decoding it. */
export function parseBase58(text: string, maxBytes: number): Uint8Array | undefined {
  if (text.length > Math.ceil(maxBytes * DIGITS_PER_BYTE) || !BASE58_TEXT.test(text)) return undefined;
  const zeros = countLeading(text, '1');
  const digits = toHex(toNumber(text.slice(zeros)));
  if (zeros + digits.length / 2 > maxBytes) return undefined;
  return hexToBytes('00'.repeat(zeros) + digits);
}

/** Decodes exactly `length` bytes. */
export function parseBase58Exactly(text: string, length: number): Uint8Array | undefined {
  const bytes = parseBase58(text, length);
  return bytes?.length === length ? bytes : undefined;
}

export function formatBase58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0);
  if (zeros < 0) return ALPHABET[0]!.repeat(bytes.length);
  let rest = BigInt(`0x${bytesToHex(bytes)}`);
  let text = '';
  for (; rest > 0n; rest /= BASE_AT_ONCE) text = formatDigits(Number(rest % BASE_AT_ONCE)) + text;
  return ALPHABET[0]!.repeat(zeros) + text.replace(/^1+/, '');
}

function toNumber(digits: string): bigint {
  let number = 0n;
  for (let at = 0; at < digits.length; at += DIGITS_AT_ONCE) {
    const part = digits.slice(at, at + DIGITS_AT_ONCE);
    let value = 0;
    for (const digit of part) value = value * 58 + VALUE_OF.get(digit)!;
    number = number * (part.length === DIGITS_AT_ONCE ? BASE_AT_ONCE : 58n ** BigInt(part.length)) + BigInt(value);
  }
  return number;
}

function formatDigits(value: number): string {
  let text = '';
  for (let rest = value; text.length < DIGITS_AT_ONCE; rest = Math.floor(rest / 58)) text = ALPHABET[rest % 58]! + text;
  return text;
}

/** Formats an even number of hex digits, none for 0. */
function toHex(number: bigint): string {
  if (number === 0n) return '';
  const hex = number.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

function countLeading(text: string, character: string): number {
  let count = 0;
  while (text[count] === character) count++;
  return count;
}
