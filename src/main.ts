/**
 * How do the parts become a service? The composition root: the only file that knows every adapter. Opens the database, wires ports,
 * listens, and starts the loops; `close` undoes all of it.
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createMainChain, type MainChainAdapter } from './adapters/evm/create-main-chain.ts';
import { isOfReach as isOfMainReach } from './adapters/evm/deployment-checks.ts';
import { createFeedRates, createFixedRates } from './adapters/fx/feed-rates.ts';
import { createFeedReader } from './adapters/fx/feed-source.ts';
import { readTokensFile } from './adapters/fx/tokens-file.ts';
import { createPageSource } from './adapters/pages/page-source.ts';
import { createPartnerData } from './adapters/partner/partner-data.ts';
import { createLeaderLock } from './adapters/sql/leader-lock.ts';
import { createStore } from './adapters/sql/create-store.ts';
import { isOfReach as isOfAltReach } from './adapters/svm/deployment-checks.ts';
import { createAltChain, type AltChainAdapter } from './adapters/svm/create-alt-chain.ts';
import { readTrustFiles } from './adapters/trust/trust-files.ts';
import { buildApp } from './app.ts';
import { formatBaseUrl, type Config, type ConfigReading } from './config.ts';
import { HttpTally } from './http/http-tally.ts';
import { createAltFleetWorker } from './indexers/alt-fleet-snapshot.ts';
import { createAltIndexers, type AltIndexers } from './indexers/alt-indexers.ts';
import { createLeaderLoop } from './indexers/leader-loop.ts';
import { createMainChainIndexers, type MainChainIndexers } from './indexers/main-chain-indexers.ts';
import { createPollLoop, type PollLoop } from './indexers/poll-loop.ts';
import type { ChipIntake } from './ports/chip-intake.ts';
import { startAdminListener } from './observe/admin-listener.ts';
import { countWrites } from './observe/counted-store.ts';
import { nowSeconds, type Clock } from './ports/clock.ts';
import type { AltChainPorts, Ctx } from './ports/ctx.ts';
import type { FxRates } from './ports/fx-rates.ts';
import type { Log } from './ports/log.ts';
import type { SharedCounts } from './ports/shared-counts.ts';
import type { Store } from './ports/store.ts';
import type { Timers } from './ports/timers.ts';
import { createReplaceableIntake, type ReplaceableIntake } from './wiring/replaceable-intake.ts';

export interface Service {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Resolves when the index and the folds have caught up with the finalized block for the first time; never where another process indexes. */
  readonly indexed: Promise<unknown>;
  close(): Promise<void>;
  /** Closes after a moment in which `/ready` says no and everything else is answered, so that balancers send nothing more. */
  drain(): Promise<void>;
  /** Takes over onboarding tokens and trust files, from the next request on; with any problem, which is logged, none of them. */
  reload(reading: ConfigReading): Promise<void>;
}

export interface ServiceOptions {
  readonly log: Log;
  /** Starts, not ready, even when the configuration contradicts the chain. */
  readonly isLenient?: boolean;
}

/** The configuration and the world disagree; one problem a line, each beginning with its variable. */
export class StartRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'StartRefused';
    this.problems = problems;
  }
}

/** At any other, the line of a request would be made for nothing. */
const REQUEST_LOG_LEVELS: readonly string[] = ['info', 'debug', 'trace'];
const FX_INTERVAL_MILLISECONDS = 60_000;
const NONCE_BYTES = 32;
const ALT_CHECK_INTERVAL_MILLISECONDS = 600_000;
const CHALLENGE_CLEANUP_INTERVAL_MILLISECONDS = 600_000;
/** How long a start waits for the world: nodes and feeds that are slower are waited for while serving. */
const START_PATIENCE_MILLISECONDS = 2_000;
/** The three of a stop: within 5 s all is closed. */
const NOTICE_MILLISECONDS = 1_500;
const ANSWERING_MILLISECONDS = 2_000;
const LOOP_END_MILLISECONDS = 800;

const clock: Clock = { nowMilliseconds: () => Date.now() };
const timers: Timers = {
  async wait(milliseconds, signal) {
    await delay(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};

/** Starts the service. Throws `StartRefused` when the configuration contradicts the chain, the database or a file. */
export async function startService(config: Config, { log, isLenient = false }: ServiceOptions): Promise<Service> {
  let isStopping = false;
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async () => {
    const failures: unknown[] = [];
    // One that fails leaves none of the others open.
    for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    const databaseFailures = new Map<string, number>();
    const reportFailure = (code: string) => databaseFailures.set(code, (databaseFailures.get(code) ?? 0) + 1);
    const { store, counts: writes } = countWrites(await createStore(config.database, { reportFailure }));
    closers.push(() => store.close());
    const { fxRates, loop: fxLoop } = await createRates(config, store, log);
    const main = config.mainChain === undefined ? undefined : wireMainChain(config, store, fxRates, log);
    if (main !== undefined) {
      closers.push(() => main.adapter.close());
      await checkContradictions(main.adapter.checkDeployment(), isLenient, log);
      if (!(await main.indexers.claimIndex()) && !isLenient) {
        throw new StartRefused(['DATABASE_URL: the database holds the index of another deployment']);
      }
    }
    const alt = main === undefined ? undefined : wireAltChain(config, store, fxRates, log);
    if (alt !== undefined) {
      closers.push(() => alt.adapter.close());
      await checkContradictions(alt.adapter.checkDeployment(), isLenient, log);
      if (alt.indexers !== undefined && !(await alt.indexers.claimIndex()) && !isLenient) {
        throw new StartRefused(['DATABASE_URL: the database holds the alt-chain index of another deployment']);
      }
    }
    const firstIntake = await createChipIntake(config);
    const replaceable = firstIntake && createReplaceableIntake(firstIntake);
    const chip = replaceable?.intake;
    const partnerData = config.partnerData === 'on' ? createPartnerData({ clock }) : undefined;
    if (partnerData !== undefined) closers.push(() => partnerData.close());

    const sharedCounts = await openSharedCounts(config, log);
    if (sharedCounts !== undefined) closers.push(() => sharedCounts.close());

    const ctx: Ctx = {
      standing: { isStopping: () => isStopping, countsTogether: () => sharedCounts?.isUp() },
      clock,
      log,
      namespace: config.namespace,
      publicUrl: config.publicUrl ?? formatBaseUrl(config.listen),
      pollIntervalSeconds: config.pollIntervalSeconds,
      store,
      fxRates,
      main: main && { chain: main.adapter.chain, eventTimes: main.indexers.eventTimes, index: main.indexers.index },
      alt: alt?.ports,
      bindings: alt?.adapter.bindings,
      chip,
      partnerData,
      additions: config.additions,
      pages: createPageSource(),
    };
    const tally = new HttpTally();
    const app = await buildApp(ctx, {
      tally,
      sharedCounts,
      rateLimits: config.rateLimits,
      trustedProxies: config.trustedProxies,
      rateLimitIpv6Prefix: config.rateLimitIpv6Prefix,
      isProbesOnly: config.indexer === 'only',
      logsRequests: REQUEST_LOG_LEVELS.includes(config.log.level),
    });
    const loops: PollLoop[] = [fxLoop];
    if (chip !== undefined) loops.push(createChallengeLoop(store, log));
    if (main !== undefined) loops.push(main.indexers.head);
    if (alt !== undefined) loops.push(createCheckLoop(alt.adapter, log));
    const workers =
      main === undefined || config.indexer === 'off' ? [] : [main.indexers.worker, ...(alt?.workers ?? [])];
    const lock = createLeaderLock(config.database, reportFailure);
    const leader = createLeaderLoop({ lock, workers, clock, timers, log });
    if (workers.length > 0) loops.push(leader.loop);
    closers.push(() => {
      main?.adapter.hurry();
      return waitBriefly(Promise.all([leader.resign(), ...loops.map((loop) => loop.stop())]));
    });
    for (const loop of loops) loop.start();

    if (config.admin !== undefined) {
      const upstreams = [
        ...(main === undefined ? [] : [{ chain: 'main' as const, counters: main.adapter.counters }]),
        ...(alt === undefined ? [] : [{ chain: 'alt' as const, counters: alt.adapter.counters }]),
      ];
      const counted = { http: tally, upstreams, loops: [...loops, ...workers], writes, databaseFailures, sharedCounts };
      const sources = { ctx, ...counted, isLeader: leader.isLeading };
      const admin = await startAdminListener(config.admin, sources).catch(refuseAdmin);
      closers.push(() => admin.close());
    }
    await app.listen({ ...config.listen });
    closers.push(() => closeListener(app));
    const { port } = app.server.address() as AddressInfo;
    return {
      url: formatBaseUrl({ host: config.listen.host, port }),
      app,
      indexed: config.indexer === 'off' ? Promise.resolve() : Promise.all([main?.indexers.caughtUp, alt?.caughtUp]),
      close: closeAll,
      async drain() {
        isStopping = true;
        await delay(NOTICE_MILLISECONDS);
        await closeAll();
      },
      reload: (reading) => reloadIntake(replaceable, reading, log),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function createRates(config: Config, store: Store, log: Log): Promise<{ fxRates: FxRates; loop: PollLoop }> {
  const { fxSource, tokensFile } = config;
  const reading = tokensFile === undefined ? { tokens: [] } : await readTokensFile(tokensFile, fxSource !== undefined);
  if (reading.problems !== undefined) throw new StartRefused(reading.problems);
  const fxRates =
    fxSource === undefined
      ? createFixedRates(reading.tokens)
      : await createFeedRates({ readFeed: createFeedReader(fxSource, fetch), tokens: reading.tokens, store, clock });
  await Promise.race([refreshRates(fxRates, log), delay(START_PATIENCE_MILLISECONDS, undefined, { ref: false })]);
  const loop = createPollLoop({
    name: 'fx-rates',
    intervalMilliseconds: FX_INTERVAL_MILLISECONDS,
    firstBackoffMilliseconds: FX_INTERVAL_MILLISECONDS,
    maxBackoffMilliseconds: FX_INTERVAL_MILLISECONDS,
    clock,
    timers,
    log,
    step: async () => {
      await refreshRates(fxRates, log);
      return 'idle';
    },
  });
  return { fxRates, loop };
}

async function reloadIntake(
  replaceable: ReplaceableIntake | undefined,
  { config, problems }: ConfigReading,
  log: Log,
): Promise<void> {
  const refused = [...problems];
  if ((config.verify === undefined) !== (replaceable === undefined)) {
    refused.push('ONBOARDING_TOKENS: onboarding begins and ends with a start of the service');
  }
  if (refused.length === 0) {
    try {
      const next = await createChipIntake(config);
      if (next !== undefined) replaceable?.replace(next);
      log.info({ tokens: next?.onboardingTokens.length ?? 0 }, 'onboarding tokens and trust files read again');
    } catch (error) {
      if (!(error instanceof StartRefused)) throw error;
      refused.push(...error.problems);
    }
  }
  for (const problem of refused) log.warn({ problem }, 'configuration not taken over');
}

/** Answers that are due are sent; who takes longer is cut off. */
async function closeListener(app: FastifyInstance): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), ANSWERING_MILLISECONDS);
  await app.close();
  clearTimeout(cutOff);
}

/** What does not end soon fails with the database and the connections that are closed next, and loses nothing by it. */
async function waitBriefly(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, delay(LOOP_END_MILLISECONDS, undefined, { ref: false })]);
}

/** Undefined: Verify's onboarding is off. Throws `StartRefused` for files that are not the pinned certificates. */
async function createChipIntake(config: Config): Promise<ChipIntake | undefined> {
  if (config.verify === undefined) return undefined;
  const { onboardingTokens, root, intermediate } = config.verify;
  const reading = await readTrustFiles({ root, intermediate });
  if (reading.problems !== undefined) throw new StartRefused(reading.problems);
  const { challengeLifetimeSeconds, keepEvidence: keepsEvidence } = config;
  const createNonce = () => randomBytes(NONCE_BYTES);
  return { trust: reading.trust, onboardingTokens, challengeLifetimeSeconds, keepsEvidence, createNonce };
}

/** Deletes what nobody needs any more (evidence 11). */
function createChallengeLoop(store: Store, log: Log): PollLoop {
  return createPollLoop({
    name: 'old-challenges',
    intervalMilliseconds: CHALLENGE_CLEANUP_INTERVAL_MILLISECONDS,
    firstBackoffMilliseconds: CHALLENGE_CLEANUP_INTERVAL_MILLISECONDS,
    maxBackoffMilliseconds: CHALLENGE_CLEANUP_INTERVAL_MILLISECONDS,
    clock,
    timers,
    log,
    step: async () => {
      await store.deleteOldChallenges(nowSeconds(clock));
      return 'idle';
    },
  });
}

/** Undefined: each process counts for itself, and the client of Redis is not loaded. */
async function openSharedCounts({ redisUrl }: Config, log: Log): Promise<SharedCounts | undefined> {
  if (redisUrl === undefined) return undefined;
  const { createSharedCounts } = await import('./adapters/redis/shared-counts.ts');
  return createSharedCounts(redisUrl, log);
}

async function refreshRates(fxRates: FxRates, log: Log): Promise<void> {
  const { kind, ...facts } = await fxRates.refresh();
  if (kind === 'refreshed') log.info(facts, 'currency rates refreshed');
  if (kind === 'failed') log.warn(facts, 'currency rates not refreshed');
}

interface MainChainWiring {
  readonly adapter: MainChainAdapter;
  readonly indexers: MainChainIndexers;
}

function wireMainChain(config: Config, store: Store, fxRates: FxRates, log: Log): MainChainWiring {
  const { chainId, startBlock, addresses, rpcUrls } = config.mainChain!;
  const adapter = createMainChain({ rpcUrls, chainId, addresses }, { clock, log });
  const indexers = createMainChainIndexers({
    chain: adapter.log,
    patientChain: adapter.patientLog,
    store,
    fxRates,
    clock,
    timers,
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
  return { adapter, indexers };
}

interface AltChainWiring {
  readonly adapter: AltChainAdapter;
  /** Undefined: only bindings are read. */
  readonly ports: AltChainPorts | undefined;
  readonly indexers: AltIndexers | undefined;
  readonly workers: readonly PollLoop[];
  /** Resolves when events and ownership are there for the first time. */
  readonly caughtUp: Promise<unknown>;
}

/** Undefined: no alt chain is configured. */
function wireAltChain(config: Config, store: Store, fxRates: FxRates, log: Log): AltChainWiring | undefined {
  const { altChain, pollIntervalSeconds } = config;
  if (altChain === undefined) return undefined;
  const adapter = createAltChain(altChain, { clock, log });
  const { machines } = adapter;
  if (machines === undefined || altChain.programs === undefined) {
    return { adapter, ports: undefined, indexers: undefined, workers: [], caughtUp: Promise.resolve() };
  }
  const { chain, history } = machines;
  const { genesisHash, firstSlot, programs } = altChain;
  const common = { history, store, clock, timers, log };
  const indexers = createAltIndexers({
    ...common,
    fxRates,
    deployment: { genesisHash, eventRegistry: programs.eventRegistry, firstSlot },
    pollIntervalMilliseconds: pollIntervalSeconds * 1000,
  });
  const { machineRegistry } = programs;
  const fleet = createAltFleetWorker({ ...common, deployment: { genesisHash, machineRegistry }, pollIntervalSeconds });
  return {
    adapter,
    ports: { chain, index: indexers.index },
    indexers,
    workers: [indexers.worker, fleet.loop],
    caughtUp: Promise.all([indexers.caughtUp, fleet.caughtUp]),
  };
}

/** Asks again, while serving, whether the alt chain is still the configured one (chain-svm 5). */
function createCheckLoop(adapter: AltChainAdapter, log: Log): PollLoop {
  return createPollLoop({
    name: 'alt-chain-checks',
    intervalMilliseconds: ALT_CHECK_INTERVAL_MILLISECONDS,
    firstBackoffMilliseconds: ALT_CHECK_INTERVAL_MILLISECONDS,
    maxBackoffMilliseconds: ALT_CHECK_INTERVAL_MILLISECONDS,
    clock,
    timers,
    log,
    step: async () => {
      for (const problem of await adapter.checkDeployment()) log.warn({ problem }, 'deployment check');
      return 'idle';
    },
  });
}

function refuseAdmin(error: unknown): never {
  const { code = 'UNKNOWN' } = error as { readonly code?: string };
  throw new StartRefused([`ADMIN_HOST, ADMIN_PORT: cannot listen there (${code})`]);
}

/** A chain that cannot be read yet contradicts nothing: the service starts and is not ready. */
async function checkContradictions(checks: Promise<readonly string[]>, isLenient: boolean, log: Log): Promise<void> {
  const patience = delay(START_PATIENCE_MILLISECONDS, undefined, { ref: false });
  const problems = (await Promise.race([checks, patience])) ?? [];
  for (const problem of problems) log.warn({ problem }, 'deployment check');
  const contradictions = problems.filter((problem) => !isOfMainReach(problem) && !isOfAltReach(problem));
  if (contradictions.length > 0 && !isLenient) throw new StartRefused(contradictions);
}
