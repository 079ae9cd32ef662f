/**
 * Canonical JSON (RFC 8785) of objects and strings, as in all bodies of Verify: members sorted by UTF-16 units, no blanks, shortest
 * escapes (evidence 5 and 6).
 */

/** A text, or an object of text trees. */
export type TextTree = string | { readonly [member: string]: TextTree };

/** Returns the canonical UTF-8 bytes. Throws `TypeError` for a lone surrogate, which has no encoding. */
export function canonicalBytes(tree: TextTree): Uint8Array {
  return new TextEncoder().encode(canonicalText(tree));
}

/** Returns the canonical text. Throws `TypeError` for a lone surrogate. */
export function canonicalText(tree: TextTree): string {
  if (typeof tree === 'string') return quote(tree);
  // The default order of `sort` is that of RFC 8785.
  const members = Object.keys(tree).sort();
  return `{${members.map((name) => `${quote(name)}:${canonicalText(tree[name]!)}`).join(',')}}`;
}

/** Returns whether the bytes are exactly the canonical bytes of the tree. */
export function isCanonical(bytes: Uint8Array, tree: TextTree): boolean {
  const canonical = canonicalBytes(tree);
  return bytes.length === canonical.length && bytes.every((octet, at) => octet === canonical[at]);
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a lone surrogate has no canonical form');
  return JSON.stringify(text); // RFC 8785 adopts this string format
}
