/**
 * Opens the main chain for the configured contracts: its nodes, the index of finalized blocks (`indexing/main/main-chain-index.ts`)
 * and the head follower (`indexing/head/head-follower.ts`).
 */
import { randomInt } from 'node:crypto';
import { createMainChain, type MainChainAdapter } from '../adapters/main-chain/create-main-chain.ts';
import { createMainChainIndexers, type MainChainIndexers } from '../indexing/main/main-chain-indexers.ts';
import type { PaymentScanner } from '../indexing/payments/payment-scanner.ts';
import { refuseContradictions, refuseForeignRows } from './deployment-contradictions.ts';
import { toIndexedDeployment } from './indexed-deployment.ts';
import { nameLoop } from './named-loop.ts';
import { CLOCK, MONOTONIC_CLOCK, TIMERS } from './process-time.ts';
import { waitBriefly, type ServiceStart } from './startup.ts';

export interface MainChainParts {
  readonly adapter: MainChainAdapter;
  readonly indexers: MainChainIndexers;
}

/** Extra time for slow nodes; together with the other startup waits it stays below the limit of startup probes. */
const FOLLOWING_MILLISECONDS = 8_000;

/** Opens the main chain. Undefined: none is configured. Throws `StartRefused`. */
export async function openMainChain(
  start: ServiceStart,
  payments?: PaymentScanner,
): Promise<MainChainParts | undefined> {
  const { config, store, fxRates, log, shutdown } = start;
  if (config.mainChain === undefined) return undefined;
  const adapter = createMainChain(config.mainChain, {
    ...{ clock: CLOCK, log, workScope: start.workScope },
    profiles: start.nodeProfiles,
  });
  shutdown.add(() => adapter.close());
  const indexers = createMainChainIndexers({
    chain: adapter.log,
    deferredChain: adapter.deferredLog,
    balances: adapter.chain,
    store,
    fxRates,
    payments,
    clock: CLOCK,
    monotonicClock: MONOTONIC_CLOCK,
    timers: TIMERS,
    log,
    workScope: start.workScope,
    deployment: toIndexedDeployment(config.mainChain),
    proof: config.indexProof,
    random: (bound) => randomInt(bound),
    pollIntervalMilliseconds: config.pollIntervalSeconds * 1000,
    // The clock first: what the other listeners make readable is judged by it.
    listeners: [start.trustedClock, adapter.chain],
  });
  await refuseContradictions(adapter, start);
  await refuseForeignRows(indexers, 'other-deployment', start);
  const { head, worker, prover } = indexers;
  return {
    adapter,
    indexers: {
      ...indexers,
      head: nameLoop(head, { kind: 'head' }, start.workScope),
      worker: nameLoop(worker, { kind: 'index' }, start.workScope),
      prover: prover && nameLoop(prover, { kind: 'proof' }, start.workScope),
    },
  };
}

/**
 * Resolves when the head is followed, or when its node does not respond. Without this wait a service that reports ready
 * would at first reject whatever the index does not hold yet.
 */
export async function awaitHead({ adapter, indexers }: MainChainParts): Promise<void> {
  const following = indexers.following.then(() => true);
  if ((await waitBriefly(following)) === true) return;
  const readiness = await waitBriefly(adapter.chain.readReadiness());
  if (readiness?.rpcConnected !== true) return;
  await waitBriefly(following, FOLLOWING_MILLISECONDS);
}
