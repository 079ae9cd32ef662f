/** When is an answer of the service fresh enough? Whole bodies, and the bounds. */
import { afterEach, expect, test } from 'vitest';
import { NOW, openAltService, type AltService, type AltServiceOptions } from '../../../../testing/harness/alt-chain.ts';
import type { AltIndexStatus } from '../../../ports/indexes.ts';
import { rule } from '../../../../test/conformance/rule.ts';

let scene: AltService | undefined;
afterEach(() => scene?.close());

/** The index of the main chain is two blocks behind a head that was read eleven seconds ago. */
async function open(altIndex?: Partial<AltIndexStatus>, options: AltServiceOptions = {}): Promise<AltService> {
  const status = { isReady: true, slot: 301_200_450, observedAtMilliseconds: NOW * 1000 - 5_000, ...altIndex };
  scene = await openAltService({ readStatus: async () => status, ...options });
  return scene;
}

const OPERATOR_INDEX =
  '"operator_index":{"ready":true,"indexed_block":120340,"head_block":120342,"lag_blocks":2,"head_observed_age_seconds":11}';
const body = (status: string, max: number, alt: string, operator = OPERATOR_INDEX) =>
  `{"status":"${status}","max_lag_blocks":${max},${operator},"solana_indexer":${alt}}`;
const ALT = '{"ready":true,"slot":301200450,"age_seconds":5}';

test('is 200 as long as both indexes are fresh, and nobody keeps it', async () => {
  await open();
  const { status, headers, text } = await scene!.request('/status');
  expect([status, headers['cache-control'], text]).toEqual([200, 'no-store', body('fresh', 100, ALT)]);
});

test('knows one index without an alt chain', async () => {
  await open({}, { hasAlt: false });
  const { status, text } = await scene!.request('/status');
  expect([status, text]).toEqual([200, body('fresh', 100, 'null')]);
});

test.each([
  [0, 503],
  [1, 503],
  [2, 200],
  [3, 200],
  [1_000_000, 200],
])('two blocks behind, where %i may be: %i', async (max, expected) => {
  rule('status.freshness');
  await open();
  const { status, text } = await scene!.request(`/status?max_lag_blocks=${max}`);
  expect([status, text]).toEqual([expected, body(expected === 200 ? 'fresh' : 'not_fresh', max, ALT)]);
});

test.each([
  ['is not whole', { isReady: false }, '{"ready":false,"slot":301200450,"age_seconds":5}'],
  [
    'was not seen for ten poll intervals',
    { observedAtMilliseconds: NOW * 1000 - 601_000 },
    '{"ready":false,"slot":301200450,"age_seconds":601}',
  ],
])('is 503 when the index of the alt chain %s', async (_name, status, alt) => {
  rule('status.freshness');
  await open(status);
  const answer = await scene!.request('/status');
  expect([answer.status, answer.text]).toEqual([503, body('not_fresh', 100, alt)]);
});

test('is 503 when the head was not read for ten poll intervals, however much lag is allowed', async () => {
  rule('status.freshness');
  await open({ observedAtMilliseconds: NOW * 1000 + 600_000 });
  scene!.ctx.time.milliseconds += 590_000;
  const { status, text } = await scene!.request('/status?max_lag_blocks=9007199254740991');
  expect([status, JSON.parse(text)]).toMatchObject([
    503,
    { status: 'not_fresh', operator_index: { ready: false, lag_blocks: 2, head_observed_age_seconds: 601 } },
  ]);
});

test('is 503 without a chain, and where the indexes cannot be read', async () => {
  await open({}, { ctx: { main: undefined, alt: undefined } });
  const { status, text } = await scene!.request('/status');
  expect([status, text]).toEqual([503, body('not_fresh', 100, 'null', '"operator_index":null')]);
  await scene!.close();
  scene = await openAltService();
  expect((await scene.request('/status')).text).toBe(
    body('not_fresh', 100, '{"ready":false,"slot":null,"age_seconds":null}'),
  );
});

test.each(['max_lag_blocks=-1', 'max_lag_blocks=', 'max_lag_blocks=1.5', 'max_lag_blocks=1&max_lag_blocks=2'])(
  'refuses ?%s with a 422 list',
  async (query) => {
    await open();
    expect((await scene!.request(`/status?${query}`)).status).toBe(422);
  },
);

test('is not there when additions are switched off', async () => {
  await open({}, { ctx: { additions: 'off' } });
  expect((await scene!.request('/status')).text).toBe('{"detail":"Not Found"}');
});
