/**
 * Which is the one byte string that an object of texts has? RFC 8785: members sorted by their UTF-16 units, no blanks, the shortest
 * escapes. Objects and strings only, as on all of Verify's bodies (evidence 5 and 6).
 */

/** A text, or an object of such. */
export type TextTree = string | { readonly [member: string]: TextTree };

/** Throws `TypeError` for a lone surrogate, which has no bytes. */
export function canonicalBytes(tree: TextTree): Uint8Array {
  return new TextEncoder().encode(canonicalText(tree));
}

/** Throws `TypeError` for a lone surrogate. */
export function canonicalText(tree: TextTree): string {
  if (typeof tree === 'string') return quote(tree);
  // The default order of `sort` is that of RFC 8785.
  const members = Object.keys(tree).sort();
  return `{${members.map((name) => `${quote(name)}:${canonicalText(tree[name]!)}`).join(',')}}`;
}

/** Tells whether the bytes are those of the tree and nothing else. */
export function isCanonical(bytes: Uint8Array, tree: TextTree): boolean {
  const canonical = canonicalBytes(tree);
  return bytes.length === canonical.length && bytes.every((octet, at) => octet === canonical[at]);
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new TypeError('a lone surrogate has no canonical form');
  return JSON.stringify(text); // RFC 8785 takes its strings from here
}
