/** JSON values of a served response, and how the replay shows them. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an empty object for any other value, so that its members count as missing. */
export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

export const showSide = (value: Json | undefined): string => (value === undefined ? '(absent)' : showJson(value));

/** Replaces control characters, so that foreign text cannot control a terminal. */
export const printable = (line: string): string => line.replaceAll(/\p{C}/gu, '\uFFFD');

const showJson = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
