/**
 * Receipts root of a block: a second implementation of the trie of the Yellow Paper 4.4.1, in hex, that checks the
 * service's own.
 */
import { keccakOfHex } from './keccak.ts';

/** Returns the root as `0x` hex; `receipts` are the bytes of each as hex without `0x`. */
export function rootOf(receipts: readonly string[]): string {
  const entries = receipts.map((value, index): Entry => [rlpText(index === 0 ? '' : evenHex(index)), value]);
  return `0x${keccakOfHex(entries.length === 0 ? '80' : nodeOf(entries))}`;
}

/** Remaining path, one hex digit each, and the value at its end. */
type Entry = readonly [path: string, value: string];

function nodeOf(entries: readonly Entry[]): string {
  const [[path, value]] = entries as [Entry];
  if (entries.length === 1) return rlpList([rlpText(packed(path, 2)), rlpText(value)]);
  let shared = 0;
  while (entries.every(([other]) => other[shared] === path[shared])) shared += 1;
  if (shared > 0) return rlpList([rlpText(packed(path.slice(0, shared), 0)), link(nodeOf(skip(entries, shared)))]);
  const branches = Array.from('0123456789abcdef', (digit) => {
    const below = entries.filter(([other]) => other.startsWith(digit));
    return below.length === 0 ? '80' : link(nodeOf(skip(below, 1)));
  });
  return rlpList([...branches, '80']);
}

function skip(entries: readonly Entry[], digits: number): Entry[] {
  return entries.map(([path, value]) => [path.slice(digits), value]);
}

function packed(path: string, flag: number): string {
  return path.length % 2 === 0 ? `${flag}0${path}` : `${flag + 1}${path}`;
}

function link(node: string): string {
  return node.length < 64 ? node : rlpText(keccakOfHex(node));
}

export function rlpText(hex: string): string {
  return hex.length === 2 && hex < '80' ? hex : prefix(hex.length / 2, 0x80) + hex;
}

export function rlpList(items: readonly string[]): string {
  const hex = items.join('');
  return prefix(hex.length / 2, 0xc0) + hex;
}

function prefix(length: number, kind: number): string {
  if (length < 56) return evenHex(kind + length);
  const digits = evenHex(length);
  return evenHex(kind + 55 + digits.length / 2) + digits;
}

export function evenHex(value: number): string {
  const hex = value.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}
