/**
 * Factory of the main-chain adapter: wires nodes, multicall, caches and logs into `MainChain`, `HeadListener` and
 * `MainChainLog`. Sends no request before the first call.
 */
import type { NodeProfiles } from '../../ports/node-profiles.ts';
import type { Clock, Log, WorkScope } from '../../ports/runtime.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { HeadListener, MainChain, MainChainLog } from '../../ports/main-chain.ts';
import { createCallBudget, type CallBudget, type CallPurpose } from '../rpc/call-budget.ts';
import {
  HEAD_WORK,
  INDEX_WORK,
  REAL_STOPWATCH,
  startDeadline,
  type Deadline,
  type Stopwatch,
  UNNAMED_CALLER,
} from '../rpc/deadline.ts';
import { createKnownKeys } from '../rpc/known-keys.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import { pauseWithin } from '../rpc/node-rate.ts';
import type { PostRpc } from '../rpc/http-post.ts';
import { formatDeploymentProblem, type DeploymentProblem } from '../rpc/deployment-problem.ts';
import { createDeploymentCache } from './cache/deployment-cache.ts';
import { createHeadTracker } from './cache/head-tracker.ts';
import { createTokenBalances } from './cache/token-balances.ts';
import { createMachineSnapshots } from './cache/machine-snapshots.ts';
import { createSnapshotRenewal } from './cache/snapshot-renewal.ts';
import { MAIN_CHAIN_LIMITS } from './limits.ts';
import { createHeaders } from './logs/headers.ts';
import { createMainChainLog } from './logs/logs.ts';
import type { MainChainConfig } from './main-chain-config.ts';
import { createMainChainReads } from './main-chain-reads.ts';
import { checkDeployment } from './reads/deployment-checks.ts';
import { readDeploymentFacts } from './reads/deployment.ts';
import { createLegacyMachines } from './reads/legacy-machines.ts';
import { createMulticall, MULTICALL3_ADDRESS } from './reads/multicall.ts';
import { createReadiness } from './reads/readiness.ts';
import { createSnapshotReader } from './reads/snapshot-reader.ts';
import { createUncachedReader } from './reads/uncached-reader.ts';
import { createAgreement, type Agreement, type AgreementOptions } from './rpc/agreement.ts';
import type { MainRpcCall, RpcResponse } from './rpc/json-rpc.ts';
import { createMainNodes, type MainNode, type MainNodes } from './rpc/main-nodes.ts';
import { createPiggybackRequests } from './rpc/piggyback-requests.ts';
import { createMainUpstreamCounters, type MainUpstreamCounters } from './rpc/upstream-counters.ts';

export interface MainChainAdapter {
  readonly chain: MainChain & HeadListener;
  readonly log: MainChainLog;
  /** The same log for callers that can wait some seconds: its requests travel with the next head poll. */
  readonly deferredLog: MainChainLog;
  readonly counters: Readonly<MainUpstreamCounters>;
  readonly budget: Pick<CallBudget, 'report'>;
  /** Returns every problem of the deployment; empty when there is none. */
  checkDeployment(): Promise<DeploymentProblem[]>;
  /** Makes deferred requests go out at once, so that the loops can stop. */
  drain(): void;
  /** Returns what was learned about each node, to be stored. */
  listProfiles(): NodeProfiles;
  /** Closes all connections; reads in flight fail. */
  close(): Promise<void>;
}

export interface MainChainDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Names what calls are made for; without it all reads are those of one caller, apart from the index. */
  readonly workScope?: WorkScope | undefined;
  /** Profiles of nodes that an earlier process stored. */
  readonly profiles?: NodeProfiles | undefined;
  /** Replaces HTTP and real time in simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

export function createMainChain(config: MainChainConfig, dependencies: MainChainDependencies): MainChainAdapter {
  const { clock, log, post, workScope, stopwatch = REAL_STOPWATCH } = dependencies;
  const { rpcUrls, addresses, chainId } = config;
  const limits = { ...MAIN_CHAIN_LIMITS, ...config.limits };
  const { maxEventPage, maxHeadAgeMilliseconds, requestTimeoutMilliseconds } = limits;
  const counters = createMainUpstreamCounters();
  const { callsPerSecond, callsPerDay } = config;
  const budget = createCallBudget({ clock, stopwatch, callsPerSecond, callsPerDay });
  const startCallerRead = (purpose: CallPurpose) =>
    startDeadline(limits.readTimeoutMilliseconds, requestTimeoutMilliseconds, stopwatch, purpose);
  const startRead = (isKnown = true) => startCallerRead({ work: workScope?.current() ?? UNNAMED_CALLER, isKnown });
  const startIndexRead = () => {
    const purpose = { work: workScope?.current() ?? INDEX_WORK, isKnown: true };
    return startDeadline(
      limits.indexReadTimeoutMilliseconds,
      limits.indexRequestTimeoutMilliseconds,
      stopwatch,
      purpose,
    );
  };

  const nodes = createMainNodes({
    ...{ rpcUrls, chainId, clock, log, limits, counters, budget, post, stopwatch },
    profiles: dependencies.profiles,
    needed: config.quorum,
  });
  const agreement = agreeOn(config, nodes, {
    counters,
    log,
    stopwatch,
    waitForRetry: (deadline) => pauseWithin(stopwatch, limits.retryDelayMilliseconds, deadline),
  });
  const piggyback = createPiggybackRequests({ nodes, stopwatch, requestTimeoutMilliseconds });
  /** Reads of state are put to the vote where several nodes must agree. */
  const toStateNodes = (ownNodes: MainNodes): MainNodes =>
    agreement === undefined ? ownNodes : { ...ownNodes, request: agreement.request };
  const createTransport = (ownNodes: MainNodes, turns?: CallBudget) => ({
    nodes: ownNodes,
    stateNodes: toStateNodes(ownNodes),
    headers: createHeaders(ownNodes, agreement),
    multicall: createMulticall({
      nodes: toStateNodes(ownNodes),
      address: addresses.multicall3 ?? MULTICALL3_ADDRESS,
      limits,
      counters,
      budget: turns,
      stopwatch,
    }),
  });
  const immediate = createTransport(nodes, budget);
  const deferred = createTransport({ ...nodes, request: piggyback.request });
  const { headers, multicall } = immediate;
  const factsOptions = { addresses, maxEventPage };

  const head = createHeadTracker({ headers, clock, maxAgeMilliseconds: maxHeadAgeMilliseconds });
  const deployment = createDeploymentCache({
    clock,
    maxAgeMilliseconds: limits.maxSnapshotAgeMilliseconds,
    isNewest: (block) => head.fresh()?.hash === block.hash,
    readFacts: (block, deadline) => readDeploymentFacts(multicall, factsOptions, block, deadline),
  });
  const snapshots = createMachineSnapshots({ clock, limits, counters, deployment: deployment.last });
  const balances = createTokenBalances(clock, limits.maxSnapshotAgeMilliseconds);
  head.onJump(() => {
    snapshots.dropAll();
    balances.dropAll();
    deployment.invalidate();
  });
  const known = createKnownKeys<MachineId>();
  const snapshotReader = createSnapshotReader(addresses, deployment);

  /** Whether a check has completed before the first step of the head follower, which need not repeat it. */
  let isChecked = false;
  let isFollowed = false;

  const runChecks = () =>
    checkDeployment({
      config,
      ...immediate,
      deadline: startCallerRead({ work: HEAD_WORK, isKnown: true }),
      onMulticall3() {
        multicall.useAggregate();
        deferred.multicall.useAggregate();
      },
    });

  const chain = createMainChainReads({
    chainId,
    addresses,
    legacy:
      addresses.legacy &&
      createLegacyMachines({ addresses: addresses.legacy, multicall, headers, head, clock, limits, startRead }),
    headers,
    multicall,
    head,
    deployment,
    snapshots,
    balances,
    snapshotReader,
    startRead,
    known,
    workScope,
    uncached: createUncachedReader({ ...factsOptions, headers, head, multicall, startRead, known }),
    readiness: createReadiness({
      clock,
      addresses,
      ageMilliseconds: limits.readinessAgeMilliseconds,
      head,
      multicall,
      deferredMulticall: deferred.multicall,
      startRead: () => startCallerRead({ work: HEAD_WORK, isKnown: true }),
      startDeferredRead: startIndexRead,
    }),
    renewAging: createSnapshotRenewal({
      maxHeadAgeMilliseconds,
      snapshots,
      deployment,
      snapshotReader,
      readFacts: (block, deadline) => readDeploymentFacts(deferred.multicall, factsOptions, block, deadline),
      multicall: deferred.multicall,
      startRead: startIndexRead,
    }),
    startChecks() {
      const isRepeated = isChecked && !isFollowed;
      isFollowed = true;
      if (!isRepeated) void logProblems(runChecks(), log);
    },
  });

  const { readPageLimit } = snapshotReader;
  const isMetered = () => budget.maxCalls !== Infinity;
  const shared = { addresses, counters, startRead: startIndexRead, readPageLimit, isMetered };
  const witnesses = groupByHost(nodes, config).map((members) => {
    const ofHost = {
      ...nodes,
      request: (calls, deadline) => requestFirst(members, calls, deadline),
      firstProfile: () => (members.find((each) => each.isAvailable()) ?? members[0]!).profile,
    } satisfies MainNodes;
    const own = createMainChainLog({ ...shared, ...createTransport(ofHost, budget), witnesses: [] });
    const { position, profile } = members[0]!;
    return { node: position, logLimits: profile.logLimits, readLogs: own.readLogs, readHeaders: own.readHeaders };
  });
  const indexing = { ...shared, witnesses, countHosts: agreement?.countHosts };
  return {
    chain,
    log: createMainChainLog({ ...indexing, ...immediate, requestHead: piggyback.flushWith }),
    deferredLog: createMainChainLog({ ...indexing, ...deferred }),
    counters,
    budget,
    async checkDeployment() {
      const problems = await runChecks();
      isChecked = problems.every(({ kind }) => kind !== 'unreadable');
      return problems;
    },
    drain: piggyback.drain,
    listProfiles: nodes.listProfiles,
    close: () => nodes.close(),
  };
}

/** Returns undefined when one node is enough. */
function agreeOn(
  { quorum = 1, rpcHosts = [] }: MainChainConfig,
  { members }: MainNodes,
  options: Omit<AgreementOptions, 'nodes' | 'quorum'>,
): Agreement | undefined {
  if (quorum === 1) return undefined;
  const nodes = members.map((node) => ({ ...node, host: rpcHosts[node.position]! }));
  return createAgreement({ ...options, nodes, quorum });
}

/** Groups nodes by host, because two nodes of one host are one opinion. Empty where there is one host. */
function groupByHost({ members }: MainNodes, { rpcUrls, rpcHosts }: MainChainConfig): (readonly MainNode[])[] {
  const hostOf = ({ position }: MainNode) => rpcHosts?.[position] ?? new URL(rpcUrls[position]!).host;
  const hosts = [...Map.groupBy(members, hostOf).values()];
  return hosts.length < 2 ? [] : hosts;
}

/** Sends the calls to the first of these nodes that can be read. Throws `RpcFailure`. */
async function requestFirst(
  [node, ...others]: readonly MainNode[],
  calls: readonly MainRpcCall[],
  deadline: Deadline,
): Promise<readonly RpcResponse[]> {
  try {
    return await node!.request(calls, deadline);
  } catch (error) {
    if (!(error instanceof RpcFailure) || others.length === 0) throw error;
    return requestFirst(others, calls, deadline);
  }
}

/** Logs the problems of a check that no caller waits for. */
async function logProblems(check: Promise<readonly DeploymentProblem[]>, log: Log): Promise<void> {
  try {
    for (const problem of (await check).map(formatDeploymentProblem)) {
      log.error({ chain: 'main', problem }, 'deployment check failed');
    }
  } catch {
    log.error({ chain: 'main' }, 'deployment check could not run');
  }
}
