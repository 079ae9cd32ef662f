/** How is the main chain read and followed? Its nodes, the index of its past and the follower of its head, over the configured contracts. */
import { setTimeout as delay } from 'node:timers/promises';
import { createMainChain, type MainChainAdapter } from '../adapters/main-chain/create-main-chain.ts';
import { createMainChainIndexers, type MainChainIndexers } from '../indexing/main/main-chain-indexers.ts';
import { refuseContradictions, refuseForeignRows } from './deployment-contradictions.ts';
import { CLOCK, TIMERS } from './process-time.ts';
import { waitBriefly, type ServiceStart } from './startup.ts';

export interface MainChainParts {
  readonly adapter: MainChainAdapter;
  readonly indexers: MainChainIndexers;
}

/** For nodes that are slow; together with what a start waits for anyway, less than probes of a start allow. */
const FOLLOWING_MILLISECONDS = 8_000;

/** Undefined: no main chain is configured. Throws `StartRefused`. */
export async function openMainChain(start: ServiceStart): Promise<MainChainParts | undefined> {
  const { config, store, fxRates, log, shutdown } = start;
  if (config.mainChain === undefined) return undefined;
  const { chainId, startBlock, addresses, rpcUrls } = config.mainChain;
  const adapter = createMainChain({ rpcUrls, chainId, addresses }, { clock: CLOCK, log });
  shutdown.add(() => adapter.close());
  const indexers = createMainChainIndexers({
    chain: adapter.log,
    deferredChain: adapter.deferredLog,
    store,
    fxRates,
    clock: CLOCK,
    timers: TIMERS,
    log,
    deployment: {
      chainId,
      startBlock,
      machineRegistry: addresses.machineRegistry,
      crossChainMirror: addresses.crossChainMirror,
      eventRegistry: addresses.eventRegistry,
      legacyEventRegistry: addresses.legacy?.eventRegistry,
    },
    pollIntervalMilliseconds: config.pollIntervalSeconds * 1000,
    listeners: [adapter.chain],
  });
  await refuseContradictions(adapter, start);
  await refuseForeignRows(indexers, 'the index', start);
  return { adapter, indexers };
}

/**
 * Resolves when the head is followed, or the node that should tell it does not answer. Else a service that says it is ready would refuse at first whatever the index does
 * not hold yet.
 */
export async function awaitHead({ adapter, indexers }: MainChainParts): Promise<void> {
  const following = indexers.following.then(() => true);
  if ((await waitBriefly(following)) === true) return;
  const readiness = await waitBriefly(adapter.chain.readReadiness());
  if (readiness?.rpcConnected !== true) return;
  await Promise.race([following, delay(FOLLOWING_MILLISECONDS, undefined, { ref: false })]);
}
