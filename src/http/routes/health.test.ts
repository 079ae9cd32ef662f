import { expect, test } from 'vitest';
import { ALL_CONTRACTS_READY } from '../../../testing/fixtures/all-contracts-ready.ts';
import { conformanceOfApp } from '../../../testing/harness/openapi-conformance.ts';
import { createStubCtx, type StubCtx } from '../../../testing/fakes/stub-ctx.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { buildApp } from '../../app.ts';
import { createHealthChecks } from './health.ts';
import { Fault } from '../../domain/faults.ts';
import type { AltIndexStatus } from '../../ports/indexes.ts';
import type { AltChainPorts, MainChainPorts } from '../../ports/ctx.ts';
import type { MainChainReadiness } from '../../ports/main-chain.ts';

const NOW = 1_788_900_000_000;

interface Fixture {
  readonly readiness?: Partial<MainChainReadiness>;
  readonly index?: Awaited<ReturnType<MainChainPorts['index']['readMainChainIndex']>> | Error;
  /** Undefined: no alt chain is configured. */
  readonly altIndex?: AltIndexStatus | Error;
  /** Undefined: the server does not run Verify. */
  readonly verify?: { readonly isWritable: boolean; readonly now?: number; readonly isRefused?: boolean };
}

/** Requests `/ready` of a service with this main-chain readiness and checks the response against the OpenAPI document. */
async function requestReady(
  { readiness, index, altIndex, verify }: Fixture | { [K in keyof Fixture]?: never },
  isInitialised = true,
) {
  const main = {
    chain: { readReadiness: async () => ({ ...ALL_CONTRACTS_READY, ...readiness }) },
    index: {
      readMainChainIndex: async () => {
        if (index instanceof Error) throw index;
        return index ?? { indexedBlock: 120_340, headBlock: 120_342, headObservedAtMilliseconds: NOW - 11_900 };
      },
    },
  } as unknown as MainChainPorts;
  const readStatus = async () => {
    if (altIndex instanceof Error) throw altIndex;
    return altIndex;
  };
  const alt = altIndex && ({ index: { readStatus } } as unknown as AltChainPorts);
  const checkWritable = async () => {
    if (verify?.isWritable !== true) throw new Fault('StoreUnavailable', {});
  };
  const isChipRefused = verify?.isRefused === true;
  const ctx = createStubCtx({
    main: isInitialised ? main : undefined,
    alt,
    onboarding: isChipRefused ? undefined : verify && ({ onboardingTokens: [] } as unknown as StubCtx['onboarding']),
    isOnboardingRefused: isChipRefused,
    store: { checkWritable } as unknown as StubCtx['store'],
  });
  ctx.time.milliseconds = verify?.now ?? NOW;
  const app = await buildApp(ctx, { limiterMemoryBytes: 1_000 });
  const { statusCode: status, headers, body: text } = await app.inject('/ready');
  (await conformanceOfApp(app, ctx)).expectDocumented('GET', '/ready', {
    status,
    headers,
    text,
  });
  await app.close();
  return { status, text };
}

test('returns 200 for /health while the process runs', async () => {
  rule('health.alive');
  const app = await buildApp(createStubCtx(), { limiterMemoryBytes: 1_000 });
  const { statusCode, body, headers } = await app.inject('/health');
  expect([statusCode, body, headers['cache-control']]).toEqual([200, '{"status":"ok"}', 'no-store']);
  await app.close();
});

test('returns 200 for /ready without Verify', async () => {
  expect(await requestReady({})).toEqual({
    status: 200,
    text:
      '{"status":"ready","rpc_connected":true,"contracts":{"machine_registry":true,"machine_state_and_sync":true,' +
      '"machine_subscription":true,"event_registry":true,"admin_flags":true},"verify":null,"solana_indexer":null,' +
      '"operator_index":{"ready":true,"indexed_block":120340,"head_block":120342,"lag_blocks":2,"head_observed_age_seconds":11},"clock":"good"}',
  });
});

test('returns the /ready body of the specification when not initialised', async () => {
  expect(await requestReady({}, false)).toEqual({
    status: 503,
    text:
      '{"status":"not_ready","rpc_connected":false,"contracts":{"machine_registry":false,"machine_state_and_sync":false,' +
      '"machine_subscription":false,"event_registry":false,"admin_flags":false},"verify":false,"solana_indexer":null,' +
      '"operator_index":null}',
  });
});

test.each(Object.keys(ALL_CONTRACTS_READY))(
  'returns 503 when the check %s fails, with only that field false',
  async (name) => {
    rule('readiness.not-ready');
    const { status, text } = await requestReady({ readiness: { [name]: false } });
    const { status: word, rpc_connected, contracts } = JSON.parse(text);
    expect([status, word]).toEqual([503, 'not_ready']);
    const fields = Object.entries({ rpc_connected, ...contracts }).filter(([, value]) => value === false);
    expect(fields.map(([field]) => field)).toEqual([name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
  },
);

test('reports the index in /ready without affecting readiness', async () => {
  const behind = { indexedBlock: 1, headBlock: 500, headObservedAtMilliseconds: NOW };
  const stale = { indexedBlock: 500, headBlock: 500, headObservedAtMilliseconds: NOW - 601_000 };
  const nothing = { indexedBlock: undefined, headBlock: undefined, headObservedAtMilliseconds: undefined };
  const responses = await Promise.all(
    [behind, stale, nothing, new Fault('StoreUnavailable', {})].map((index) => requestReady({ index })),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const none = { indexed_block: null, head_block: null, lag_blocks: null, head_observed_age_seconds: null };
  expect(responses.map(({ text }) => JSON.parse(text).operator_index)).toEqual([
    { ready: false, indexed_block: 1, head_block: 500, lag_blocks: 499, head_observed_age_seconds: 0 },
    { ready: false, indexed_block: 500, head_block: 500, lag_blocks: 0, head_observed_age_seconds: 601 },
    { ready: false, ...none },
    { ready: false, ...none },
  ]);
});

const ALT_WELL: AltIndexStatus = {
  isReady: true,
  slot: 301_200_450,
  observedAtMilliseconds: NOW - 9_900,
  progress: undefined,
};

test('reports the alt-chain index in /ready', async () => {
  rule('readiness.alt-indexer');
  expect(await requestReady({ altIndex: ALT_WELL })).toEqual({
    status: 200,
    text:
      '{"status":"ready","rpc_connected":true,"contracts":{"machine_registry":true,"machine_state_and_sync":true,' +
      '"machine_subscription":true,"event_registry":true,"admin_flags":true},"verify":null,' +
      '"solana_indexer":{"ready":true,"slot":301200450,"age_seconds":9},' +
      '"operator_index":{"ready":true,"indexed_block":120340,"head_block":120342,"lag_blocks":2,"head_observed_age_seconds":11},"clock":"good"}',
  });
});

test.each([
  ['is behind', { ...ALT_WELL, isReady: false }, { ready: false, slot: 301_200_450, age_seconds: 9 }],
  [
    'was observed ten poll intervals ago',
    { ...ALT_WELL, observedAtMilliseconds: NOW - 600_000 },
    { ready: true, slot: 301_200_450, age_seconds: 600 },
  ],
  [
    'was not observed for longer',
    { ...ALT_WELL, observedAtMilliseconds: NOW - 601_000 },
    { ready: false, slot: 301_200_450, age_seconds: 601 },
  ],
  [
    'was observed in the future of a clock that was set back',
    { ...ALT_WELL, observedAtMilliseconds: NOW + 60_001 },
    { ready: false, slot: 301_200_450, age_seconds: null },
  ],
  [
    'was never observed',
    { isReady: false, slot: undefined, observedAtMilliseconds: undefined, progress: undefined },
    { ready: false, slot: null, age_seconds: null },
  ],
  ['cannot be read', new Fault('StoreUnavailable', {}), { ready: false, slot: null, age_seconds: null }],
])('stays ready when the alt-chain index %s', async (_name, altIndex, entry) => {
  const { status, text } = await requestReady({ altIndex });
  expect([status, JSON.parse(text).solana_indexer]).toEqual([200, entry]);
});

test('reports no index in /ready when not initialised', async () => {
  expect(JSON.parse((await requestReady({ altIndex: ALT_WELL }, false)).text).solana_indexer).toBe(null);
});

test.each<[name: string, verify: NonNullable<Fixture['verify']>, status: number]>([
  ['is ready with a writable store and a clock', { isWritable: true }, 200],
  ['is not ready without the store', { isWritable: false }, 503],
  ['is not ready without a clock', { isWritable: true, now: 0 }, 503],
  ['is not ready with certificate files that are not the pinned ones', { isWritable: true, isRefused: true }, 503],
])('reports that Verify %s', async (_name, verify, expected) => {
  rule('readiness.verify');
  const { status, text } = await requestReady({ verify });
  const report = JSON.parse(text) as object;
  const isReady = expected === 200;
  expect([status, report]).toMatchObject([expected, { status: isReady ? 'ready' : 'not_ready', verify: isReady }]);
});

test('reports a process that does not listen for callers as alive and not ready on the admin port', async () => {
  const main = {
    chain: { readReadiness: async () => ALL_CONTRACTS_READY },
    index: { readMainChainIndex: () => Promise.reject(new Fault('StoreUnavailable', {})) },
  } as unknown as MainChainPorts;
  let isListening = false;
  const checks = createHealthChecks(createStubCtx({ main }), () => isListening);
  const request = async (path: string) => {
    const { status, body } = await checks[path]!();
    return [status, (JSON.parse(body.text) as { status: string }).status];
  };
  expect([await request('/health'), await request('/ready')]).toEqual([
    [200, 'ok'],
    [503, 'not_ready'],
  ]);
  isListening = true;
  expect(await request('/ready')).toEqual([200, 'ready']);
});
