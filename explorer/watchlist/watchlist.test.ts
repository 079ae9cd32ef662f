/** Tests the stored watchlist and its exported form. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rule } from '../../test/conformance/rule.ts';
import {
  isWatched,
  listWatched,
  mergeWatchlist,
  parseWatchlist,
  rememberSeen,
  saveWatched,
  setWatched,
} from './watchlist.ts';

const OPERATOR = `0x${'A1'.repeat(20)}`;
const MACHINE = { kind: 'machine', id: '7', seen: { rating: 'A 78' } } as const;

function stubStorage(setItem?: () => void): Map<string, string> {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: setItem ?? ((key: string, value: string) => stored.set(key, value)),
  });
  return stored;
}

beforeEach(() => {
  stubStorage();
  vi.stubGlobal('dispatchEvent', () => true);
});
afterEach(() => vi.unstubAllGlobals());

describe('parseWatchlist', () => {
  it('returns what an export contains', () => {
    rule('pages.watchlist');
    const items = [MACHINE, { kind: 'operator', id: OPERATOR.toLowerCase(), seen: {} }] as const;
    expect(parseWatchlist(JSON.stringify(items, null, 2))).toEqual(items);
  });

  it('leaves out what is no entry, and values that are no text', () => {
    const entries = [
      ...[
        null,
        7,
        'machine',
        {},
        { kind: 'machine', id: 7 },
        { kind: 'machine', id: '07' },
        { kind: 'machine', id: '0' },
      ],
      ...[
        { kind: 'operator', id: '0xa1' },
        { kind: 'wallet', id: '7' },
        { kind: 'machine', id: '9'.repeat(79) },
      ],
      { ...MACHINE, seen: { rating: 'A 78', bond: 3, flag: null } },
      { kind: 'machine', id: '8', seen: 'A 78' },
    ];
    expect(parseWatchlist(JSON.stringify(entries))).toEqual([MACHINE, { kind: 'machine', id: '8', seen: {} }]);
  });

  it('keeps the first of equal entries, in any letter case', () => {
    const entries = [
      { kind: 'operator', id: OPERATOR, seen: { machines: '1 machine' } },
      { kind: 'operator', id: OPERATOR.toLowerCase() },
    ];
    expect(parseWatchlist(JSON.stringify(entries))).toEqual([
      { kind: 'operator', id: OPERATOR.toLowerCase(), seen: { machines: '1 machine' } },
    ]);
  });

  it('returns at most 200 entries', () => {
    const entries = Array.from({ length: 300 }, (_, place) => ({ kind: 'machine', id: String(place + 1) }));
    expect(parseWatchlist(JSON.stringify(entries))).toHaveLength(200);
  });

  it('returns nothing for other JSON, and throws where the text is not JSON', () => {
    expect(parseWatchlist('{"kind":"machine","id":"7"}')).toEqual([]);
    expect(() => parseWatchlist('machine 7')).toThrow(SyntaxError);
  });
});

describe('the stored list', () => {
  it('adds and removes an entry, in any letter case', () => {
    expect(setWatched({ kind: 'operator', id: OPERATOR }, true)).toBe(true);
    expect(isWatched({ kind: 'operator', id: OPERATOR.toLowerCase() })).toBe(true);
    setWatched({ kind: 'operator', id: OPERATOR }, false);
    expect(listWatched()).toEqual([]);
  });

  it('stores the values that were shown for their entry', () => {
    saveWatched([MACHINE, { kind: 'machine', id: '8', seen: {} }]);
    rememberSeen({ kind: 'machine', id: '8' }, { rating: 'BB 50' });
    expect(listWatched()).toEqual([MACHINE, { kind: 'machine', id: '8', seen: { rating: 'BB 50' } }]);
  });

  it('adds the entries of a file after those that are stored, which keep their values', () => {
    saveWatched([MACHINE]);
    const file = JSON.stringify([
      { ...MACHINE, seen: { rating: 'B 31' } },
      { kind: 'machine', id: '8' },
    ]);
    expect(mergeWatchlist(file)).toBe(2);
    expect(listWatched()).toEqual([MACHINE, { kind: 'machine', id: '8', seen: {} }]);
  });

  it('is empty where the stored text is damaged', () => {
    stubStorage().set('watchlist', '[{');
    expect(listWatched()).toEqual([]);
  });

  it('reports that the browser blocks storage', () => {
    stubStorage(() => {
      throw new Error('blocked');
    });
    expect(setWatched(MACHINE, true)).toBe(false);
  });
});
