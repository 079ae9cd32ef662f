/**
 * Indexers of the main chain. The worker indexes and folds finalized blocks and runs in one process only; the head
 * follower runs in every process that serves requests.
 */
import { MAX_LAG_BLOCKS } from '../../domain/index-rules/index-freshness.ts';
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { Clock, Log, Timers, WorkScope } from '../../ports/runtime.ts';
import type { EventTimes, IndexCounters, IndexHealth, IndexStatus } from '../../ports/indexes.ts';
import type { FxRates } from '../../ports/rates.ts';
import type { HeadListener, MainChain, MainChainLog } from '../../ports/main-chain.ts';
import type { Store } from '../../ports/store.ts';
import { createEventFolder } from '../rating/event-folder.ts';
import { createEventTotalCheck } from './event-total-check.ts';
import { createEventTimes } from './event-times.ts';
import { createHeadFollower, type HeadFollowerReport } from '../head/head-follower.ts';
import { formatIndexIdentity, formatOptionalContracts, type IndexedDeployment } from '../loops/index-identity.ts';
import { createIndexIntegrity, type IndexRefusal } from '../loops/index-integrity.ts';
import { createIndexCauses } from './index-causes.ts';
import { createIndexStatus } from './index-status.ts';
import { createIndexCounters } from './index-counters.ts';
import { createMainChainIndex } from './main-chain-index.ts';
import { createOwnershipReread } from './ownership-reread.ts';
import { createIndexRepair, type IndexRepairReport } from './index-repair.ts';
import { createPollLoop, type NextStep, type PollLoop, type StepOutcome } from '../loops/poll-loop.ts';
import { createBlockReader } from './block-reader.ts';
import { createBackgroundProver, type BackgroundProverReport } from './background-prover.ts';
import { createProofGate } from './proof-gate.ts';
import type { RandomBelow } from './absence-proof.ts';
import type { PaymentScanner } from '../payments/payment-scanner.ts';
import { createMainReads } from '../payments/scanned-events.ts';

export interface MainChainIndexersOptions {
  readonly chain: MainChainLog;
  /**
   * Same chain for a worker that has caught up and can wait: its requests share batches with those of the head
   * follower.
   */
  readonly deferredChain?: MainChainLog | undefined;
  /** Reads the counters of the contracts. */
  readonly balances: Pick<MainChain, 'readBalance' | 'readBalanceAt'>;
  readonly store: Store;
  readonly fxRates: FxRates;
  readonly clock: Clock;
  /** For retries, which a jump of the clock must not delay; `clock` where it is left out. */
  readonly monotonicClock?: Clock | undefined;
  readonly timers: Timers;
  readonly log: Log;
  readonly workScope?: WorkScope | undefined;
  readonly deployment: IndexedDeployment;
  /** Poll interval of the worker. */
  readonly pollIntervalMilliseconds: number;
  /** Poll interval of the head follower when blocks follow no schedule. */
  readonly headIntervalMilliseconds?: number | undefined;
  /** `before` where it is not given. */
  readonly proof?: IndexProof | undefined;
  readonly listeners: readonly HeadListener[];
  /** Searches events for payments; absent without payment sources. */
  readonly payments?: PaymentScanner | undefined;
  /** Draws the blocks of samples. */
  readonly random: RandomBelow;
}

export interface MainChainIndexers {
  readonly eventTimes: EventTimes;
  readonly index: IndexStatus;
  readonly health: IndexHealth;
  readonly counters: IndexCounters;
  readonly worker: PollLoop;
  /** Proves the index in the background, in the process of the worker; undefined where nothing is proven afterwards. */
  readonly prover: PollLoop | undefined;
  readonly head: PollLoop;
  /**
   * Claims the database for this deployment. Returns false when it holds the index of another one, which contradicts
   * the configuration; nothing is served from the index then. Every process calls it before it serves, also one without
   * a worker.
   */
  claimIndex(): Promise<boolean>;
  /** Resolves when the head and the blocks between the index and the head have been read for the first time. */
  readonly following: Promise<unknown>;
  /** Resolves when everything final has been indexed, folded and followed to the head for the first time. */
  readonly caughtUp: Promise<unknown>;
  report(): MainChainIndexersReport;
}

export interface MainChainIndexersReport {
  readonly refusal: IndexRefusal | undefined;
  readonly head: HeadFollowerReport;
  readonly repair: IndexRepairReport;
  /** Events that the index lacks at its checkpoint; undefined where this process did not compare. */
  readonly missingEvents: number | undefined;
  readonly prover: BackgroundProverReport;
}

/**
 * New blocks after which the worker does not wait for its interval: half the distance from which on it would read logs alone and
 * listings would be refused as syncing.
 */
const MAX_WAITING_BLOCKS = MAX_LAG_BLOCKS / 2;
const HEAD_INTERVAL_MILLISECONDS = 1_000;
const FIRST_BACKOFF_MILLISECONDS = 1_000;
const MAX_WORKER_BACKOFF_MILLISECONDS = 60_000;
/** A worker with a shorter interval cannot wait: the head observation would look old. */
const MIN_DEFERRABLE_INTERVAL_MILLISECONDS = 30_000;
/** Requests use an old head in the meantime. */
const MAX_HEAD_BACKOFF_MILLISECONDS = 5_000;

export function createMainChainIndexers(options: MainChainIndexersOptions): MainChainIndexers {
  const { store, clock, monotonicClock = clock, timers, log, workScope, deployment, listeners } = options;
  const { proof = 'before', pollIntervalMilliseconds } = options;
  const { startBlock } = deployment;
  const causes = createIndexCauses({ clock: monotonicClock, log, pollIntervalMilliseconds, startBlock });
  const chain = causes.watch(options.chain);
  const completeness = proof === 'off' ? 'trusted' : 'proven';
  const integrity = createIndexIntegrity(log);
  const isFirst = proof === 'before';
  const reader = createBlockReader(chain, completeness, isFirst);
  const identity = formatIndexIdentity(deployment);
  const deferredChain = options.deferredChain && causes.watch(options.deferredChain);
  const isDeferrable = deferredChain !== undefined && pollIntervalMilliseconds >= MIN_DEFERRABLE_INTERVAL_MILLISECONDS;
  const deferred = isDeferrable
    ? { chain: deferredChain, reader: createBlockReader(deferredChain, completeness, isFirst) }
    : undefined;
  let isImported = false;
  const index = createMainChainIndex({
    ...{ chain, reader, deferred, store, proof },
    ...{ integrity, clock, log, identity, startBlock },
    optionalContracts: formatOptionalContracts(deployment),
    onImported() {
      // Ratings are refused as syncing until the head follower has connected the first checkpoint to the head.
      if (!isImported) head.wake();
      isImported = true;
    },
  });
  const reread = createOwnershipReread({ chain, store, clock: monotonicClock, log });
  const folder = createEventFolder({ chain, store, fxRates: options.fxRates, clock: monotonicClock, log });
  const { headIntervalMilliseconds = HEAD_INTERVAL_MILLISECONDS } = options;
  const follower = createHeadFollower({
    chain,
    reader,
    store,
    integrity,
    clock,
    monotonicClock,
    log,
    listeners,
    intervalMilliseconds: headIntervalMilliseconds,
    isCaughtUp: () => isIndexed,
  });

  const { balances, random } = options;
  const repair = createIndexRepair({
    chain,
    balances,
    store,
    integrity,
    clock: monotonicClock,
    log,
    startBlock,
    workScope,
  });
  const eventTotal = createEventTotalCheck({ store, repair, log });
  const gate = createProofGate({ store, clock: monotonicClock, proof, startBlock });
  const prover = createBackgroundProver({ chain, store, clock: monotonicClock, log, proof, startBlock, random });

  /** The last step left nothing to do: the calls of the next may wait for those of the head. */
  let isIdle = false;
  /** Head when the last step began. */
  let headAtStep = 0;
  let isIndexed = false;
  let isFolded = false;
  const caughtUp = Promise.withResolvers<unknown>();
  const following = Promise.withResolvers<unknown>();

  /**
   * Folds only after the index has caught up: not every node has old states, but each has that of the newest final
   * block.
   */
  async function work(signal: AbortSignal): Promise<StepOutcome> {
    const isDeferred = isIdle;
    isIdle = false;
    headAtStep = knownHead();
    const advanced = await index.advance(signal, isDeferred);
    if (advanced.kind !== 'caught-up') return advanced.kind === 'behind' ? 'more' : 'idle';
    if (!isIndexed) proverLoop.wake();
    isIndexed = true;
    await eventTotal.compare(isDeferred && deferred !== undefined ? deferred.chain : chain);
    const scanned = await scanPayments(advanced.block, signal);
    const outcome = await folder.fold(advanced.block, signal);
    if (outcome === 'idle' && !isFolded) {
      isFolded = true;
      head.wake();
    }
    // Last, so that no rating waits for it.
    const rereadOutcome = await reread.readNext(advanced.block);
    isIdle = [outcome, scanned, rereadOutcome].every((each) => each === 'idle');
    return isIdle ? 'idle' : 'more';
  }

  /** Searches once the index has all events that the contract counts: verdicts depend on the claims of all machines. */
  async function scanPayments(block: BlockRef, signal: AbortSignal): Promise<StepOutcome> {
    const { payments } = options;
    if (payments === undefined || !eventTotal.agreesAt(block)) return 'idle';
    const reads = createMainReads(chain, store, repair, block);
    return payments.scan('main', { block: block.number, time: block.timestamp }, reads, signal);
  }

  const knownHead = () => follower.recent()?.headNumber ?? 0;

  /** A poll that begins after the index has caught up connects its checkpoint to the head. */
  async function follow(): Promise<NextStep> {
    const isLast = isFolded;
    const outcome = await follower.poll();
    // A step that failed keeps its pause, which the node may have requested.
    if (isIdle && knownHead() - headAtStep >= MAX_WAITING_BLOCKS) worker.wake();
    following.resolve(undefined);
    if (isLast) caughtUp.resolve(undefined);
    return outcome;
  }

  const proverLoop = createPollLoop({
    name: 'main-chain-proof',
    intervalMilliseconds: pollIntervalMilliseconds,
    firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    maxBackoffMilliseconds: MAX_WORKER_BACKOFF_MILLISECONDS,
    clock,
    timers,
    log,
    // Until the index has caught up, its requests come first.
    step: (signal) => (isIndexed ? prover.prove(signal) : Promise.resolve('idle')),
  });

  const head = createPollLoop({
    name: 'main-chain-head',
    intervalMilliseconds: headIntervalMilliseconds,
    firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    maxBackoffMilliseconds: MAX_HEAD_BACKOFF_MILLISECONDS,
    maxRetryAfterMilliseconds: MAX_HEAD_BACKOFF_MILLISECONDS,
    clock,
    timers,
    log,
    step: () => causes.observe('head', follow),
  });

  const worker = createPollLoop({
    name: 'main-chain-index',
    intervalMilliseconds: pollIntervalMilliseconds,
    firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    maxBackoffMilliseconds: MAX_WORKER_BACKOFF_MILLISECONDS,
    clock,
    timers,
    log,
    step: (signal) => causes.observe('index', () => work(signal)),
  });

  /** Withdraws what the worker found: no later step would. The process that leads next compares the checkpoint itself. */
  async function stopWorker(): Promise<void> {
    await worker.stop();
    integrity.report('index', undefined);
  }

  return {
    eventTimes: createEventTimes({ chain, store, proof, gate, integrity, repair, recent: follower.recent }),
    index: createIndexStatus({ store, integrity, clock, proof, gate, follower }),
    health: { listCauses: causes.list },
    counters: createIndexCounters({ balances, chain, store, repair, recent: follower.recent }),
    worker: { ...worker, stop: stopWorker },
    prover: proof === 'off' ? undefined : proverLoop,
    head,
    claimIndex: index.claim,
    following: following.promise,
    caughtUp: caughtUp.promise,
    report: () => ({
      refusal: integrity.refusal(),
      head: follower.report(),
      repair: repair.report(),
      missingEvents: eventTotal.missing(),
      prover: prover.report(),
    }),
  };
}
