/** DER encoder for test certificates; it can also write invalid DER. */
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { contextConstructed, contextPrimitive, TAG } from '../../src/domain/evidence/certificate/der.ts';

/** Encodes an element with the shortest length. */
export function element(tag: number, ...contents: Uint8Array[]): Uint8Array {
  const content = concatBytes(...contents);
  return concatBytes(Uint8Array.of(tag), lengthOf(content.length), content);
}

export const sequence = (...parts: Uint8Array[]): Uint8Array => element(TAG.sequence, ...parts);
export const set = (...parts: Uint8Array[]): Uint8Array => element(TAG.set, ...parts);
export const octets = (content: Uint8Array): Uint8Array => element(TAG.octetString, content);
export const bits = (content: Uint8Array, unused = 0): Uint8Array =>
  element(TAG.bitString, Uint8Array.of(unused), content);
export const identifier = (hex: string): Uint8Array => element(TAG.objectIdentifier, hexToBytes(hex));
/** Encodes a sequence of an object identifier and its value. */
export const pair = (hex: string, value: Uint8Array): Uint8Array => sequence(identifier(hex), value);
export const integer = (content: number | Uint8Array): Uint8Array =>
  element(TAG.integer, typeof content === 'number' ? Uint8Array.of(content) : content);
export const text = (content: string): Uint8Array => element(0x0c, utf8ToBytes(content));
export const utcTime = (content: string): Uint8Array => element(TAG.utcTime, utf8ToBytes(content));
export const generalizedTime = (content: string): Uint8Array => element(TAG.generalizedTime, utf8ToBytes(content));
/** Encodes `[n] IMPLICIT`. */
export const implicit = (number: number, content: Uint8Array): Uint8Array => element(contextPrimitive(number), content);
/** Encodes `[n] EXPLICIT`. */
export const tagged = (number: number, ...parts: Uint8Array[]): Uint8Array =>
  element(contextConstructed(number), ...parts);
export const uri = (content: string): Uint8Array => implicit(6, utf8ToBytes(content));

export const TRUE = element(TAG.boolean, Uint8Array.of(0xff));
export const FALSE = element(TAG.boolean, Uint8Array.of(0x00));
export const NULL = element(TAG.null);

function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const octetsOfLength: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) octetsOfLength.unshift(rest & 0xff);
  return Uint8Array.of(0x80 | octetsOfLength.length, ...octetsOfLength);
}
