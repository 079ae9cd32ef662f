/**
 * Simulated service: its adapters, indexers, store, actions and routes, wired as in `main.ts`, with virtual time and nodes,
 * a database whose process may die, and injected requests.
 */
import type { FastifyInstance } from 'fastify';
import { createMainChain, type MainChainAdapter } from '../../src/adapters/main-chain/create-main-chain.ts';
import { openStore } from '../../src/adapters/sql/create-store.ts';
import type { SqlDatabase } from '../../src/adapters/sql/engine/sql-program.ts';
import { createWorkScope } from '../../src/adapters/rpc/work-scope.ts';
import { createAltChain, type AltChainAdapter } from '../../src/adapters/alt-chain/create-alt-chain.ts';
import { createPaymentSources } from '../../src/adapters/payment-sources/create-payment-sources.ts';
import { buildApp } from '../../src/app.ts';
import { createSignatureChecks } from '../../src/domain/signatures/signature-checks.ts';
import { NATIVE_CURVES } from '../../src/domain/signatures/native-curves.ts';
import { nameLoop } from '../../src/composition/named-loop.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { createAltFleetWorker } from '../../src/indexing/alt/fleet-snapshot.ts';
import { createAltIndexers } from '../../src/indexing/alt/alt-indexers.ts';
import type { IndexProof } from '../../src/domain/index-rules/index-proof.ts';
import { createMainChainIndexers, type MainChainIndexers } from '../../src/indexing/main/main-chain-indexers.ts';
import { createPaymentScanner, type PaymentScanner } from '../../src/indexing/payments/payment-scanner.ts';
import { createPaymentWorker } from '../../src/indexing/payments/payment-worker.ts';
import { createPollLoop, type PollLoop } from '../../src/indexing/loops/poll-loop.ts';
import { createActionState } from '../../src/ports/action-state.ts';
import type { AltChainPorts, Ctx } from '../../src/ports/ctx.ts';
import type { Clock, Log, Timers, WorkScope } from '../../src/ports/runtime.ts';
import type { NodeProfiles } from '../../src/ports/node-profiles.ts';
import type { Store } from '../../src/ports/store.ts';
import { ALT_ORDINAL, FIRST_SLOT, GENESIS_HASH, PROGRAMS } from '../alt-chain/deployment.ts';
import type { AltNetwork } from '../alt-nodes/network.ts';
import { ADDRESSES, CHAIN_ID, FIRST_BLOCK } from '../chain/deployment.ts';
import type { MainNetwork } from '../nodes/network.ts';
import { configureSources, RATES } from '../payments/deployment.ts';
import type { PaymentNetwork } from '../payments/payment-network.ts';
import type { Trace } from '../trace.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { openForLife, type Life } from './database.ts';

export interface ServiceParts {
  readonly database: SqlDatabase;
  readonly network: MainNetwork;
  readonly hasAttestationRegistry: boolean;
  /** Undefined: no alt chain is configured. */
  readonly altNetwork: AltNetwork | undefined;
  /** Undefined: no payment source is configured. */
  readonly paymentNetwork: PaymentNetwork | undefined;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly pollIntervalSeconds: number;
  readonly headIntervalMilliseconds: number;
  /** Ceiling of calls per second to the main chain; undefined: learned. */
  readonly callsPerSecond: number | undefined;
  readonly life: Life;
  readonly indexProof: IndexProof;
  /** Draws the blocks of the proof's samples. */
  readonly randomBelow: (bound: number) => number;
  /** Wraps the store with a defect, to prove that the simulation detects it. */
  readonly alterStore?: ((store: Store) => Store) | undefined;
  /** Profiles of the nodes of the main chain, as an earlier process may have stored them. */
  readonly profiles?: NodeProfiles | undefined;
}

/** One process of the service, from its start to its death. */
export interface Service {
  readonly ctx: Ctx;
  readonly store: Store;
  readonly adapter: MainChainAdapter;
  readonly indexers: MainChainIndexers;
  readonly life: Life;
}

/** Calls per second to the payment source. */
const SOURCE_CALLS_PER_SECOND = 20;

export async function startService(parts: ServiceParts): Promise<Service> {
  const { network, time, trace, life } = parts;
  const opened = await openStore(openForLife(parts.database, life), () => undefined);
  const store = parts.alterStore?.(opened) ?? opened;
  const isAlive = () => !life.isOver;
  const clock = time.wallClock;
  const log = createTracedLog(trace, isAlive);
  const timers: Timers = {
    async wait(milliseconds, signal) {
      await time.wait(milliseconds, signal);
      // A dead process never resumes.
      if (!isAlive()) await new Promise(() => undefined);
    },
  };
  const workScope = createWorkScope();
  const wiring = { store, clock, timers, log, time, isAlive, workScope };
  const payments = parts.paymentNetwork && wirePayments(parts.paymentNetwork, parts, wiring);
  const adapter = createMainChain(
    {
      rpcUrls: network.rpcUrls,
      chainId: CHAIN_ID,
      addresses: parts.hasAttestationRegistry ? ADDRESSES : { ...ADDRESSES, attestationRegistry: undefined },
      callsPerSecond: parts.callsPerSecond,
    },
    { clock, log, workScope, post: network.createPost(isAlive), stopwatch: time, profiles: parts.profiles },
  );
  const indexers = createMainChainIndexers({
    chain: adapter.log,
    deferredChain: adapter.deferredLog,
    balances: adapter.chain,
    store,
    fxRates: RATES,
    clock,
    timers,
    log,
    workScope,
    deployment: {
      chainId: CHAIN_ID,
      startBlock: FIRST_BLOCK,
      machineRegistry: ADDRESSES.machineRegistry,
      crossChainMirror: ADDRESSES.crossChainMirror,
      eventRegistry: ADDRESSES.eventRegistry,
      legacyEventRegistry: undefined,
    },
    pollIntervalMilliseconds: parts.pollIntervalSeconds * 1000,
    headIntervalMilliseconds: parts.headIntervalMilliseconds,
    proof: parts.indexProof,
    random: parts.randomBelow,
    listeners: [adapter.chain],
    payments: payments?.scanner,
  });
  const alt = parts.altNetwork && wireAltChain(parts.altNetwork, parts.pollIntervalSeconds, wiring, payments?.scanner);
  const ctx: Ctx = {
    clock,
    monotonicClock: time,
    // Blocks of a scenario may be ahead of its clock, so the clock is not judged here.
    trustedClock: { judge: () => ({ state: 'good', milliseconds: clock.nowMilliseconds() }) },
    timers,
    log,
    actionState: createActionState(),
    namespace: DEFAULT_NAMESPACE,
    publicUrl: 'http://service',
    pollIntervalSeconds: parts.pollIntervalSeconds,
    store,
    fxRates: RATES,
    main: {
      chain: adapter.chain,
      eventTimes: indexers.eventTimes,
      index: indexers.index,
      indexHealth: indexers.health,
      counters: indexers.counters,
    },
    alt: alt?.ports,
    paymentSources: payments?.sources,
    bindings: undefined,
    onboarding: undefined,
    partnerData: undefined,
  };
  const start = (loop: PollLoop | undefined, kind: 'head' | 'index' | 'proof') =>
    loop && nameLoop(loop, { kind }, workScope).start();
  start(indexers.head, 'head');
  start(indexers.worker, 'index');
  start(indexers.prover, 'proof');
  start(payments?.loop, 'index');
  start(alt?.checks, 'head');
  for (const loop of alt?.workers ?? []) start(loop, 'index');
  return { ctx, store, adapter, indexers, life };
}

interface WiringParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly time: VirtualTime;
  readonly isAlive: () => boolean;
  readonly workScope: WorkScope;
}

function wirePayments(
  network: PaymentNetwork,
  { altNetwork, pollIntervalSeconds }: ServiceParts,
  { time, isAlive, ...common }: WiringParts,
) {
  const { sources } = createPaymentSources(configureSources(network.deployment, network.rpcUrls), {
    ...common,
    ...{ callsPerSecond: SOURCE_CALLS_PER_SECOND, post: network.createPost(isAlive), stopwatch: time },
  });
  const shared = { ...common, sources, namespace: DEFAULT_NAMESPACE, fxRates: RATES };
  const { loop } = createPaymentWorker({
    ...shared,
    monotonicClock: time,
    homes: altNetwork === undefined ? ['main'] : ['main', 'alt'],
    pollIntervalMilliseconds: pollIntervalSeconds * 1000,
  });
  const checks = createSignatureChecks(NATIVE_CURVES);
  const scanner = createPaymentScanner({
    ...{ ...shared, clock: time, checks, onSearched: loop.wake },
    yieldToEventLoop: () => Promise.resolve(),
  });
  return { sources, loop, scanner };
}

const ALT_CHECK_INTERVAL_MILLISECONDS = 600_000;

function wireAltChain(
  network: AltNetwork,
  pollIntervalSeconds: number,
  { time, isAlive, ...common }: WiringParts,
  payments: PaymentScanner | undefined,
): { readonly ports: AltChainPorts; readonly checks: PollLoop; readonly workers: readonly PollLoop[] } {
  const { rpcUrls } = network;
  const adapter = createAltChain(
    { rpcUrls, genesisHash: GENESIS_HASH, ordinal: ALT_ORDINAL, programs: PROGRAMS, binding: undefined },
    {
      ...{ ...common, post: network.createPost(isAlive), stopwatch: time, checksProgramAccounts: false },
      // Times of the main chain's blocks are not those of the alt chain in a scenario.
      headSeconds: () => time.nowMilliseconds() / 1000,
    },
  );
  const { chain, history } = adapter.machines!;
  const { eventRegistry, machineRegistry } = PROGRAMS;
  const indexers = createAltIndexers({
    ...common,
    monotonicClock: time,
    history,
    fxRates: RATES,
    payments,
    deployment: { genesisHash: GENESIS_HASH, eventRegistry, firstSlot: FIRST_SLOT },
    pollIntervalMilliseconds: pollIntervalSeconds * 1000,
  });
  const fleet = createAltFleetWorker({
    ...common,
    history,
    deployment: { genesisHash: GENESIS_HASH, machineRegistry },
    pollIntervalSeconds,
  });
  const checks = createCheckLoop(adapter, common);
  return { ports: { chain, index: indexers.index }, checks, workers: [indexers.worker, fleet.loop] };
}

function createCheckLoop(adapter: AltChainAdapter, common: Pick<WiringParts, 'clock' | 'timers' | 'log'>): PollLoop {
  return createPollLoop({
    ...common,
    name: 'alt-chain-checks',
    intervalMilliseconds: ALT_CHECK_INTERVAL_MILLISECONDS,
    firstBackoffMilliseconds: ALT_CHECK_INTERVAL_MILLISECONDS,
    maxBackoffMilliseconds: ALT_CHECK_INTERVAL_MILLISECONDS,
    step: async () => {
      await adapter.checkDeployment();
      return 'idle';
    },
  });
}

/** Creates a log that writes warnings and errors into the trace. */
function createTracedLog(trace: Trace, isAlive: () => boolean): Log {
  const write = (level: string) => (fields: object, message: string) => {
    if (isAlive()) trace.line(`  ${level}: ${message} ${JSON.stringify(fields)}`);
  };
  return { info: () => undefined, warn: write('warn'), error: write('ERROR') };
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Injects requests into the routes, which are built once and read the `Ctx` of the current process. */
export class InjectClient {
  readonly #app: FastifyInstance;
  #current: Ctx | undefined;

  private constructor(app: FastifyInstance) {
    this.#app = app;
  }

  static async open(): Promise<InjectClient> {
    const current = () => client.#current!;
    const ctx: Ctx = {
      clock: { nowMilliseconds: () => current().clock.nowMilliseconds() },
      monotonicClock: { nowMilliseconds: () => current().monotonicClock.nowMilliseconds() },
      trustedClock: { judge: (block) => current().trustedClock.judge(block) },
      // Deadlines of requests never expire: every read of the simulation ends by its own deadline.
      timers: { wait: () => new Promise(() => undefined) },
      log: {
        info: (fields, message) => current().log.info(fields, message),
        warn: (fields, message) => current().log.warn(fields, message),
        error: (fields, message) => current().log.error(fields, message),
      },
      get actionState() {
        return current().actionState;
      },
      namespace: DEFAULT_NAMESPACE,
      publicUrl: 'http://service',
      get pollIntervalSeconds() {
        return current().pollIntervalSeconds;
      },
      get store() {
        return current().store;
      },
      get fxRates() {
        return current().fxRates;
      },
      get main() {
        return current().main;
      },
      get alt() {
        return current().alt;
      },
      get paymentSources() {
        return current().paymentSources;
      },
      bindings: undefined,
      onboarding: undefined,
      partnerData: undefined,
    };
    const app = await buildApp(ctx, { rateLimits: 'off', logsRequests: false });
    const client = new InjectClient(app);
    return client;
  }

  serve(ctx: Ctx): void {
    this.#current = ctx;
  }

  async get(url: string): Promise<ServiceResponse> {
    const { statusCode, headers, body } = await this.#app.inject({ method: 'GET', url });
    return { status: statusCode, headers, body };
  }

  close(): Promise<void> {
    return this.#app.close();
  }
}
