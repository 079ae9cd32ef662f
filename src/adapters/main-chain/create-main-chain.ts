/**
 * Factory of the main-chain adapter: wires nodes, multicall, caches and logs into `MainChain`, `HeadListener` and
 * `MainChainLog`. Sends no request before the first call.
 */
import { chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import type { Header, HeadListener, HeadStep, CachedMachine, MainChain, MainChainLog } from '../../ports/main-chain.ts';
import { REAL_STOPWATCH, startDeadline, type Deadline, type Stopwatch } from '../rpc/deadline.ts';
import type { PostRpc } from '../rpc/http-post.ts';
import { formatDeploymentProblem, type DeploymentProblem } from '../rpc/deployment-problem.ts';
import { checkDeployment } from './reads/deployment-checks.ts';
import { readDeploymentResults, toDeploymentFacts } from './reads/deployment.ts';
import { createMainNodes } from './rpc/main-nodes.ts';
import { readEventRange } from './reads/event-pages.ts';
import { createLegacyMachines } from './reads/legacy-machines.ts';
import { createHeaders } from './logs/headers.ts';
import { createDeploymentCache } from './cache/deployment-cache.ts';
import { createHeadTracker } from './cache/head-tracker.ts';
import { MAIN_CHAIN_LIMITS } from './limits.ts';
import { createMainChainLog } from './logs/logs.ts';
import { readMachineAt } from './reads/machine-reads.ts';
import { createMachineSnapshots } from './cache/machine-snapshots.ts';
import type { MainChainConfig } from './main-chain-config.ts';
import { createMulticall, MULTICALL3_ADDRESS, type Multicall } from './reads/multicall.ts';
import { createPiggybackRequests } from './rpc/piggyback-requests.ts';
import { createReadiness } from './reads/readiness.ts';
import { coalesceAfterCall } from './cache/coalesced-reads.ts';
import { createMainUpstreamCounters, type MainUpstreamCounters } from './rpc/upstream-counters.ts';

export interface MainChainAdapter {
  readonly chain: MainChain & HeadListener;
  readonly log: MainChainLog;
  /** The same log for callers that can wait some seconds: its requests travel with the next head poll. */
  readonly deferredLog: MainChainLog;
  readonly counters: Readonly<MainUpstreamCounters>;
  /** Returns every problem of the deployment; empty when there is none. */
  checkDeployment(): Promise<DeploymentProblem[]>;
  /** Makes deferred requests go out at once, so that the loops can stop. */
  drain(): void;
  /** Closes all connections; reads in flight fail. */
  close(): Promise<void>;
}

export interface MainChainDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Replaces HTTP and real time in simulations. */
  readonly post?: PostRpc | undefined;
  readonly stopwatch?: Stopwatch | undefined;
}

/** Page limit until the contract's own limit is known. */
const ASSUMED_PAGE_LIMIT = 100;

export function createMainChain(config: MainChainConfig, dependencies: MainChainDependencies): MainChainAdapter {
  const { clock, log, post, stopwatch } = dependencies;
  const { addresses, chainId } = config;
  const limits = { ...MAIN_CHAIN_LIMITS, ...config.limits };
  const counters = createMainUpstreamCounters();
  const nodes = createMainNodes({
    rpcUrls: config.rpcUrls,
    chainId,
    clock,
    log,
    limits,
    counters,
    post,
    stopwatch,
  });
  const headers = createHeaders(nodes, limits.maxBatchCalls);
  const address = addresses.multicall3 ?? MULTICALL3_ADDRESS;
  const multicall = createMulticall({ nodes, address, limits, counters });
  const piggyback = createPiggybackRequests({
    nodes,
    stopwatch: stopwatch ?? REAL_STOPWATCH,
    maxBatchCalls: limits.maxBatchCalls,
    requestTimeoutMilliseconds: limits.requestTimeoutMilliseconds,
  });
  const deferredNodes = { ...nodes, request: piggyback.request };
  const deferredMulticall = createMulticall({ nodes: deferredNodes, address, limits, counters });
  const startRead = () => startDeadline(limits.readTimeoutMilliseconds, limits.requestTimeoutMilliseconds, stopwatch);
  const startIndexRead = () =>
    startDeadline(limits.indexReadTimeoutMilliseconds, limits.indexRequestTimeoutMilliseconds, stopwatch);

  const deployment = createDeploymentCache({
    clock,
    maxAgeMilliseconds: limits.maxSnapshotAgeMilliseconds,
    isNewest: (block) => head.fresh()?.hash === block.hash,
    readFacts: readDeploymentFacts,
  });
  const snapshots = createMachineSnapshots({ clock, limits, counters, deployment: deployment.last });
  const head = createHeadTracker({
    headers,
    clock,
    maxAgeMilliseconds: limits.maxHeadAgeMilliseconds,
    onJump: invalidateAll,
  });

  async function readDeploymentFacts(block: Header, deadline: Deadline, by = multicall): Promise<DeploymentFacts> {
    return toDeploymentFacts(await readDeploymentResults(by, addresses, block, deadline), limits.maxEventPage);
  }

  function invalidateAll(): void {
    snapshots.dropAll();
    deployment.invalidate();
  }

  /** Returns the last known limit, whatever its age, because it is a constant of the contract. */
  async function readPageLimit(block: Header, deadline: Deadline): Promise<number> {
    return (deployment.last() ?? (await deployment.read(block, deadline))).maxQueryLimit;
  }

  async function readSnapshot(
    id: MachineId,
    firstEvents: boolean,
    offset: number,
    block: Header,
    deadline: Deadline,
    by: Multicall = multicall,
  ): Promise<MachineSnapshot> {
    // Facts that are not known yet are read in the same request.
    const pageLimit = readPageLimit(block, deadline);
    const limit = deployment.last()?.maxQueryLimit ?? ASSUMED_PAGE_LIMIT;
    const read = { id, block, pages: { offset, limit, firstEvents }, pageLimit, deadline };
    const [snapshot] = await Promise.all([readMachineAt(by, addresses, read), pageLimit]);
    return snapshot;
  }

  /**
   * Renews, together with the next head poll, what would expire before the step after the next. Readers then need no
   * request each, and the next step drops what its block touches.
   */
  function renewAging({ head: block, observedAtMilliseconds, waitMilliseconds }: HeadStep): void {
    const byMilliseconds = observedAtMilliseconds + 2 * waitMilliseconds + limits.maxHeadAgeMilliseconds;
    for (const { id, events, firstEvents } of snapshots.listAging(byMilliseconds, waitMilliseconds)) {
      const offset = events.state === 'present' ? events.value.offset : 0;
      snapshots.renew(id, () =>
        readSnapshot(id, firstEvents !== undefined, offset, block, startIndexRead(), deferredMulticall),
      );
    }
    deployment.renewAging(byMilliseconds, () => readDeploymentFacts(block, startIndexRead(), deferredMulticall));
  }

  /** Prefers the follower's head where it is newer than that of the node. */
  const readNewestBlock = coalesceAfterCall(async () => {
    const newest = await headers.read('latest', startRead());
    const followed = head.fresh();
    return followed !== undefined && followed.number > newest.number ? followed : newest;
  });
  const readMachineUncached = coalesceAfterCall(async (id: MachineId): Promise<CachedMachine> => {
    const block = await readNewestBlock('latest');
    const deadline = startRead();
    const pages = { offset: 0, limit: 1, firstEvents: false };
    const [snapshot, facts] = await Promise.all([
      readMachineAt(multicall, addresses, { id, block, pages, pageLimit: Promise.resolve(1), deadline }),
      readDeploymentFacts(block, deadline),
    ]);
    return { snapshot, deployment: facts };
  });

  const runChecks = () =>
    checkDeployment({
      config,
      nodes,
      headers,
      multicall: { ...multicall, useAggregate },
      maxBatchCalls: limits.maxBatchCalls,
      deadline: startRead(),
    });
  function useAggregate(exists: boolean): void {
    for (const each of [multicall, deferredMulticall]) each.useAggregate(exists);
  }

  const chain: MainChain & HeadListener = {
    chainId,
    machineRegistry: addresses.machineRegistry,
    legacy:
      addresses.legacy &&
      createLegacyMachines({ addresses: addresses.legacy, multicall, headers, head, clock, limits, startRead }),
    async readMachine(id, { eventsFrom, firstEvents }) {
      const deadline = startRead();
      const block = head.fresh() ?? (await head.read(deadline));
      return snapshots.get(id, firstEvents, block, async () =>
        readSnapshot(id, firstEvents, await eventsFrom(), block, deadline),
      );
    },
    readMachineUncached,
    getCached(id, firstEvents) {
      const block = head.fresh();
      const facts = deployment.fresh();
      if (block === undefined || facts === undefined) return undefined;
      const snapshot = snapshots.find(id, firstEvents, block);
      return snapshot && { snapshot, deployment: facts };
    },
    async readEvents(id, block, from, to) {
      const deadline = startRead();
      const pinned = await headers.readExactly(block, deadline);
      const range = { registry: addresses.eventRegistry, id, from, to };
      const records = await readEventRange(multicall, pinned, range, await readPageLimit(pinned, deadline), deadline);
      if (records.length !== to - from) throw chainUnreadable('main', 'events');
      return { offset: from, records };
    },
    async readDeployment() {
      const deadline = startRead();
      return deployment.read(head.fresh() ?? (await head.read(deadline)), deadline);
    },
    readReadiness: createReadiness({
      clock,
      addresses,
      ageMilliseconds: limits.readinessAgeMilliseconds,
      readHead: (deadline) => head.read(deadline),
      multicall,
      startRead,
    }),
    advanceHead(step: HeadStep) {
      head.advance(step);
      snapshots.advance(step);
      renewAging(step);
      if (step.touched === 'all' || step.deployment || step.checks) deployment.invalidate();
      if (step.checks) {
        runChecks().then(
          (problems) => {
            for (const problem of problems.map(formatDeploymentProblem)) {
              log.error({ chain: 'main', problem }, 'deployment check failed');
            }
          },
          () => log.error({ chain: 'main' }, 'deployment check could not run'),
        );
      }
    },
  };

  const forIndexers = {
    addresses,
    counters,
    startRead: startIndexRead,
    maxBatchCalls: limits.maxBatchCalls,
    readPageLimit,
  };
  return {
    chain,
    log: createMainChainLog({ ...forIndexers, nodes, headers, multicall, requestHead: piggyback.flushWith }),
    deferredLog: createMainChainLog({
      ...forIndexers,
      nodes: deferredNodes,
      headers: createHeaders(deferredNodes, limits.maxBatchCalls),
      multicall: deferredMulticall,
    }),
    counters,
    checkDeployment: runChecks,
    drain: piggyback.drain,
    close: () => nodes.close(),
  };
}
