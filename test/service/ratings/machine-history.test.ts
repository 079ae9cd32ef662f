/** Rating history and event list of machines on real chains (decisions 4). */
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const get = (path: string) => fetchChecked(baseUrl + path);

interface Point {
  readonly day: string;
  readonly mcr: string;
  readonly mcr_score: number;
  readonly revenue: number;
}

interface History {
  readonly complete: boolean;
  readonly revenue_before: number;
  readonly points: readonly Point[];
}

interface Page {
  readonly event_count: number;
  readonly events: readonly { readonly position: number }[];
  readonly next_cursor: number | null;
}

describe('GET /mcr/{did}/history', () => {
  it.each(['rated-aaa', 'rated-b', 'multi-currency', 'flagged', 'unbonded', 'dormant', 'many-events', 'alt-declared'])(
    'returns daily points of %s that end with its rating',
    async (name) => {
      rule('history.real-chains');
      const { did } = machineOf(name);
      const record = (await get(`/mcr/${did}`)).json<Point & { total_revenue: number }>();
      const history = (await get(`/mcr/${did}/history`)).json<History>();
      const { complete, points, revenue_before } = history;
      expect(complete).toBe(true);
      expect(points.at(-1)).toMatchObject({ mcr: record.mcr, mcr_score: record.mcr_score });
      expect(points.reduce((sum, { revenue }) => sum + revenue, revenue_before)).toBe(record.total_revenue);
      const first = Date.parse(points[0]!.day) / 86_400_000;
      expect(points.map(({ day }) => Date.parse(day) / 86_400_000)).toEqual(points.map((_, place) => first + place));
    },
  );

  it('starts at Provisioned and ends at AAA for a machine rated AAA', async () => {
    const { points } = (await get(`/mcr/${machineOf('rated-aaa').did}/history`)).json<History>();
    expect([points[0]!.mcr, points.at(-1)!.mcr]).toEqual(['Provisioned', 'AAA']);
  });
});

describe('GET /machines/{machine_id}/events', () => {
  it('returns every event of a machine once, in pages', async () => {
    const { id } = machineOf('visibility-onchain');
    const positions: number[] = [];
    let cursor: number | null | undefined;
    let count = 0;
    do {
      const query: string = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page: Page = (await get(`/machines/${id}/events?limit=3${query}`)).json<Page>();
      positions.push(...page.events.map(({ position }) => position));
      [cursor, count] = [page.next_cursor, page.event_count];
    } while (cursor !== null);
    expect(count).toBeGreaterThan(3);
    expect(positions).toEqual(Array.from({ length: count }, (_, place) => count - 1 - place));
  });

  it('returns 403 for a private machine', async () => {
    const response = await get(`/machines/${machineOf('visibility-private').id}/events`);
    expect([response.status, response.json()]).toEqual([403, { detail: 'Event data is private' }]);
  });
});
