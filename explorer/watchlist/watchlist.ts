/** Watched machines and operators, stored in this browser only, with the last values that were shown. */

export interface WatchedEntry {
  readonly kind: 'machine' | 'operator';
  /** Machine id, or address in lower case. */
  readonly id: string;
}

/** Values at the last visit; empty until the first one. */
export type SeenValues = Readonly<Record<string, string>>;

export interface WatchedItem extends WatchedEntry {
  readonly seen: SeenValues;
}

const KEY = 'watchlist';
const MOST = 200;
const CHANGED = 'watchlistchange';

export function listWatched(): readonly WatchedItem[] {
  try {
    return parseWatchlist(localStorage.getItem(KEY) ?? '[]');
  } catch {
    return [];
  }
}

/** Parses an exported list; leaves out what is no entry. Throws SyntaxError where the text is not JSON. */
export function parseWatchlist(text: string): readonly WatchedItem[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return [];
  const items = value.flatMap((each: unknown) => toItem(each) ?? []);
  return items.filter((item, i) => items.findIndex((other) => isSame(item, other)) === i).slice(0, MOST);
}

/** Adds the entries of an exported list to the stored ones. Returns how many entries the file has; throws SyntaxError where it is not JSON. */
export function mergeWatchlist(text: string): number {
  const added = parseWatchlist(text);
  saveWatched(parseWatchlist(JSON.stringify([...listWatched(), ...added])));
  return added.length;
}

function toItem(value: unknown): WatchedItem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, id, seen } = value as Partial<Record<keyof WatchedItem, unknown>>;
  if (typeof id !== 'string') return undefined;
  const values = typeof seen === 'object' && seen !== null ? Object.entries(seen) : [];
  const texts = values.filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  if (kind === 'machine' && /^[1-9]\d{0,77}$/.test(id)) return { kind, id, seen: Object.fromEntries(texts) };
  if (kind === 'operator' && /^0x[0-9a-f]{40}$/i.test(id))
    return { kind, id: id.toLowerCase(), seen: Object.fromEntries(texts) };
  return undefined;
}

function isSame(a: WatchedEntry, b: WatchedEntry): boolean {
  return a.kind === b.kind && a.id.toLowerCase() === b.id.toLowerCase();
}

/** Returns false where the browser blocks storage. */
export function saveWatched(items: readonly WatchedItem[]): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(items.slice(0, MOST)));
  } catch {
    return false;
  }
  dispatchEvent(new Event(CHANGED));
  return true;
}

export function isWatched(entry: WatchedEntry): boolean {
  return listWatched().some((item) => isSame(item, entry));
}

/** Adds an entry, or removes it. */
export function setWatched(entry: WatchedEntry, isOn: boolean): boolean {
  const others = listWatched().filter((item) => !isSame(item, entry));
  return saveWatched(isOn ? [...others, { ...entry, id: entry.id.toLowerCase(), seen: {} }] : others);
}

/** Stores the values that are shown now. */
export function rememberSeen(entry: WatchedEntry, seen: SeenValues): void {
  saveWatched(listWatched().map((item) => (isSame(item, entry) ? { ...item, seen } : item)));
}

/** Calls `listen` after each change, in this tab and in others. Returns a function that stops it. */
export function onWatchlistChange(listen: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === KEY) listen();
  };
  addEventListener(CHANGED, listen);
  addEventListener('storage', onStorage);
  return () => {
    removeEventListener(CHANGED, listen);
    removeEventListener('storage', onStorage);
  };
}
