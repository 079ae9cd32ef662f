/** Can every contract be called, and do they belong together? The chain's part of `/ready` (chain-evm 5.3). */
import type { Clock } from '../../ports/clock.ts';
import type { MainChainReadiness } from '../../ports/main-chain.ts';
import type { Header } from '../../ports/main-chain-log.ts';
import { judgePeer, type DeploymentAnswers, type PeerName } from './deployment.ts';
import type { MainChainAddresses } from './main-chain-config.ts';

/** A block this far ahead of the clock means that one of the two is wrong. */
const MAX_AHEAD_SECONDS = 300;

const NOT_READY: MainChainReadiness = {
  rpcConnected: false,
  machineRegistry: false,
  machineStateAndSync: false,
  machineSubscription: false,
  eventRegistry: false,
  adminFlags: false,
};

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly addresses: MainChainAddresses;
  readonly ageMilliseconds: number;
  /** Asks the chain. Throws `ChainUnreadable`. */
  readonly ask: () => Promise<{ readonly block: Header; readonly answers: DeploymentAnswers }>;
}

/** Asks at most once per `ageMilliseconds`; a question under way is shared. The returned function never throws. */
export function createReadiness({
  clock,
  addresses,
  ageMilliseconds,
  ask,
}: ReadinessOptions): () => Promise<MainChainReadiness> {
  let last: { readonly atMilliseconds: number; readonly answer: Promise<MainChainReadiness> } | undefined;

  async function readReadiness(): Promise<MainChainReadiness> {
    try {
      const { block, answers } = await ask();
      const isSound = (name: PeerName) => judgePeer(name, answers, addresses) === undefined;
      return {
        rpcConnected: block.timestamp <= clock.nowMilliseconds() / 1000 + MAX_AHEAD_SECONDS,
        machineRegistry: isSound('machineRegistry'),
        machineStateAndSync: isSound('machineStateAndSync') && answers.generalPausedGlobal !== undefined,
        machineSubscription: isSound('machineSubscription'),
        eventRegistry: isSound('eventRegistry') && answers.totalEventCount !== undefined,
        adminFlags: answers.adminFlagsAnswer,
      };
    } catch {
      return NOT_READY;
    }
  }

  return () => {
    const now = clock.nowMilliseconds();
    if (last === undefined || now - last.atMilliseconds >= ageMilliseconds) {
      last = { atMilliseconds: now, answer: readReadiness() };
    }
    return last.answer;
  };
}
