/** Reads the feed of changes of machines, page by page and from any cursor (decisions 4). */
import type { Change, ChangePageResponse } from '../src/http/wire/response-types.ts';
import { request, type Connection, type RequestOptions, type Result } from './http.ts';

export type ChangeKind = Change['kind'];

export interface ChangePageOptions extends RequestOptions {
  /** `next` of the previous page; left out: begins with the oldest stored change. */
  readonly after?: number;
  /** Left out: all kinds. */
  readonly kinds?: readonly ChangeKind[];
  /** At most 500; 100 when left out. */
  readonly limit?: number;
}

/** Reads one page. To follow the feed, store `next` and pass it as `after`. */
export function listChanges(
  connection: Connection,
  { after, kinds, limit, ...options }: ChangePageOptions = {},
): Promise<Result<ChangePageResponse>> {
  const query = new URLSearchParams();
  if (after !== undefined) query.set('after', String(after));
  if (kinds !== undefined) query.set('kinds', kinds.join());
  if (limit !== undefined) query.set('limit', String(limit));
  const isPage = ({ changes, next }: Readonly<Record<string, unknown>>) =>
    Array.isArray(changes) && Number.isSafeInteger(next);
  return request(connection, query.size === 0 ? '/changes' : `/changes?${query.toString()}`, isPage, options);
}
