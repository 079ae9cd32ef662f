/**
 * What follows the main chain? Two loops and what requests ask of them: the worker, which indexes and folds what is final and runs in
 * one process of all, and the head follower, which every process that answers requests runs for itself.
 */
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import type { EventTimes, IndexStatus } from '../../ports/indexes.ts';
import type { FxRates } from '../../ports/rates.ts';
import type { HeadListener, MainChainLog } from '../../ports/main-chain.ts';
import type { RatingStateStore, MainChainIndexStore } from '../../ports/store.ts';
import { createEventFolder, type EventFolderReport } from '../rating/event-folder.ts';
import { createEventTimes } from './event-times.ts';
import { createHeadFollower, type HeadFollowerReport } from '../head/head-follower.ts';
import { formatIndexIdentity, type IndexedDeployment } from '../loops/index-identity.ts';
import { createIndexIntegrity, type IndexRefusal } from '../loops/index-integrity.ts';
import { createIndexStatus } from './index-status.ts';
import { createMainChainIndex } from './main-chain-index.ts';
import { createPollLoop, type NextStep, type PollLoop, type StepOutcome } from '../loops/poll-loop.ts';
import { createBlockReader, type Completeness } from './block-reader.ts';

export interface MainChainIndexersOptions {
  readonly chain: MainChainLog;
  /** The same for a worker that has caught up and can wait: its questions travel with those of the head follower. */
  readonly patientChain?: MainChainLog | undefined;
  readonly store: MainChainIndexStore & RatingStateStore;
  readonly fxRates: FxRates;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly deployment: IndexedDeployment;
  /** Of the worker. */
  readonly pollIntervalMilliseconds: number;
  /** Of the head follower, where blocks come when they like. */
  readonly headIntervalMilliseconds?: number | undefined;
  readonly completeness?: Completeness | undefined;
  readonly listeners: readonly HeadListener[];
}

export interface MainChainIndexers {
  readonly eventTimes: EventTimes;
  readonly index: IndexStatus;
  readonly worker: PollLoop;
  readonly head: PollLoop;
  /**
   * Tells whether the database is free or holds the index of this deployment. False is a contradiction in the configuration, and nothing is
   * served from the index then. Every process asks before it serves, the one without a worker too.
   */
  claimIndex(): Promise<boolean>;
  /** Resolves when the head has been read for the first time, and what lies between the index and it. */
  readonly following: Promise<unknown>;
  /** Resolves when everything final has been indexed and folded for the first time, and followed on to the head. */
  readonly caughtUp: Promise<unknown>;
  report(): MainChainIndexersReport;
}

export interface MainChainIndexersReport {
  readonly refusal: IndexRefusal | undefined;
  readonly head: HeadFollowerReport;
  readonly folder: EventFolderReport;
}

const HEAD_INTERVAL_MILLISECONDS = 1_000;
const FIRST_BACKOFF_MILLISECONDS = 1_000;
const MAX_WORKER_BACKOFF_MILLISECONDS = 60_000;
/** A worker that asks more often cannot wait: the head would look unseen. */
const PATIENT_INTERVAL_MILLISECONDS = 30_000;
/** Requests are answered from an old head meanwhile. */
const MAX_HEAD_BACKOFF_MILLISECONDS = 5_000;

export function createMainChainIndexers(options: MainChainIndexersOptions): MainChainIndexers {
  const { chain, store, clock, timers, log, deployment, listeners, completeness = 'proven' } = options;
  const standing = createIndexIntegrity(log);
  const reader = createBlockReader(chain, completeness);
  const identity = formatIndexIdentity(deployment);
  const { startBlock } = deployment;
  const { patientChain, pollIntervalMilliseconds } = options;
  const isPatient = patientChain !== undefined && pollIntervalMilliseconds >= PATIENT_INTERVAL_MILLISECONDS;
  const patient = isPatient
    ? { chain: patientChain, reader: createBlockReader(patientChain, completeness) }
    : undefined;
  const index = createMainChainIndex({ chain, reader, patient, store, standing, clock, log, identity, startBlock });
  const folder = createEventFolder({ chain, store, fxRates: options.fxRates, clock, log });
  const { headIntervalMilliseconds = HEAD_INTERVAL_MILLISECONDS } = options;
  const follower = createHeadFollower({
    chain,
    reader,
    store,
    standing,
    clock,
    log,
    listeners,
    intervalMilliseconds: headIntervalMilliseconds,
  });

  let isIndexed = false;
  let isFolded = false;
  const caughtUp = Promise.withResolvers<unknown>();
  const following = Promise.withResolvers<unknown>();

  /** Folding waits for the index: old states are not kept by every node, that of the newest final block is. */
  async function work(signal: AbortSignal): Promise<StepOutcome> {
    const advanced = await index.advance(signal);
    if (advanced.kind !== 'caught-up') return advanced.kind === 'behind' ? 'more' : 'idle';
    // Ratings are refused as syncing until the head follower has joined the first checkpoint to the head.
    if (!isIndexed) head.wake();
    isIndexed = true;
    const outcome = await folder.fold(advanced.block, signal);
    if (outcome === 'idle' && !isFolded) {
      isFolded = true;
      head.wake();
    }
    return outcome;
  }

  /** A poll that begins after the index has caught up leads from its checkpoint to the head. */
  async function follow(): Promise<NextStep> {
    const isLast = isFolded;
    const outcome = await follower.poll();
    following.resolve(undefined);
    if (isLast) caughtUp.resolve(undefined);
    return outcome;
  }

  const head = createPollLoop({
    name: 'main-chain-head',
    intervalMilliseconds: headIntervalMilliseconds,
    firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    maxBackoffMilliseconds: MAX_HEAD_BACKOFF_MILLISECONDS,
    clock,
    timers,
    log,
    step: follow,
  });

  return {
    eventTimes: createEventTimes({ chain, store, standing, recent: follower.recent }),
    index: createIndexStatus(store, standing),
    worker: createPollLoop({
      name: 'main-chain-index',
      intervalMilliseconds: pollIntervalMilliseconds,
      firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
      maxBackoffMilliseconds: MAX_WORKER_BACKOFF_MILLISECONDS,
      clock,
      timers,
      log,
      step: work,
    }),
    head,
    claimIndex: index.claim,
    following: following.promise,
    caughtUp: caughtUp.promise,
    report: () => ({ refusal: standing.refusal(), head: follower.report(), folder: folder.report() }),
  };
}
