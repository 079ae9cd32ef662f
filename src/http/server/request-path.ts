/**
 * Path decoding: each segment is percent-decoded once. A segment that cannot be decoded is used literally, including its percent signs, so that it
 * reaches its route as a malformed value (http-facts 2 "path decoding").
 */

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/**
 * Rewrites the target of a request line so that a router can decode it without failing. Returns targets of ordinary requests unchanged.
 * A `#`, which no client may send, belongs to its segment.
 */
export function normalizePath(target: string): string {
  if (target.charCodeAt(0) === 0x2f && !target.includes('%') && !target.includes('#')) return target;
  const local = target.replace(ABSOLUTE_FORM, '');
  const queryStart = local.indexOf('?');
  const path = queryStart === -1 ? local : local.slice(0, queryStart);
  const query = queryStart === -1 ? '' : local.slice(queryStart);
  const segments = path.split('/').map((segment) => (isDecodable(segment) ? segment : segment.replaceAll('%', '%25')));
  const normalized = segments.join('/').replaceAll('#', '%23');
  return `${normalized.startsWith('/') ? '' : '/'}${normalized}${query}`;
}

/** Returns the decoded path of a normalized target, without the query. Both spellings of a colon give the same text. */
export function decodePath(target: string): string {
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  return path.includes('%') ? decodeURIComponent(path) : path;
}

function isDecodable(segment: string): boolean {
  if (!segment.includes('%')) return true;
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}
