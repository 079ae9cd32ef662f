/** Can every contract be called, and do they belong together? The chain's part of `/ready` (chain-evm 5.3). */
import type { Clock } from '../../../ports/runtime.ts';
import type { Header, MainChainReadiness } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { judgePeer, readDeploymentAnswers, type DeploymentAnswers, type PeerName } from './deployment.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import type { Multicall } from './multicall.ts';

/** A block this far ahead of the clock means that one of the two is wrong. */
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

/** Asks at most once per `ageMilliseconds`; a question under way is shared. The returned function never throws. */
export function createReadiness(options: ReadinessOptions): () => Promise<MainChainReadiness> {
  const { clock, addresses, ageMilliseconds, readHead, multicall, startRead } = options;
  let last: { readonly atMilliseconds: number; readonly answer: Promise<MainChainReadiness> } | undefined;

  async function readReadiness(): Promise<MainChainReadiness> {
    const deadline = startRead();
    const block = await readHead(deadline).catch(() => undefined);
    if (block === undefined) return toReadiness(false, undefined);
    const answers = await readDeploymentAnswers(multicall, addresses, block, deadline).catch(() => undefined);
    const isTimely = block.timestamp <= clock.nowMilliseconds() / 1000 + MAX_AHEAD_SECONDS;
    return toReadiness(isTimely, answers);
  }

  function toReadiness(rpcConnected: boolean, answers: DeploymentAnswers | undefined): MainChainReadiness {
    const isSound = (name: PeerName) => answers !== undefined && judgePeer(name, answers, addresses) === undefined;
    return {
      rpcConnected,
      machineRegistry: isSound('machineRegistry'),
      machineStateAndSync: isSound('machineStateAndSync') && answers?.generalPausedGlobal !== undefined,
      machineSubscription: isSound('machineSubscription'),
      eventRegistry: isSound('eventRegistry') && answers?.totalEventCount !== undefined,
      // Where none is configured there is nothing that could fail, whatever the node does.
      adminFlags: addresses.adminFlags === undefined || answers?.adminFlagsAnswer === true,
    };
  }

  return () => {
    if (last === undefined || !isFresh(clock, last.atMilliseconds, ageMilliseconds)) {
      last = { atMilliseconds: clock.nowMilliseconds(), answer: readReadiness() };
    }
    return last.answer;
  };
}
