/** `If-None-Match` (RFC 9110, 13.1.2): a list of entity tags, compared weakly, or `*`. */

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Returns whether the condition names the tag of the current response. */
export function matchesEntityTag(condition: string, etag: string): boolean {
  if (condition === etag || condition.trim() === '*') return true;
  for (const [, tag] of condition.matchAll(ENTITY_TAG)) {
    if (tag === etag) return true;
  }
  return false;
}
