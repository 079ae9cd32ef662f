/** Status for monitors: whole bodies, and the limits of lag and age. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  MAIN_MACHINE,
  NOW,
  openAltService,
  UNREADABLE,
  type AltService,
  type AltServiceOptions,
  type MachineFixture,
} from '../../../../testing/harness/alt-chain.ts';
import { ALL_CONTRACTS_READY } from '../../../../testing/fixtures/all-contracts-ready.ts';
import { FakePaymentSource } from '../../../../testing/fakes/fake-payment-source.ts';
import type { ClockState } from '../../../domain/clock/clock-judgement.ts';
import { chainUnreadable, Fault } from '../../../domain/faults.ts';
import { findUnloggedCauses } from '../../../actions/health.ts';
import { explainCause } from '../../../domain/index-rules/index-cause.ts';
import type { HomeChain } from '../../../domain/rating/paid/claims.ts';
import type { AltWalkProgress, AltIndexStatus } from '../../../ports/indexes.ts';
import type { PaymentStore } from '../../../ports/payment-store.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

let service: AltService | undefined;
afterEach(() => service?.close());

/** A service whose main-chain index is two blocks behind a head read eleven seconds ago. */
async function open(altIndex?: Partial<AltIndexStatus>, options: AltServiceOptions = {}): Promise<AltService> {
  const status = {
    isReady: true,
    slot: 301_200_450,
    observedAtMilliseconds: NOW * 1000 - 5_000,
    progress: undefined,
    ...altIndex,
  };
  service = await openAltService({ readStatus: async () => status, ...options });
  return service;
}

const OPERATOR_INDEX =
  '"operator_index":{"ready":true,"indexed_block":120340,"head_block":120342,"lag_blocks":2,"head_observed_age_seconds":11}';
const body = (status: string, max: number, alt: string, operator = OPERATOR_INDEX, progress = 'null') =>
  `{"status":"${status}","max_lag_blocks":${max},${operator},"solana_indexer":${alt},"solana_index_progress":${progress},"causes":[]}`;
const listCauses = (text: string) =>
  (JSON.parse(text) as { causes: { cause: string }[] }).causes.map(({ cause }) => cause);
const ALT = '{"ready":true,"slot":301200450,"age_seconds":5}';

test('returns 200 with no-store while both indexes are up to date', async () => {
  await open();
  const { status, headers, text } = await service!.request('/status');
  expect([status, headers['cache-control'], text]).toEqual([200, 'no-store', body('fresh', 100, ALT)]);
});

test.each<[AltWalkProgress, string]>([
  [
    { phase: 'listing', appliedSlot: undefined, targetSlot: 9, listedDownToSlot: 4 },
    '{"phase":"listing","applied_slot":null,"target_slot":9,"listed_down_to_slot":4}',
  ],
  [
    { phase: 'applying', appliedSlot: 5, targetSlot: 9, listedDownToSlot: undefined },
    '{"phase":"applying","applied_slot":5,"target_slot":9,"listed_down_to_slot":null}',
  ],
])('reports the progress of the alt-chain index: %j', async (progress, expected) => {
  await open({ progress });
  const { text } = await service!.request('/status');
  expect(text).toBe(body('fresh', 100, ALT, OPERATOR_INDEX, expected));
});

test('reports one index without an alt chain', async () => {
  await open({}, { hasAlt: false });
  const { status, text } = await service!.request('/status');
  expect([status, text]).toEqual([200, body('fresh', 100, 'null')]);
});

test.each([
  [0, 503],
  [1, 503],
  [2, 200],
  [3, 200],
  [1_000_000, 200],
])('with a lag of two blocks and max_lag_blocks=%i returns %i', async (max, expected) => {
  rule('status.freshness');
  await open();
  const { status, text } = await service!.request(`/status?max_lag_blocks=${max}`);
  expect([status, text]).toEqual([expected, body(expected === 200 ? 'fresh' : 'not_fresh', max, ALT)]);
});

test.each([
  ['is incomplete', { isReady: false }, '{"ready":false,"slot":301200450,"age_seconds":5}'],
  [
    'was not seen for ten poll intervals',
    { observedAtMilliseconds: NOW * 1000 - 601_000 },
    '{"ready":false,"slot":301200450,"age_seconds":601}',
  ],
])('returns 503 when the index of the alt chain %s', async (_name, status, alt) => {
  rule('status.freshness');
  await open(status);
  const response = await service!.request('/status');
  expect([response.status, response.text]).toEqual([503, body('not_fresh', 100, alt)]);
});

test('returns 503 and shows the proof while ratings are refused, whatever the lag', async () => {
  await open();
  const { index } = service!.ctx.main!;
  const proof = {
    ...({ mode: 'background', isBackfilled: false, unprovenBlocks: 3, segmentCount: 1 } as const),
    segments: [{ fromBlock: 7, toBlock: 9, kind: 'sample' as const }],
  };
  const lagging = await index.readMainChainIndex();
  index.readMainChainIndex = async () => ({ ...lagging, servesRatings: false, proof });
  const { status, text } = await service!.request('/status');
  expect([status, JSON.parse(text)]).toMatchObject([
    503,
    {
      status: 'not_fresh',
      operator_index: {
        ready: false,
        lag_blocks: 2,
        proof: {
          ...{ mode: 'background', backfilled: false, unproven_blocks: 3, segment_count: 1 },
          segments: [{ from_block: 7, to_block: 9, kind: 'sample' }],
        },
      },
    },
  ]);
});

test.each([
  ['is missing', undefined],
  ['is older than ten poll intervals', { slot: 1, observedAtMilliseconds: NOW * 1000 - 601_000 }],
])(
  'returns 503 while operator listings answer 503 because the snapshot of the alt chain %s',
  async (_, observation) => {
    rule('status.freshness');
    await open({}, { listing: { observation } });
    const { status, text } = await service!.request('/status');
    expect([status, text]).toEqual([503, body('not_fresh', 100, ALT)]);
  },
);

test('stays fresh while a cause only slows the index, and still explains refused ratings beside it', async () => {
  await open();
  const { index } = service!.ctx.main!;
  Object.assign(service!.ctx.main!, {
    indexHealth: { listCauses: () => [explainCause({ kind: 'batches-missing' })] },
  });
  const read = async () => {
    const { status, text } = await service!.request('/status');
    const { causes } = JSON.parse(text) as { causes: { cause: string }[] };
    return [status, ...causes.map(({ cause }) => cause)];
  };
  expect(await read()).toEqual([200, 'batches-missing']);
  const current = await index.readMainChainIndex();
  index.readMainChainIndex = async () => ({ ...current, servesRatings: false });
  expect(await read()).toEqual([503, 'batches-missing', 'head-unconnected']);
});

test('names the unfinished first index, and no missing head, while owners or block times are still being read', async () => {
  await open();
  const { index } = service!.ctx.main!;
  const current = await index.readMainChainIndex();
  const proof = { mode: 'background', isBackfilled: false, unprovenBlocks: 0, segmentCount: 0, segments: [] } as const;
  index.readMainChainIndex = async () => ({ ...current, servesRatings: false, proof });
  const { status, text } = await service!.request('/status');
  expect([status, listCauses(text)]).toEqual([503, ['first-index-unfinished']]);
});

test('names what stops the indexes of both chains', async () => {
  await open();
  const [main, alt] = [explainCause({ kind: 'logs-refused' }), explainCause({ kind: 'alt-accounts-refused' })];
  Object.assign(service!.ctx.main!, { indexHealth: { listCauses: () => [main] } });
  Object.assign(service!.ctx.alt!, { indexHealth: { listCauses: () => [alt] } });
  const { causes } = JSON.parse((await service!.request('/status')).text) as { causes: { cause: string }[] };
  expect(causes.map(({ cause }) => cause)).toEqual(['logs-refused', 'alt-accounts-refused']);
});

test('logs the causes that no loop logs', async () => {
  await open();
  const { ctx } = service!;
  const { index } = ctx.main!;
  const current = await index.readMainChainIndex();
  Object.assign(ctx.main!, { indexHealth: { listCauses: () => [explainCause({ kind: 'batches-missing' })] } });
  index.readMainChainIndex = async () => ({ ...current, servesRatings: false });
  const found = await findUnloggedCauses(ctx);
  expect(found.map(({ kind }) => kind)).toEqual(['head-unconnected']);
});

test('returns 503 when the head was not read for ten poll intervals, at any accepted lag', async () => {
  rule('status.freshness');
  await open({ observedAtMilliseconds: NOW * 1000 + 600_000 });
  service!.ctx.time.milliseconds += 590_000;
  const { status, text } = await service!.request('/status?max_lag_blocks=9007199254740991');
  expect([status, JSON.parse(text)]).toMatchObject([
    503,
    { status: 'not_fresh', operator_index: { ready: false, lag_blocks: 2, head_observed_age_seconds: 601 } },
  ]);
});

test('reports the call budget of each chain', async () => {
  const used = { waiting: 3, refused: 7, isDayExhausted: true };
  const budgets = [
    { chain: 'main' as const, callsPerSecond: 24.5, ...used },
    { chain: 'alt' as const, callsPerSecond: undefined, ...used, isDayExhausted: false },
  ];
  const process = { isStopping: () => false, isRateLimitDistributed: () => undefined, callBudgets: () => budgets };
  await open({}, { ctx: { process } });
  const { status, text } = await service!.request('/status');
  const counts = { waiting_requests: 3, refused_reads: 7 };
  expect([status, (JSON.parse(text) as { call_budgets: unknown }).call_budgets]).toEqual([
    200,
    [
      { chain: 'main', calls_per_second: 24, ...counts, day_exhausted: true },
      { chain: 'solana', calls_per_second: null, ...counts, day_exhausted: false },
    ],
  ]);
});

test('reports the payment sources that this process follows', async () => {
  const paymentSources = () => [
    {
      ...{ name: 'eip155:8453', isUp: false, headAgeSeconds: 75, waitingMachines: 3 },
      ...{ postponedVerdicts: 7, lastFailure: 'transport' as const },
    },
    {
      ...{ name: 'eip155:1', isUp: undefined, headAgeSeconds: undefined, waitingMachines: 0, postponedVerdicts: 0 },
      lastFailure: undefined,
    },
  ];
  const process = { isStopping: () => false, isRateLimitDistributed: () => undefined, paymentSources };
  await open({}, { ctx: { process } });
  const { status, text } = await service!.request('/status');
  expect([status, (JSON.parse(text) as { payment_sources: unknown }).payment_sources]).toEqual([
    200,
    [
      {
        ...{ source: 'eip155:8453', up: false, head_age_seconds: 75, waiting_machines: 3 },
        last_failure: 'transport',
      },
      { source: 'eip155:1', up: null, head_age_seconds: null, waiting_machines: 0, last_failure: null },
    ],
  ]);
});

describe('the search of events for payments', () => {
  const paymentSources = { hash: 'ab'.repeat(32), list: [new FakePaymentSource()] };
  const through: Readonly<Record<HomeChain, number>> = { main: NOW - 75, alt: -1 };
  const readThrough = async (home: HomeChain) => through[home];
  const MAIN = { chain: 'main', searched_through: NOW - 75, age_seconds: 75 };
  const ALT_SEARCH = { chain: 'solana', searched_through: null, age_seconds: null };

  async function readSearches(
    options: AltServiceOptions = {},
    readScannedThrough: PaymentStore['readScannedThrough'] = readThrough,
  ) {
    await open({}, { ...options, ctx: { paymentSources, ...options.ctx } });
    Object.assign(service!.ctx.store, { readScannedThrough });
    const { status, text } = await service!.request('/status');
    return [status, (JSON.parse(text) as { payment_searches?: unknown }).payment_searches];
  }

  test('is reported with its time and age for each home chain, null before the first pass', async () => {
    expect(await readSearches()).toEqual([200, [MAIN, ALT_SEARCH]]);
  });

  test('is reported for the main chain alone without an alt chain', async () => {
    expect(await readSearches({ hasAlt: false })).toEqual([200, [MAIN]]);
  });

  test('is absent without payment sources, and when the store cannot be read', async () => {
    expect(await readSearches({ ctx: { paymentSources: { hash: null, list: [] } } })).toEqual([200, undefined]);
    await service!.close();
    const failing = () => Promise.reject(new Fault('StoreUnavailable', {}));
    expect(await readSearches({}, failing)).toEqual([200, undefined]);
  });
});

test('returns 503 without a chain and with unreadable indexes', async () => {
  await open({}, { ctx: { main: undefined, alt: undefined } });
  const { status, text } = await service!.request('/status');
  expect([status, text]).toEqual([503, body('not_fresh', 100, 'null', '"operator_index":null')]);
  await service!.close();
  service = await openAltService();
  expect((await service.request('/status')).text).toBe(
    body('not_fresh', 100, '{"ready":false,"slot":null,"age_seconds":null}'),
  );
});

test.each(['max_lag_blocks=-1', 'max_lag_blocks=', 'max_lag_blocks=1.5', 'max_lag_blocks=1&max_lag_blocks=2'])(
  'rejects ?%s with a 422 list',
  async (query) => {
    await open();
    expect((await service!.request(`/status?${query}`)).status).toBe(422);
  },
);

test('is not registered with additions off', async () => {
  await open({}, { ctx: { additions: 'off' } });
  expect((await service!.request('/status')).text).toBe('{"detail":"Not Found"}');
});

test('is not fresh, with a cause, while the blocks above a fresh index are unknown and rated machines answer 503', async () => {
  rule('status.freshness');
  await open();
  const { main } = service!.ctx;
  const reading = await main!.index.readMainChainIndex();
  main!.index.readMainChainIndex = async () => ({ ...reading, servesRatings: false });
  const { status, text } = await service!.request('/status');
  expect(status).toBe(503);
  const report = JSON.parse(text) as { operator_index: { ready: boolean }; causes: { cause: string }[] };
  expect(report.operator_index.ready).toBe(false);
  expect(report.causes.map(({ cause }) => cause)).toEqual(['head-unconnected']);
  const ready = JSON.parse((await service!.request('/ready')).text) as { operator_index: { ready: boolean } };
  expect(ready.operator_index.ready).toBe(false);
});

test.each(['machineRegistry', 'machineStateAndSync', 'eventRegistry', 'adminFlags'])(
  'is not fresh, with a cause, while a fresh index has no readable %s and rated machines answer 503',
  async (contract) => {
    rule('status.freshness');
    await open();
    Object.assign(service!.ctx.main!.chain, {
      readReadiness: async () => ({ ...ALL_CONTRACTS_READY, [contract]: false }),
    });
    const { status, text } = await service!.request('/status');
    const report = JSON.parse(text) as { status: string; causes: { cause: string }[] };
    expect([status, report.status]).toEqual([503, 'not_fresh']);
    expect(report.causes.map(({ cause }) => cause)).toEqual(['contracts-differ']);
  },
);

test('is not fresh, and names the node, while a fresh index has no readable contract at all', async () => {
  rule('status.freshness');
  await open();
  const contracts = { ...ALL_CONTRACTS_READY };
  for (const name of Object.keys(contracts)) Object.assign(contracts, { [name]: name === 'rpcConnected' });
  Object.assign(service!.ctx.main!.chain, { readReadiness: async () => contracts });
  const { status, text } = await service!.request('/status');
  const report = JSON.parse(text) as { causes: { cause: string }[] };
  expect(status).toBe(503);
  expect(report.causes.map(({ cause }) => cause)).toEqual(['state-missing']);
});

test.each<[ClockState, number, readonly string[]]>([
  ['good', 200, []],
  ['unconfirmed', 200, []],
  ['doubtful', 503, ['clock-unusable']],
  ['behind', 503, ['clock-unusable']],
])('agrees with ratings and /ready while the clock is %s', async (state, expected, causes) => {
  rule('status.freshness');
  await open({}, { machines: [{ main: MAIN_MACHINE }] });
  Object.assign(service!.ctx, { trustedClock: { judge: () => ({ state, milliseconds: NOW * 1000 }) } });
  const { status, text } = await service!.request('/status');
  expect([status, listCauses(text)]).toEqual([expected, causes]);
  expect((await service!.request('/mcr/did:svc:1')).status).toBe(expected);
  expect((await service!.request('/ready')).status).toBe(expected);
});

test.each([[[]], [['alt-other-deployment']], [['alt-node-behind']]] as const)(
  'is not fresh while the programs of the alt chain contradict the configuration, and names that once (causes: %j)',
  async (kinds) => {
    rule('status.freshness');
    await open();
    let isContradicted = true;
    Object.assign(service!.ctx.alt!, {
      isContradicted: () => isContradicted,
      indexHealth: { listCauses: () => kinds.map((kind) => explainCause({ kind })) },
    });
    const { status, text } = await service!.request('/status');
    expect([status, listCauses(text)]).toEqual([503, [...new Set(['alt-other-deployment', ...kinds])]]);
    isContradicted = false;
    expect((await service!.request('/status')).status).toBe(200);
  },
);

test('is not fresh, with the cause, while this process cannot read accounts of a fresh alt chain', async () => {
  rule('status.freshness');
  await open();
  let isReadable = false;
  Object.assign(service!.ctx.alt!, {
    isReadable: () => isReadable,
    indexHealth: { listCauses: () => (isReadable ? [] : [explainCause({ kind: 'alt-node-unreachable' })]) },
  });
  const { status, text } = await service!.request('/status');
  const { solana_indexer } = JSON.parse(text) as { solana_indexer: unknown };
  expect([status, solana_indexer, listCauses(text)]).toEqual([
    503,
    { ready: false, slot: 301_200_450, age_seconds: 5 },
    ['alt-node-unreachable'],
  ]);
  isReadable = true;
  expect((await service!.request('/status')).status).toBe(200);
});

test.each([true, false])(
  'is not fresh while the program of the bindings contradicts the configuration, and names that (alt chain: %s)',
  async (hasAlt) => {
    rule('status.freshness');
    let isContradicted = true;
    const readBinding = () => Promise.reject(chainUnreadable('alt', 'wrong-deployment'));
    await open({}, { hasAlt, ctx: { bindings: { readBinding, isContradicted: () => isContradicted } } });
    const { status, text } = await service!.request('/status');
    expect([status, listCauses(text)]).toEqual([503, ['alt-other-deployment']]);
    isContradicted = false;
    expect((await service!.request('/status')).status).toBe(200);
  },
);

describe('a machine that is refused for longer than ten seconds', () => {
  const CONTRADICTION = { ...MAIN_MACHINE, homeOrdinal: present(9) };

  /** Requests the machine twice, ten seconds apart, and returns both responses and `/status`. */
  async function refuse(options: AltServiceOptions, id = 1) {
    const monotonic = { milliseconds: 0 };
    await open({}, { ...options, ctx: { monotonicClock: { nowMilliseconds: () => monotonic.milliseconds } } });
    const request = async () => (await service!.request(`/mcr/did:svc:${id}`)).status;
    const first = await request();
    monotonic.milliseconds += 10_000;
    const second = await request();
    const { status, text } = await service!.request('/status');
    const ready = await service!.request('/ready');
    return [first, second, status, ...listCauses(text), ready.status];
  }

  test.each<[string, MachineFixture, string]>([
    ['events of the alt chain that are unreadable', { log: UNREADABLE }, 'alt-machines-refused'],
    ['an account of the alt chain that is unreadable', { account: UNREADABLE }, 'alt-machines-refused'],
    ['a token whose home is elsewhere', { main: CONTRADICTION }, 'machines-refused'],
    ['a home that is unreadable', { main: { ...MAIN_MACHINE, homeOrdinal: UNREADABLE } }, 'machines-refused'],
    [
      'an unreadable number of earlier events',
      { main: { ...MAIN_MACHINE, priorEventCount: UNREADABLE } },
      'machines-refused',
    ],
  ])('makes the status not fresh, and leaves /ready as it is: %s', async (_name, machine, cause) => {
    rule('status.freshness');
    expect(await refuse({ machines: [machine] })).toEqual([503, 503, 503, cause, 200]);
  });

  test.each<[string, MachineFixture, number]>([
    ['that the chains do not know', { main: { homeOrdinal: present(0) }, account: ABSENT }, 404],
    ['without a home whose owner is unreadable', { main: { owner: UNREADABLE, homeOrdinal: present(0) } }, 503],
    ['that is relocating', { main: { ...MAIN_MACHINE, relocating: present(true) } }, 503],
  ])('leaves the status fresh for an id %s', async (_name, machine, expected) => {
    expect(await refuse({ machines: [machine] })).toEqual([expected, expected, 200, 200]);
  });
});

test('names what stops the index, with the remedy', async () => {
  await open();
  const cause = explainCause({ kind: 'logs-refused' });
  Object.assign(service!.ctx.main!, { indexHealth: { listCauses: () => [cause] } });
  const { status, text } = await service!.request('/status');
  const { kind, ...texts } = cause;
  expect([status, (JSON.parse(text) as { causes: unknown }).causes]).toEqual([200, [{ cause: kind, ...texts }]]);
});
