/**
 * Parser for JSON objects from untrusted sources that are shown again: limits the depth and preserves the text of numbers that
 * JavaScript would round.
 */
import { isObject } from './json-values.ts';

const MAX_DEPTH = 32;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** ES2025 `JSON.rawJSON` and source text access, which the configured library types do not know yet. */
const exactJson = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};

/** Parses a JSON object; returns undefined for anything but an object in UTF-8 that nests at most 32 levels. */
export function parseUntrustedObject(bytes: Uint8Array): object | undefined {
  try {
    const value = exactJson.parse(UTF8.decode(bytes), (_key, member, { source }) =>
      typeof member === 'number' && String(member) !== source ? exactJson.rawJSON(source!) : member,
    );
    return isObject(value) && isShallow(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}
