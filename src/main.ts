/** Composition root. Each part of the service is opened by its file in `composition/`, and `close` undoes all of it. */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { findUnloggedCauses } from './actions/health.ts';
import { getWatchReport } from './actions/watch-report.ts';
import { observeMachine, readFinalBlock } from './actions/observe-machine.ts';
import { createMcpEndpoint } from './adapters/mcp/mcp-endpoint.ts';
import { createPageSource } from './adapters/pages/page-source.ts';
import { findImageRenderer } from './adapters/png/image-renderer.ts';
import { createWorkScope } from './adapters/rpc/work-scope.ts';
import { createPartnerData } from './adapters/partner/partner-data.ts';
import { buildApp } from './app.ts';
import { formatBaseUrl, type Config, type ConfigReading } from './config.ts';
import type { MachineId } from './domain/identifiers/identifiers.ts';
import type { BlockId } from './domain/machine/machine-facts.ts';
import { createHealthChecks } from './http/routes/health.ts';
import { encodeJson } from './http/server/json-encoding.ts';
import { encodeWebhook, toWatchReport } from './http/wire/changes.ts';
import { describeToolOutput } from './http/schemas/tool-outputs.ts';
import { RequestMetrics } from './http/server/request-metrics.ts';
import type { MainChainIndexersReport } from './indexing/main/main-chain-indexers.ts';
import { createTrustedClock } from './indexing/head/trusted-clock.ts';
import { createActionState } from './ports/action-state.ts';
import type { Ctx } from './ports/ctx.ts';
import type { Log } from './ports/runtime.ts';
import { openAdmin } from './composition/admin.ts';
import { createCauseLog } from './composition/cause-log.ts';
import { createChanges } from './composition/changes.ts';
import { openAltChain } from './composition/alt-chain.ts';
import { closeListener, createShutdown, DRAIN_NOTICE_MILLISECONDS } from './composition/shutdown.ts';
import { createRates } from './composition/currency-rates.ts';
import { createPayments } from './composition/payments.ts';
import { openPaymentSources } from './composition/payment-sources.ts';
import { openDatabase, openReplica } from './composition/database.ts';
import { startLoops } from './composition/background-loops.ts';
import { awaitHead, openMainChain } from './composition/main-chain.ts';
import { createProfileLoop, readNodeProfiles } from './composition/node-profiles.ts';
import { openOnboarding } from './composition/onboarding.ts';
import { CLOCK, MONOTONIC_CLOCK, TIMERS } from './composition/process-time.ts';
import { openWebhooks } from './composition/webhooks.ts';
import { openStatements } from './composition/statements.ts';
import { openDistributedCounters } from './composition/distributed-counters.ts';
import { openTracing } from './composition/tracing.ts';

export interface Service {
  /** URL that the service listens on, without a trailing slash. */
  readonly url: string;
  readonly app: FastifyInstance;
  /**
   * Resolves when index and rating states have reached the finalized block for the first time; at once when another
   * process indexes.
   */
  readonly indexed: Promise<unknown>;
  close(): Promise<void>;
  /**
   * Closes after a short notice during which `/ready` fails and all other requests are served, so that load balancers
   * stop sending traffic.
   */
  drain(): Promise<void>;
  /** Reloads onboarding tokens and trust files for later requests, and the receivers of webhooks. Logs any problem, and applies nothing then. */
  reload(reading: ConfigReading): Promise<void>;
}

export interface ServiceOptions {
  readonly log: Log;
  /** Starts, not ready, even when the configuration contradicts the chain. */
  readonly isLenient?: boolean;
}

/** Levels at which request lines are logged; at any other they need not be built. */
const REQUEST_LOG_LEVELS: readonly string[] = ['info', 'debug', 'trace'];

/** Starts the service. Throws `StartRefused` when the configuration contradicts the chain, the database or a file. */
export async function startService(config: Config, { log, isLenient = false }: ServiceOptions): Promise<Service> {
  let isStopping = false;
  const shutdown = createShutdown();
  try {
    const tracing = await openTracing(config, shutdown);
    const opened = await openDatabase(config.database, shutdown);
    const { writes, failures: databaseFailures, reportFailure } = opened;
    const store = tracing?.traceStore(opened.store) ?? opened.store;
    const replica = await openReplica(config.databaseReadUrl, opened, log, shutdown);
    const trustedClock = createTrustedClock(CLOCK, MONOTONIC_CLOCK);
    const rates = await createRates(config, store, log, trustedClock);
    const { fxRates } = rates;
    const workScope = createWorkScope();
    const nodeProfiles = await readNodeProfiles(store, log);
    const sourcesAdapter = await openPaymentSources(config, log, shutdown, nodeProfiles);
    const { sources: paymentSources } = sourcesAdapter;
    const chainState = { paymentSources, nodeProfiles, trustedClock };
    const start = { config, log, isLenient, shutdown, store, fxRates, workScope, ...chainState };
    const payments = createPayments(start);
    const main = await openMainChain(start, payments?.scanner);
    const alt = main && (await openAltChain(start, payments?.scanner));
    const onboarding = await openOnboarding(start);
    const statements = await openStatements(start);
    const partnerData = config.partnerData === 'on' ? createPartnerData({ clock: MONOTONIC_CLOCK }) : undefined;
    if (partnerData !== undefined) shutdown.add(() => partnerData.close());
    const distributedCounters = await openDistributedCounters(config, log, shutdown);

    let isLeading = (): boolean => false;
    const ctx: Ctx = {
      process: {
        isStopping: () => isStopping,
        isRateLimitDistributed: () => distributedCounters?.isUp(),
        callBudgets: () => [
          ...(main === undefined ? [] : [{ chain: 'main' as const, ...main.adapter.budget.report() }]),
          ...(alt === undefined ? [] : [{ chain: 'alt' as const, ...alt.adapter.budget.report() }]),
        ],
        paymentSources: () => (isLeading() ? payments?.report() : undefined),
      },
      clock: CLOCK,
      monotonicClock: MONOTONIC_CLOCK,
      trustedClock,
      timers: TIMERS,
      log,
      actionState: createActionState(),
      workScope,
      namespace: config.namespace,
      blockExplorers: config.blockExplorers,
      publicUrl: config.publicUrl ?? formatBaseUrl(config.listen),
      pollIntervalSeconds: config.pollIntervalSeconds,
      store,
      readReplica: replica && (tracing?.traceStore(replica) ?? replica),
      fxRates,
      paymentSources,
      main: main && {
        chain: main.adapter.chain,
        eventTimes: main.indexers.eventTimes,
        index: main.indexers.index,
        indexHealth: main.indexers.health,
        counters: main.indexers.counters,
      },
      alt: alt?.ports,
      bindings: alt?.adapter.bindings,
      onboarding: onboarding.config,
      isOnboardingRefused: onboarding.isRefused,
      statements,
      partnerData,
      additions: config.additions,
      pages: createPageSource(),
      imageRenderer: findImageRenderer(),
      mcp: createMcpEndpoint(config.namespace, (response) => describeToolOutput(config.namespace, response)),
    };
    const http = new RequestMetrics();
    const app = await buildApp(ctx, {
      metrics: http,
      traceRequest: tracing?.traceRequest,
      distributedCounters,
      rateLimits: config.rateLimits,
      trustedProxies: config.trustedProxies,
      rateLimitIpv6Prefix: config.rateLimitIpv6Prefix,
      isHealthOnly: config.indexer === 'only',
      logsRequests: REQUEST_LOG_LEVELS.includes(config.log.level),
    });

    const profileLoop = createProfileLoop({
      ...{ store, log, shutdown },
      // A node of a chain may be the node of a source too: what the chain's reads learned about it counts.
      listProfiles: () =>
        new Map(
          [sourcesAdapter, main?.adapter, alt?.adapter].flatMap((adapter) => [...(adapter?.listProfiles() ?? [])]),
        ),
    });
    const isIndexing = config.indexer !== 'off';
    const caughtUp = Promise.all([main?.indexers.caughtUp, alt?.caughtUp]);
    const changeReads = {
      caughtUp,
      readFinalBlock: () => readFinalBlock(ctx),
      observe: (id: MachineId, block: BlockId) => observeMachine(ctx, id, block),
    };
    const webhooks = await openWebhooks(start, (change) => encodeWebhook(change, config.namespace));
    const changes = main === undefined || !isIndexing ? undefined : createChanges(start, changeReads);
    const loops = startLoops({
      ...{ config, log, shutdown, reportFailure },
      own: [
        rates.loop,
        ...onboarding.loops,
        main?.indexers.head,
        ...(alt?.loops ?? []),
        main && profileLoop,
        main && createCauseLog(log, () => findUnloggedCauses(ctx)),
      ].filter((loop) => loop !== undefined),
      workers:
        main === undefined || !isIndexing
          ? []
          : [
              main.indexers.worker,
              main.indexers.prover,
              ...(alt?.workers ?? []),
              payments?.worker,
              changes?.loop,
              webhooks?.worker.loop,
            ].filter((loop) => loop !== undefined),
      drain: () => main?.adapter.drain(),
    });
    isLeading = loops.isLeading;
    const upstreams = [
      ...sourcesAdapter.opened.map(({ source, counters, budget }) => ({
        ...{ chain: source.name, counters, budget: budget.report },
      })),
      ...(main === undefined
        ? []
        : [{ chain: 'main' as const, counters: main.adapter.counters, budget: main.adapter.budget.report }]),
      ...(alt === undefined
        ? []
        : [{ chain: 'alt' as const, counters: alt.adapter.counters, budget: alt.adapter.budget.report }]),
    ];
    const head = main && (() => main.indexers.report().head);
    // What a former leader found missing may have been repaired since.
    const reportIndex = (report: MainChainIndexersReport) =>
      isLeading() ? report : { ...report, missingEvents: undefined };
    const index = main && (() => reportIndex(main.indexers.report()));
    const counted = { http, upstreams, loops: loops.all, head, index, writes, databaseFailures, distributedCounters };
    const changeFeed = { changes: changes?.report, webhooks: webhooks?.worker.report, streams: () => http.streams() };
    const sources = { ctx, ...counted, changeFeed, isLeader: loops.isLeading };
    await openAdmin(
      config,
      sources,
      {
        ...createHealthChecks(ctx, () => app.server.listening),
        '/watch': async () => ({ status: 200, body: encodeJson(toWatchReport(await getWatchReport(ctx))) }),
      },
      shutdown,
    );
    if (main !== undefined) await awaitHead(main);
    await app.listen({ ...config.listen });
    shutdown.add(() => closeListener(app));

    const { port } = app.server.address() as AddressInfo;
    return {
      url: formatBaseUrl({ host: config.listen.host, port }),
      app,
      indexed: isIndexing ? caughtUp : Promise.resolve(),
      close: shutdown.closeAll,
      async drain() {
        isStopping = true;
        await delay(DRAIN_NOTICE_MILLISECONDS);
        await shutdown.closeAll();
      },
      async reload(reading) {
        await Promise.all([onboarding.reload(reading), webhooks?.reload(reading)]);
      },
    };
  } catch (error) {
    // The operator needs the error of the start, not of the cleanup.
    await shutdown.closeAll().catch(() => undefined);
    throw error;
  }
}
