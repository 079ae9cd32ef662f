/**
 * Runs the service's main-chain index alone, in this process, against the database of `DATABASE_URL` and the chain that
 * `FLEET_CHAIN` describes as JSON. Prints one line of JSON when everything final is stored.
 */
import { createMainChain } from '../../src/adapters/main-chain/create-main-chain.ts';
import { createStore } from '../../src/adapters/sql/create-store.ts';
import { formatIndexIdentity } from '../../src/indexing/loops/index-identity.ts';
import { createIndexIntegrity } from '../../src/indexing/loops/index-integrity.ts';
import { createMainChainIndex } from '../../src/indexing/main/main-chain-index.ts';
import { createBlockReader } from '../../src/indexing/main/block-reader.ts';
import type { IndexProof } from '../../src/domain/index-rules/index-proof.ts';
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
/** `background`, the default of a deployment, unless the variable names another mode. */
const PROOF = (process.env['BENCH_INDEX_PROOF'] ?? 'background') as IndexProof;
const clock = { nowMilliseconds: () => Date.now() };
const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};
const store = await createStore(process.env['DATABASE_URL']!);
const adapter = createMainChain({ rpcUrls: [rpcUrl], chainId, addresses }, { clock, log });
const { machineRegistry, crossChainMirror, eventRegistry } = addresses;
const index = createMainChainIndex({
  chain: adapter.log,
  reader: createBlockReader(adapter.log, 'proven', PROOF === 'before'),
  store,
  proof: PROOF,
  integrity: createIndexIntegrity(log),
  clock,
  log,
  identity: formatIndexIdentity({
    chainId,
    startBlock,
    machineRegistry,
    crossChainMirror,
    eventRegistry,
    legacyEventRegistry: undefined,
  }),
  startBlock,
});
const began = performance.now();
while ((await index.advance(new AbortController().signal)).kind !== 'caught-up');
const milliseconds = performance.now() - began;
const { httpRequests, rpcCalls, contractCalls } = adapter.counters;
await adapter.close();
await store.close();
const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ milliseconds, httpRequests, rpcCalls, contractCalls, peakMegabytes } satisfies IndexRun));
