/** Shape checks for responses of an alt-chain node. Each returns the value as its type or throws `MalformedSolana`. */
import { MalformedSolana } from './solana-bytes.ts';

export function parseObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedSolana('not an object');
  return value as Readonly<Record<string, unknown>>;
}

export function parseList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedSolana('not an array');
  return value;
}

export function parseText(value: unknown): string {
  if (typeof value !== 'string') throw new MalformedSolana('not a string');
  return value;
}

export function parseSlot(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new MalformedSolana('not a slot');
  return value as number;
}
