/** Parser for closed JSON objects of texts: all members, no others, every text in its form. */
import type { JsonValue } from '../json/strict-json.ts';

/** Returns whether a text has the form that its member requires. */
export type TextForm = (text: string) => boolean;

/** Members of a closed object: the form of a text, or the shape of a nested object. */
export interface ExactShape {
  readonly [member: string]: TextForm | ExactShape;
}

/** Object of the shape. */
export type ExactObject<S> = { readonly [M in keyof S]: S[M] extends TextForm ? string : ExactObject<S[M]> };

/** Returns the object; undefined for a value that does not have exactly the shape. */
export function parseExactObject<S extends ExactShape>(value: JsonValue, shape: S): ExactObject<S> | undefined {
  const members = Object.entries(shape);
  if (!(value instanceof Map) || value.size !== members.length) return undefined;
  const found: [string, unknown][] = [];
  for (const [name, form] of members) {
    const member = value.get(name) as JsonValue | undefined;
    const read = member === undefined ? undefined : readMember(member, form);
    if (read === undefined) return undefined;
    found.push([name, read]);
  }
  return Object.fromEntries(found) as ExactObject<S>;
}

function readMember(value: JsonValue, form: TextForm | ExactShape): unknown {
  if (typeof form === 'object') return parseExactObject(value, form);
  return typeof value === 'string' && form(value) ? value : undefined;
}
