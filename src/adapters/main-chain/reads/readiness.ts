/**
 * Readiness of the main chain for `/ready`: every contract is callable and belongs to the deployment (chain-evm 5.3).
 */
import type { Clock } from '../../../ports/runtime.ts';
import type { Header, MainChainReadiness } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { checkPeer, readDeploymentResults, type DeploymentResults, type PeerName } from './deployment.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import type { Multicall } from './multicall.ts';

/** A block further ahead of the clock means that one of the two is wrong. */
const MAX_AHEAD_SECONDS = 300;

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly addresses: MainChainAddresses;
  readonly ageMilliseconds: number;
  /** Throws `ChainUnreadable`. */
  readonly readHead: (deadline: Deadline) => Promise<Header>;
  readonly multicall: Multicall;
  readonly startRead: () => Deadline;
}

/**
 * Returns a check that runs at most once per `ageMilliseconds`, shared by concurrent callers. The check never throws.
 */
export function createReadiness(options: ReadinessOptions): () => Promise<MainChainReadiness> {
  const { clock, addresses, ageMilliseconds, readHead, multicall, startRead } = options;
  let last: { readonly atMilliseconds: number; readonly readiness: Promise<MainChainReadiness> } | undefined;

  async function readReadiness(): Promise<MainChainReadiness> {
    const deadline = startRead();
    const block = await readHead(deadline).catch(() => undefined);
    if (block === undefined) return toReadiness(false, undefined);
    const results = await readDeploymentResults(multicall, addresses, block, deadline).catch(() => undefined);
    const isTimely = block.timestamp <= clock.nowMilliseconds() / 1000 + MAX_AHEAD_SECONDS;
    return toReadiness(isTimely, results);
  }

  function toReadiness(rpcConnected: boolean, results: DeploymentResults | undefined): MainChainReadiness {
    const isSound = (name: PeerName) => results !== undefined && checkPeer(name, results, addresses) === undefined;
    return {
      rpcConnected,
      machineRegistry: isSound('machineRegistry'),
      machineStateAndSync: isSound('machineStateAndSync') && results?.generalPausedGlobal !== undefined,
      machineSubscription: isSound('machineSubscription'),
      eventRegistry: isSound('eventRegistry') && results?.totalEventCount !== undefined,
      // Without a configured contract there is nothing to fail, whatever the node does.
      adminFlags: addresses.adminFlags === undefined || results?.isFlagsCallDecoded === true,
    };
  }

  return () => {
    if (last === undefined || !isFresh(clock, last.atMilliseconds, ageMilliseconds)) {
      last = { atMilliseconds: clock.nowMilliseconds(), readiness: readReadiness() };
    }
    return last.readiness;
  };
}
