/**
 * Shape checks for node responses: JSON is `unknown` and narrowed member by member.
 * Every function throws `Undecodable` when the value has another shape.
 */
import { parseAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import { Undecodable } from '../accounts/byte-reader.ts';

export type RpcObject = Readonly<Record<string, unknown>>;

export function expectObject(value: unknown): RpcObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Undecodable();
  return value as RpcObject;
}

export function expectArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Undecodable();
  return value;
}

export function expectText(value: unknown): string {
  if (typeof value !== 'string') throw new Undecodable();
  return value;
}

/** Narrows to a non-negative safe integer. */
export function expectCount(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Undecodable();
  return value as number;
}

export function expectKey(value: unknown): AltKey {
  const key = parseAltKey(expectText(value));
  if (key === undefined) throw new Undecodable();
  return key;
}

/** Narrows a member that nodes may omit or set to null. */
export function expectOptional<T>(value: unknown, expect: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : expect(value);
}

/** Returns the item at an index taken from the response itself. */
export function expectItem<T>(items: readonly T[], position: unknown): T {
  const item = items[expectCount(position)];
  if (item === undefined) throw new Undecodable();
  return item;
}
