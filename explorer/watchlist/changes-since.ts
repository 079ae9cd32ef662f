/** Changes of machines since the last visit, from the feed of changes. */
import { requestJson } from '../parts/queries.ts';
import type { Change, ChangePage } from '../parts/wire.ts';
import type { WatchedEntry } from './watchlist.ts';

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
    const { response } = await requestJson<ChangePage>(`/changes?after=${after}&limit=${PAGE}`, {}, signal);
    if (response === undefined) return undefined;
    changes.push(...response.body.changes);
    after = response.body.next;
  }
  return { changes, isComplete: cursor >= oldest && after >= newest, newest };
}

/** Kinds that the watchlist compares itself for a watched machine. */
const COMPARED_KINDS: readonly Change['kind'][] = ['rating', 'bond', 'flag'];

/**
 * Returns the changes that an entry shows. Those of an operator are the changes of the machines that it has, had or gets; those of a machine
 * leave out what the page compares, so that it shows no change twice.
 */
export function selectChanges(changes: readonly Change[], { kind, id }: WatchedEntry): readonly Change[] {
  return changes.filter((change) =>
    kind === 'machine'
      ? change.machine_id === id && !COMPARED_KINDS.includes(change.kind)
      : isAddress(change.operator, id) || (change.kind === 'operator' && isAddress(change.from, id)),
  );
}

/** `address` is in lower case. */
function isAddress(text: string | null, address: string): boolean {
  return text?.toLowerCase() === address;
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
