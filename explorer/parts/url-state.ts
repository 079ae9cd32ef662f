/** State of a page in the query of its URL, so that a link shows the same view. Changes replace the history entry. */
import { useCallback, useEffect, useState } from 'preact/hooks';

const CHANGED = 'urlstatechange';

/** Reports to the pages that the query of the URL has changed. */
export function reportUrlChange(): void {
  dispatchEvent(new Event(CHANGED));
}

export type UrlChanges = Readonly<Record<string, string | undefined>>;

/** Returns the parameters of the URL, and a function that changes some of them; undefined removes one. */
export function useUrlState(): readonly [URLSearchParams, (changes: UrlChanges) => void] {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const read = () => setSearch(location.search);
    addEventListener('popstate', read);
    addEventListener(CHANGED, read);
    return () => {
      removeEventListener('popstate', read);
      removeEventListener(CHANGED, read);
    };
  }, []);
  const change = useCallback((changes: UrlChanges) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    history.replaceState(history.state, '', location.pathname + (text === '' ? '' : `?${text}`) + location.hash);
    reportUrlChange();
  }, []);
  return [new URLSearchParams(search), change];
}
