/**
 * How long does the service's own index take for a chain? Runs the worker alone, in this process, against the database of
 * `DATABASE_URL` and the chain that `FLEET_CHAIN` describes as JSON; prints one line of JSON when everything final is stored.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createMainChain } from '../../src/adapters/evm/create-main-chain.ts';
import { createFixedRates } from '../../src/adapters/fx/feed-rates.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { createMainChainIndexers } from '../../src/indexers/main-chain-indexers.ts';
import type { FleetChain } from './fleet-chain.ts';

export interface IndexRun {
  /** From the first request to the last stored row. */
  readonly milliseconds: number;
  readonly httpRequests: number;
  readonly rpcCalls: number;
  readonly contractCalls: number;
  readonly peakMegabytes: number;
}

const { rpcUrl, chainId, startBlock, addresses } = JSON.parse(process.env['FLEET_CHAIN']!) as FleetChain;
const clock = { nowMilliseconds: () => Date.now() };
const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};
const timers = {
  async wait(milliseconds: number, signal: AbortSignal) {
    await delay(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};

const store = await createStore(process.env['DATABASE_URL']!);
const adapter = createMainChain({ rpcUrls: [rpcUrl], chainId, addresses }, { clock, log });
const { machineRegistry, crossChainMirror, eventRegistry } = addresses;
const indexers = createMainChainIndexers({
  chain: adapter.log,
  store,
  fxRates: createFixedRates([]),
  clock,
  timers,
  log,
  deployment: { chainId, startBlock, machineRegistry, crossChainMirror, eventRegistry, legacyEventRegistry: undefined },
  pollIntervalMilliseconds: 60_000,
  listeners: [],
});
const began = performance.now();
indexers.worker.start();
await indexers.caughtUp;
const milliseconds = performance.now() - began;
await indexers.worker.stop();
const { httpRequests, rpcCalls, contractCalls } = adapter.counters;
await adapter.close();
await store.close();
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ milliseconds, httpRequests, rpcCalls, contractCalls, peakMegabytes } satisfies IndexRun));
