/** Loads one page of the directory. The service may send it in several parts, because it examines a bounded number of machines for each. */
import { useEffect, useState } from 'preact/hooks';
import { requestJson, useQuery, type Query } from '../parts/queries.ts';
import type { Directory, DirectoryEntry } from '../parts/wire.ts';

const REFRESH_SECONDS = 60;
/** Parts that are loaded for one page. A rare selection then continues on request. */
const MAX_PARTS = 10;

export interface LoadedDirectory {
  readonly machines: readonly DirectoryEntry[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
  readonly first: Directory;
}

export interface DirectoryQuery {
  readonly first: Query<Directory>;
  /** Undefined until the page is complete. What was loaded stays while another page is. */
  readonly loaded: LoadedDirectory | undefined;
  readonly isLoading: boolean;
}

/** `query` is without `limit` and `after`. */
export function useDirectory(query: string, after: string | null, size: number): DirectoryQuery {
  const pathOf = (cursor: string | null, limit: number) =>
    `/directory?${query}&limit=${limit}${cursor === null ? '' : `&after=${cursor}`}`;
  const path = pathOf(after, size);
  const first = useQuery<Directory>(path, REFRESH_SECONDS);
  const [loaded, setLoaded] = useState<LoadedDirectory & { readonly path: string }>();
  const { response } = first;

  useEffect(() => {
    if (response === undefined) return undefined;
    const end = new AbortController();
    const load = async () => {
      let { machines, next } = response.body;
      for (let part = 1; next !== null && machines.length < size && part < MAX_PARTS; part++) {
        const more = await requestJson<Directory>(pathOf(next, size - machines.length), {}, end.signal);
        if (end.signal.aborted) return;
        if (more.response === undefined) break;
        machines = [...machines, ...more.response.body.machines];
        ({ next } = more.response.body);
      }
      setLoaded({ machines, next, first: response.body, path });
    };
    void load();
    return () => end.abort();
  }, [path, response]);

  return { first, loaded, isLoading: loaded?.path !== path };
}
