/** Is a JSON value exactly this object of texts? All members, none other, every text in its form. */
import type { JsonValue } from '../json/strict-json.ts';

/** Tells whether a text has the form that its member demands. */
export type TextForm = (text: string) => boolean;

/** Every member of a closed object: the form of its text, or the shape of the object in it. */
export interface ClosedShape {
  readonly [member: string]: TextForm | ClosedShape;
}

/** What has the shape. */
export type Shaped<S> = { readonly [M in keyof S]: S[M] extends TextForm ? string : Shaped<S[M]> };

/** Undefined for anything that has not exactly the shape. */
export function readClosedShape<S extends ClosedShape>(value: JsonValue, shape: S): Shaped<S> | undefined {
  const members = Object.entries(shape);
  if (!(value instanceof Map) || value.size !== members.length) return undefined;
  const found: [string, unknown][] = [];
  for (const [name, form] of members) {
    const member = value.get(name) as JsonValue | undefined;
    const read = member === undefined ? undefined : readMember(member, form);
    if (read === undefined) return undefined;
    found.push([name, read]);
  }
  return Object.fromEntries(found) as Shaped<S>;
}

function readMember(value: JsonValue, form: TextForm | ClosedShape): unknown {
  if (typeof form === 'object') return readClosedShape(value, form);
  return typeof value === 'string' && form(value) ? value : undefined;
}
