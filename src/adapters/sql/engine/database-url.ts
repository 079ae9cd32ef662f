/** Parser of `DATABASE_URL` (configuration 1). */

export type DatabaseLocation =
  /** `path` is a file, or `:memory:` for a database that lasts as long as the process. */
  { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'postgres'; readonly url: string };

const SQLITE_PREFIX = 'sqlite:';
const POSTGRES_URL = /^postgres(?:ql)?:\/\/./;

/** Parses `sqlite:<path>`, `sqlite::memory:` or `postgres://…`; undefined for any other text. */
export function parseDatabaseUrl(text: string): DatabaseLocation | undefined {
  if (text.startsWith(SQLITE_PREFIX)) {
    const path = text.slice(SQLITE_PREFIX.length);
    return path === '' || path.includes('\0') ? undefined : { kind: 'sqlite', path };
  }
  return POSTGRES_URL.test(text) && URL.canParse(text) ? { kind: 'postgres', url: text } : undefined;
}
