/** All machines of an operator, loaded page by page. What is shown stays in view while it is loaded again. */
import { useEffect, useState } from 'preact/hooks';
import { requestJson, useQuery, type Query } from '../parts/queries.ts';
import type { BoundFleet, Fleet, RatedFleet } from '../parts/wire.ts';

const REFRESH_SECONDS = 60;
/** Pages that are loaded at most. */
const MAX_PAGES = 20;

/** Machine of any of the listings; the rated one has more members. */
export type FleetMachine = (Fleet | BoundFleet)['machines'][number] &
  Partial<Pick<RatedFleet['machines'][number], 'subscription' | 'total_revenue' | 'revenue_trend' | 'home_chain'>> &
  Pick<Partial<RatedFleet['machines'][number]>, 'rating_unavailable'>;

export interface LoadedFleet {
  readonly machines: readonly FleetMachine[];
  readonly total: number;
  readonly unreadable: number;
  readonly index: Fleet['index'];
  /** False: there are more machines than are loaded. */
  readonly isComplete: boolean;
}

interface Page {
  readonly machines: readonly FleetMachine[];
  readonly pagination: Fleet['pagination'];
  readonly unreadable: number;
  readonly index: Fleet['index'];
}

export interface FleetQuery {
  readonly first: Query<Page>;
  /** Undefined until the first page has arrived. */
  readonly fleet: LoadedFleet | undefined;
}

/** Loads the listing at `path`; undefined loads nothing. */
export function useFleet(path: string | undefined, pageSize: number): FleetQuery {
  const first = useQuery<Page>(path && `${path}?offset=0&limit=${pageSize}`, REFRESH_SECONDS);
  const [loaded, setLoaded] = useState<LoadedFleet & { readonly path: string | undefined }>();
  const { response } = first;

  useEffect(() => {
    if (response === undefined) return undefined;
    const end = new AbortController();
    void loadAll(path!, pageSize, response.body, end.signal, (fleet) => setLoaded({ ...fleet, path }));
    return () => end.abort();
  }, [path, pageSize, response]);

  return { first, fleet: loaded?.path === path ? loaded : undefined };
}

/** Reports the first page at once only where it is all there is; a longer fleet appears whole, so that rows do not move. */
async function loadAll(
  path: string,
  pageSize: number,
  first: Page,
  signal: AbortSignal,
  report: (fleet: LoadedFleet) => void,
): Promise<void> {
  const { total } = first.pagination;
  const limit = Math.min(total, pageSize * MAX_PAGES);
  const pages = [first];
  for (let offset = pageSize; offset < limit; offset += pageSize) {
    const { response } = await requestJson<Page>(`${path}?offset=${offset}&limit=${pageSize}`, {}, signal);
    if (signal.aborted) return;
    if (response === undefined) break;
    pages.push(response.body);
  }
  report({
    machines: pages.flatMap(({ machines }) => machines),
    total,
    unreadable: pages.reduce((sum, { unreadable }) => sum + unreadable, 0),
    index: first.index,
    isComplete: pages.length * pageSize >= total,
  });
}
