/** Changes of machines since the last visit, from the feed of changes. */
import { requestJson } from '../parts/queries.ts';
import type { Change, ChangePage } from '../parts/wire.ts';

/** Kinds that the watchlist does not compare itself. */
const KINDS = 'owner,operator,kyb,chip,opt-in';
const PAGE = 500;
/** Most requests of one visit. */
const MOST_PAGES = 10;

export interface ChangesSince {
  /** In the order in which they were observed. */
  readonly changes: readonly Change[];
  /** False: there is no cursor of this feed, changes after it are not stored any more, or there are too many. */
  readonly isComplete: boolean;
  /** Cursor of the next visit. */
  readonly newest: number;
}

/** Returns the changes after the cursor of the last visit; without one, none. Undefined where the feed cannot be read. */
export async function loadChangesSince(
  cursor: number | undefined,
  signal?: AbortSignal,
): Promise<ChangesSince | undefined> {
  const { response } = await requestJson<ChangePage>('/changes?kinds=owner&limit=1', {}, signal);
  if (response === undefined) return undefined;
  const { newest, oldest_after: oldest } = response.body;
  // The feed of another database starts its count again.
  if (cursor === undefined || cursor > newest) return { changes: [], isComplete: false, newest };
  const changes: Change[] = [];
  let after = Math.max(cursor, oldest);
  for (let page = 0; page < MOST_PAGES && after < newest; page += 1) {
    const { response } = await requestJson<ChangePage>(
      `/changes?after=${after}&kinds=${KINDS}&limit=${PAGE}`,
      {},
      signal,
    );
    if (response === undefined) return undefined;
    changes.push(...response.body.changes);
    after = response.body.next;
  }
  return { changes, isComplete: cursor >= oldest && after >= newest, newest };
}

const KEY = 'watchlist-cursor';

/** Returns the cursor of the last visit; undefined before the first one. */
export function readCursor(): number | undefined {
  try {
    const text = localStorage.getItem(KEY);
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

export function storeCursor(cursor: number): void {
  try {
    localStorage.setItem(KEY, String(cursor));
  } catch {
    // A browser that blocks storage has no list either.
  }
}
