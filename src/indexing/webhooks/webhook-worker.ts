/**
 * Worker that sends changes to the receivers of `WATCH_FILE` (docs/decisions/changes.md). Runs in the leader. A delivery is stored before it
 * is sent and removed after it was accepted, so each change is delivered at least once; a second sender repeats some.
 */
import type { NumberedChange } from '../../domain/changes/machine-change.ts';
import { isWatched, type WatchedSubjects } from '../../domain/changes/watch-list.ts';
import type { ChangeStore } from '../../ports/change-store.ts';
import { nowSeconds, type Clock, type Log, type Timers } from '../../ports/runtime.ts';
import type { DeliveryProblem, PendingDelivery, ReceiverState, Receivers, WebhookStore } from '../../ports/webhooks.ts';
import { createPollLoop, type PollLoop, type StepOutcome } from '../loops/poll-loop.ts';

export interface WebhookWorkerOptions {
  readonly store: WebhookStore & Pick<ChangeStore, 'listChanges' | 'readChangeRange'>;
  readonly receivers: Receivers;
  readonly formatBody: (change: NumberedChange) => string;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface WebhookWorker {
  /** Runs one bounded step. Throws `StoreUnavailable`. */
  step(signal: AbortSignal): Promise<StepOutcome>;
  readonly loop: PollLoop;
  report(): WebhookReport;
}

export interface WebhookReport {
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly deadLetters: number;
}

/** Pauses before the second attempt and the further ones, as Standard Webhooks recommends; after the last the delivery is a dead letter. */
export const RETRY_PAUSES_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;
/** Share by which a pause may be longer. */
const JITTER = 0.2;

/** Deliveries of a receiver that may wait; further changes are examined when fewer do. */
export const MAX_PENDING_DELIVERIES = 1_000;
const EXAMINED_CHANGES = 500;
/** Requests to one receiver at a time. */
const CONCURRENT_REQUESTS = 4;
const BATCH_DELIVERIES = 100;
/** A receiver that did not respond in time is left alone for this time, so that it delays the others by one timeout at most. */
export const UNRESPONSIVE_PAUSE_SECONDS = RETRY_PAUSES_SECONDS[0];
const INTERVAL_MILLISECONDS = 2_000;
const MAX_BACKOFF_MILLISECONDS = 30_000;

export function createWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { store, receivers, formatBody, random, clock, timers, log } = options;
  let report: WebhookReport = { delivered: 0, failedAttempts: 0, deadLetters: 0 };
  /** Unix second until which a receiver is left alone, by its name. */
  const unresponsive = new Map<string, number>();
  const isUnresponsive = (name: string) => (unresponsive.get(name) ?? 0) > nowSeconds(clock);

  async function step(signal: AbortSignal): Promise<StepOutcome> {
    const outcomes = await Promise.all(receivers.list().map((receiver) => serve(receiver, signal)));
    return outcomes.includes('more') && !signal.aborted ? 'more' : 'idle';
  }

  async function serve(receiver: WatchedSubjects, signal: AbortSignal): Promise<StepOutcome> {
    const examined = await examine(receiver, await store.openReceiver(receiver.name));
    if (isUnresponsive(receiver.name)) return examined;
    const due = await store.listDueDeliveries(receiver.name, nowSeconds(clock), BATCH_DELIVERIES);
    const queue = [...due];
    const sendNext = async (): Promise<void> => {
      const isDone = () => signal.aborted || isUnresponsive(receiver.name);
      for (let next = queue.shift(); next !== undefined && !isDone(); next = queue.shift()) await deliver(next);
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, sendNext));
    return due.length === BATCH_DELIVERIES && !isUnresponsive(receiver.name) ? 'more' : examined;
  }

  /** Adds deliveries for the next changes that the receiver watches. */
  async function examine(receiver: WatchedSubjects, { name, through, pending }: ReceiverState): Promise<StepOutcome> {
    if (pending >= MAX_PENDING_DELIVERIES) return 'idle';
    const { prunedThrough } = await store.readChangeRange();
    if (through < prunedThrough)
      log.error({ receiver: name, missed: prunedThrough - through }, 'a receiver missed changes');
    const after = Math.max(through, prunedThrough);
    const { changes, next, newest } = await store.listChanges({ after, limit: EXAMINED_CHANGES });
    if (next === through) return 'idle';
    const watched = changes.filter((change) => isWatched(receiver, change)).map(({ cursor }) => cursor);
    await store.addDeliveries(name, through, next, watched, nowSeconds(clock));
    return next < newest ? 'more' : 'idle';
  }

  async function deliver(delivery: PendingDelivery): Promise<void> {
    const { receiver, cursor, change } = delivery;
    if (change === undefined) return bury(delivery, 'expired');
    const problem = await receivers.send(receiver, { id: `change-${cursor}`, body: formatBody(change) });
    if (problem === 'timeout') unresponsive.set(receiver, nowSeconds(clock) + UNRESPONSIVE_PAUSE_SECONDS);
    if (problem !== undefined) return recordFailure(delivery, problem);
    await store.removeDelivery(receiver, cursor);
    report = { ...report, delivered: report.delivered + 1 };
  }

  async function recordFailure(delivery: PendingDelivery, problem: DeliveryProblem): Promise<void> {
    report = { ...report, failedAttempts: report.failedAttempts + 1 };
    const attempts = delivery.attempts + 1;
    const pause = RETRY_PAUSES_SECONDS[delivery.attempts];
    if (pause === undefined) return bury({ ...delivery, attempts }, problem);
    const retryAt = nowSeconds(clock) + Math.ceil(pause * (1 + JITTER * random()));
    await store.recordFailedAttempt(delivery.receiver, delivery.cursor, { attempts, problem, retryAt });
  }

  async function bury({ receiver, cursor, attempts }: PendingDelivery, problem: DeliveryProblem): Promise<void> {
    await store.recordFailedAttempt(receiver, cursor, { attempts, problem, retryAt: undefined });
    report = { ...report, deadLetters: report.deadLetters + 1 };
    log.error({ receiver, cursor, problem }, 'a change could not be delivered');
  }

  return {
    step,
    loop: createPollLoop({
      name: 'webhooks',
      intervalMilliseconds: INTERVAL_MILLISECONDS,
      firstBackoffMilliseconds: INTERVAL_MILLISECONDS,
      maxBackoffMilliseconds: MAX_BACKOFF_MILLISECONDS,
      clock,
      timers,
      log,
      step,
    }),
    report: () => report,
  };
}
