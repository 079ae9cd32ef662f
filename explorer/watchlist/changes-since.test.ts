/** Tests the changes since the last visit: every page of the feed, and what the feed no longer holds. */
import { afterEach, expect, test, vi } from 'vitest';
import { rule } from '../../test/conformance/rule.ts';
import type { Change } from '../parts/wire.ts';
import { loadChangesSince, selectChanges } from './changes-since.ts';

afterEach(() => vi.unstubAllGlobals());

interface Feed {
  readonly newest: number;
  readonly oldest?: number;
  readonly pageSize?: number;
}

/** Serves a feed in which every change is of a chip; a change is its cursor. Returns the paths that are read. */
function stubFeed({ newest, oldest = 0, pageSize = 500 }: Feed): string[] {
  const paths: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    paths.push(path);
    const after = Number(new URL(path, 'http://x').searchParams.get('after') ?? oldest);
    const next = Math.min(after + pageSize, newest);
    const changes = Array.from({ length: next - after }, (_, index) => ({ cursor: after + index + 1, kind: 'chip' }));
    return Response.json({ changes, next, newest, oldest_after: oldest, opened_at: 1 });
  });
  return paths;
}

const cursorsSince = async (cursor: number | undefined) => {
  const since = await loadChangesSince(cursor);
  return since && [since.changes.map((change) => change.cursor), since.isComplete, since.newest];
};

test('reads every page after the cursor of the last visit', async () => {
  rule('pages.watchlist');
  const paths = stubFeed({ newest: 5, pageSize: 2 });
  expect(await cursorsSince(1)).toEqual([[2, 3, 4, 5], true, 5]);
  expect(paths.slice(1)).toEqual([1, 3].map((at) => `/changes?after=${at}&limit=500`));
});

test.each([
  ['that nothing is known before the first visit', undefined, [[], false, 5]],
  ['nothing when nothing was added', 5, [[], true, 5]],
  ['that the feed of another database is not the one of the last visit', 9, [[], false, 5]],
])('returns %s', async (_name, cursor, expected) => {
  stubFeed({ newest: 5 });
  expect(await cursorsSince(cursor)).toEqual(expected);
});

test('reports changes that are not stored any more, and more than it reads', async () => {
  stubFeed({ newest: 9, oldest: 7 });
  expect(await cursorsSince(3)).toEqual([[8, 9], false, 9]);
  const paths = stubFeed({ newest: 30, pageSize: 2 });
  expect((await loadChangesSince(0))?.isComplete).toBe(false);
  expect(paths).toHaveLength(11);
});

test('returns undefined where the feed cannot be read', async () => {
  vi.stubGlobal('fetch', async () => new Response('{"detail":"Not Found"}', { status: 404 }));
  expect(await loadChangesSince(3)).toBeUndefined();
});

const OPERATOR = `0x${'a1'.repeat(20)}`;
const OTHER = `0x${'b2'.repeat(20)}`;
const toChange = (parts: Partial<Change>): Change => ({
  ...{ cursor: 1, kind: 'rating', machine_id: '7', did: '', operator: OPERATOR, from: null, to: null, block: 1 },
  ...{ observed_at: 1, ...parts },
});
const kindsFor = (kind: 'machine' | 'operator', id: string, changes: readonly Change[]) =>
  selectChanges(changes, { kind, id }).map((change) => change.kind);
const ALL_KINDS = ['owner', 'operator', 'bond', 'flag', 'kyb', 'chip', 'opt-in', 'rating'] as const;
const ONE_OF_EACH = ALL_KINDS.map((kind) => toChange({ kind }));

test('shows every kind of change of the machines of a watched operator', () => {
  rule('pages.watchlist');
  expect(kindsFor('operator', OPERATOR, ONE_OF_EACH)).toEqual(ALL_KINDS);
  expect(kindsFor('operator', OTHER, ONE_OF_EACH)).toEqual([]);
});

test('leaves out of the changes of a watched machine what the page compares itself', () => {
  rule('pages.watchlist');
  expect(kindsFor('machine', '7', ONE_OF_EACH)).toEqual(['owner', 'operator', 'kyb', 'chip', 'opt-in']);
  expect(kindsFor('machine', '8', ONE_OF_EACH)).toEqual([]);
});

test('shows a change of operator for the operator before it and for the one after it, in any letter case', () => {
  const upper = OTHER.toUpperCase().replace('X', 'x');
  const change = toChange({ kind: 'operator', operator: upper, from: OPERATOR, to: upper });
  expect(kindsFor('operator', OPERATOR, [change])).toEqual(['operator']);
  expect(kindsFor('operator', OTHER, [change])).toEqual(['operator']);
  expect(kindsFor('operator', OPERATOR, [toChange({ kind: 'owner', operator: OTHER, from: OPERATOR })])).toEqual([]);
});
