/**
 * Readiness of the main chain for `/ready`: every contract is callable and belongs to the deployment (chain-evm 5.3).
 * The contracts are checked with the steps of the head follower, so that health checks cost no calls (real-chains 3).
 */
import type { Clock } from '../../../ports/runtime.ts';
import type { Header, HeadStep, MainChainReadiness } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import type { HeadTracker } from '../cache/head-tracker.ts';
import { checkPeer, readDeploymentResults, type DeploymentResults, type PeerName } from './deployment.ts';
import type { MainChainAddresses } from '../main-chain-config.ts';
import type { Multicall } from './multicall.ts';

/** A block further ahead of the clock means that one of the two is wrong. */
const MAX_AHEAD_SECONDS = 300;

/** Time between two checks while the head is followed. */
const CHECK_INTERVAL_MILLISECONDS = 5_000;
/** Maximum age of a check that is reported. */
const MAX_CHECK_AGE_MILLISECONDS = 60_000;

export interface ReadinessOptions {
  readonly clock: Clock;
  readonly addresses: MainChainAddresses;
  /** Minimum time between two checks on request. */
  readonly ageMilliseconds: number;
  readonly head: Pick<HeadTracker, 'fresh' | 'read'>;
  readonly multicall: Multicall;
  /** Its calls travel with the next head poll. */
  readonly deferredMulticall: Multicall;
  readonly startRead: () => Deadline;
  readonly startDeferredRead: () => Deadline;
}

export interface ContractReadiness {
  /**
   * Returns what the head follower knows, without a call. Checks on request only until it has reported its first step.
   * Never throws.
   */
  read(): Promise<MainChainReadiness>;
  /** Checks the contracts again when the last check is old or failed, or the step may change its result. */
  advance(step: HeadStep): void;
}

interface Check {
  /** Counts the checks: the clock may be set back between two of them. */
  readonly number: number;
  readonly atMilliseconds: number;
  readonly readiness: Promise<MainChainReadiness>;
  /** Undefined while it runs. */
  result: Outcome | undefined;
}

interface Outcome {
  readonly readiness: MainChainReadiness;
  /** False: the node did not respond, which says nothing about the contracts. */
  readonly isRead: boolean;
}

export function createReadiness(options: ReadinessOptions): ContractReadiness {
  const { clock, addresses, ageMilliseconds, head, multicall, deferredMulticall, startRead, startDeferredRead } =
    options;
  let last: Check | undefined;
  let settled: Check | undefined;
  let isFollowed = false;
  let started = 0;

  function start(read: () => Promise<Outcome>): Check {
    const outcome = read();
    const readiness = outcome.then((result) => result.readiness);
    const check: Check = { number: started++, atMilliseconds: clock.nowMilliseconds(), readiness, result: undefined };
    last = check;
    void outcome.then((result) => {
      check.result = result;
      const isNewest = settled === undefined || settled.number <= check.number;
      if (isNewest && (result.isRead || settled === undefined)) settled = check;
    });
    return check;
  }

  async function readOnRequest(): Promise<Outcome> {
    const deadline = startRead();
    const block = await head.read(deadline).catch(() => undefined);
    return block === undefined
      ? { readiness: toReadiness(false, undefined), isRead: false }
      : readAt(block, multicall, deadline);
  }

  async function readAt(block: Header, used: Multicall, deadline: Deadline): Promise<Outcome> {
    const results = await readDeploymentResults(used, addresses, block, deadline).catch(() => undefined);
    const isTimely = block.timestamp <= clock.nowMilliseconds() / 1000 + MAX_AHEAD_SECONDS;
    return { readiness: toReadiness(isTimely, results), isRead: results !== undefined };
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

  return {
    async read() {
      if (!isFollowed) {
        const isRecent = last !== undefined && isFresh(clock, last.atMilliseconds, ageMilliseconds);
        return (isRecent ? last! : start(readOnRequest)).readiness;
      }
      if (head.fresh() === undefined) return toReadiness(false, undefined);
      const check = settled ?? last!;
      return isFresh(clock, check.atMilliseconds, MAX_CHECK_AGE_MILLISECONDS)
        ? check.readiness
        : toReadiness(false, undefined);
    },
    advance({ head: block, touched, deployment, checks }) {
      isFollowed = true;
      const isChanged = touched === 'all' || deployment || checks;
      const isFailed = last?.result !== undefined && !Object.values(last.result.readiness).every(Boolean);
      if (last === undefined || isChanged || isFailed) start(() => readAt(block, multicall, startRead()));
      else if (!isFresh(clock, last.atMilliseconds, CHECK_INTERVAL_MILLISECONDS)) {
        start(() => readAt(block, deferredMulticall, startDeferredRead()));
      }
    },
  };
}
