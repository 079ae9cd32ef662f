/** Fleets with ratings as JSON and CSV: alt-chain machines are rated, and no machine is left out. */
import { afterEach, expect, test } from 'vitest';
import {
  eventLog,
  MAIN_MACHINE,
  NOW,
  openAltService,
  OPERATOR,
  revenueAt,
  UNREADABLE,
  type AltService,
} from '../../../../testing/harness/alt-chain.ts';
import { rule } from '../../../../test/conformance/rule.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

const DAY = 86_400;
const DAILY = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * DAY, 100_000));
const RATED = { log: eventLog(120), indexed: DAILY };
const FLEET = [{ main: MAIN_MACHINE }, RATED, { account: UNREADABLE }];

test('lists every machine with its rating record and subscription, and names those that cannot be read', async () => {
  rule('rated-fleet.complete');
  service = await openAltService({ machines: FLEET });
  const { status, headers, text } = await service.request(`/operator/${OPERATOR}/fleet`);
  expect([status, headers['chain-block']]).toEqual([200, '120340']);
  const body = JSON.parse(text);
  const records = await Promise.all(
    [1, 2].map(async (id) => JSON.parse((await service!.request(`/mcr/did:svc:${id}`)).text)),
  );
  expect(body.machines).toEqual(records.map((record) => ({ ...record, subscription: 'Active' })));
  expect(['NR', 'Provisioned']).not.toContain(body.machines[1].mcr);
  expect(body.machines[1].home_chain).toBe(5);
  expect(body.pagination).toEqual({ offset: 0, limit: 500, total: 3 });
  expect([body.unreadable, body.unreadable_machines]).toEqual([1, ['3']]);
});

test('exports one CSV line per machine, with unreadable ones marked', async () => {
  rule('rated-fleet.complete');
  service = await openAltService({ machines: FLEET });
  const { headers, text } = await service.request(`/operator/${OPERATOR}/fleet.csv`);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  const [head, first, second, third, end] = text.split('\r\n');
  expect(head!.split(',')).toHaveLength(14);
  expect(first).toBe('"1","did:svc:1",,Provisioned,0,,bonded,Active,no,0,0,insufficient,,yes');
  expect(second).toMatch(/^"2","did:svc:2",5,[AB]+,\d+,,bonded,Active,no,120,12000000,\w+,\d+,yes$/);
  expect(third).toBe('"3","did:svc:3",,,,,,,,,,,,no');
  expect(end).toBe('');
});

test.each([
  ['fleet', 501],
  ['fleet.csv', 10_001],
])('rejects a limit of %s above the maximum', async (path, limit) => {
  service = await openAltService({ machines: FLEET });
  expect((await service.request(`/operator/${OPERATOR}/${path}?limit=${limit}`)).status).toBe(422);
});
