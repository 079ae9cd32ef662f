import { expect, test } from 'vitest';
import { OpenapiConformance } from '../../../test/openapi-conformance.ts';
import { createStubCtx } from '../../../test/stub-ctx.ts';
import { buildApp } from '../../app.ts';
import { Fault } from '../../domain/faults.ts';
import type { MainChainPorts } from '../../ports/ctx.ts';
import type { MainChainReadiness } from '../../ports/main-chain.ts';

const ALL_WELL: MainChainReadiness = {
  rpcConnected: true,
  machineRegistry: true,
  machineStateAndSync: true,
  machineSubscription: true,
  eventRegistry: true,
  adminFlags: true,
};

const NOW = 1_788_900_000_000;

interface Scene {
  readonly readiness?: Partial<MainChainReadiness>;
  readonly index?: Awaited<ReturnType<MainChainPorts['index']['readMainChainIndex']>> | Error;
}

/** `/ready` of a service with a main chain that says so, held against the document. */
async function askReady({ readiness, index }: Scene | { [K in keyof Scene]?: never }, isInitialised = true) {
  const main = {
    chain: { readReadiness: async () => ({ ...ALL_WELL, ...readiness }) },
    index: {
      readMainChainIndex: async () => {
        if (index instanceof Error) throw index;
        return index ?? { indexedBlock: 120_340, headBlock: 120_342, headObservedAtMilliseconds: NOW - 11_900 };
      },
    },
  } as unknown as MainChainPorts;
  const ctx = createStubCtx({ main: isInitialised ? main : undefined });
  const app = await buildApp(ctx, { limiterMemoryBytes: 1_000 });
  const { statusCode: status, headers, body: text } = await app.inject('/ready');
  new OpenapiConformance((await app.inject('/openapi.json')).json()).expectDocumented('GET', '/ready', {
    status,
    headers,
    text,
  });
  await app.close();
  return { status, text };
}

test('/health is 200 while the process runs', async () => {
  const app = await buildApp(createStubCtx(), { limiterMemoryBytes: 1_000 });
  const { statusCode, body, headers } = await app.inject('/health');
  expect([statusCode, body, headers['cache-control']]).toEqual([200, '{"status":"ok"}', 'no-store']);
  await app.close();
});

test('/ready of a service that is ready and does not run Verify', async () => {
  expect(await askReady({})).toEqual({
    status: 200,
    text:
      '{"status":"ready","rpc_connected":true,"contracts":{"machine_registry":true,"machine_state_and_sync":true,' +
      '"machine_subscription":true,"event_registry":true,"admin_flags":true},"verify":null,"solana_indexer":null,' +
      '"operator_index":{"ready":true,"indexed_block":120340,"head_block":120342,"lag_blocks":2,"head_observed_age_seconds":11}}',
  });
});

test('/ready of a service that is not initialised, exactly as the specification prints it', async () => {
  expect(await askReady({}, false)).toEqual({
    status: 503,
    text:
      '{"status":"not_ready","rpc_connected":false,"contracts":{"machine_registry":false,"machine_state_and_sync":false,' +
      '"machine_subscription":false,"event_registry":false,"admin_flags":false},"verify":false,"solana_indexer":null,' +
      '"operator_index":null}',
  });
});

test.each(Object.keys(ALL_WELL))(
  'one failed check, %s, makes it not ready, and only that field is false',
  async (name) => {
    const { status, text } = await askReady({ readiness: { [name]: false } });
    const { status: word, rpc_connected, contracts } = JSON.parse(text);
    expect([status, word]).toEqual([503, 'not_ready']);
    const fields = Object.entries({ rpc_connected, ...contracts }).filter(([, value]) => value === false);
    expect(fields.map(([field]) => field)).toEqual([name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
  },
);

test('the index informs, it does not decide', async () => {
  const behind = { indexedBlock: 1, headBlock: 500, headObservedAtMilliseconds: NOW };
  const stale = { indexedBlock: 500, headBlock: 500, headObservedAtMilliseconds: NOW - 601_000 };
  const nothing = { indexedBlock: undefined, headBlock: undefined, headObservedAtMilliseconds: undefined };
  const answers = await Promise.all(
    [behind, stale, nothing, new Fault('StoreUnavailable', {})].map((index) => askReady({ index })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const none = { indexed_block: null, head_block: null, lag_blocks: null, head_observed_age_seconds: null };
  expect(answers.map(({ text }) => JSON.parse(text).operator_index)).toEqual([
    { ready: false, indexed_block: 1, head_block: 500, lag_blocks: 499, head_observed_age_seconds: 0 },
    { ready: false, indexed_block: 500, head_block: 500, lag_blocks: 0, head_observed_age_seconds: 601 },
    { ready: false, ...none },
    { ready: false, ...none },
  ]);
});
