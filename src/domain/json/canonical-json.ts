/**
 * Canonical JSON (RFC 8785), as in all bodies of Verify and in rating statements: members sorted by UTF-16 units, no blanks, shortest
 * escapes, numbers as ECMAScript formats them (evidence 5 and 6, design/provable 1).
 */

/** A JSON value whose numbers are doubles, as `JSON.parse` returns it. */
export type JsonTree = string | number | boolean | null | readonly JsonTree[] | { readonly [member: string]: JsonTree };

/** A text, or an object of text trees. */
export type TextTree = string | { readonly [member: string]: TextTree };

/** Returns the canonical UTF-8 bytes. Throws `TypeError` for a lone surrogate, which has no encoding. */
export function canonicalBytes(tree: JsonTree): Uint8Array {
  return new TextEncoder().encode(canonicalText(tree));
}

/** Returns the canonical text. Throws `TypeError` for a lone surrogate, NaN and the infinities. */
export function canonicalText(tree: JsonTree): string {
  if (typeof tree === 'string') return quote(tree);
  if (typeof tree === 'number' && !Number.isFinite(tree)) throw new TypeError('the number has no canonical form');
  if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree); // RFC 8785 adopts this number format
  if (isArray(tree)) return `[${tree.map(canonicalText).join(',')}]`;
  // The default order of `sort` is that of RFC 8785.
  const members = Object.keys(tree).sort();
  return `{${members.map((name) => `${quote(name)}:${canonicalText(tree[name]!)}`).join(',')}}`;
}

/** Returns whether the bytes are exactly the canonical bytes of the tree. */
export function isCanonical(bytes: Uint8Array, tree: TextTree): boolean {
  const canonical = canonicalBytes(tree);
  return bytes.length === canonical.length && bytes.every((octet, at) => octet === canonical[at]);
}

/** Narrows read-only arrays, which `Array.isArray` does not. */
function isArray(tree: JsonTree): tree is readonly JsonTree[] {
  return Array.isArray(tree);
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a lone surrogate has no canonical form');
  return JSON.stringify(text); // RFC 8785 adopts this string format
}
