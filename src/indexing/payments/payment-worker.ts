/**
 * Worker that follows payments: reads the transfers of own addresses, and judges open citations, source by source. A source that cannot be
 * read delays its own citations only.
 */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { paymentFingerprint } from '../../domain/rating/paid/payment-configuration.ts';
import type { HomeChain } from '../../domain/rating/paid/claims.ts';
import {
  SourceUnreadable,
  type FinalizedHead,
  type PaymentSource,
  type PaymentSources,
} from '../../ports/payment-sources.ts';
import type { FxRates } from '../../ports/rates.ts';
import { nowSeconds, type Clock, type Log, type PaymentSourceState, type Timers } from '../../ports/runtime.ts';
import type { PaymentStore } from '../../ports/payment-store.ts';
import { SECONDS_PER_DAY } from '../../domain/rating/utc-day.ts';
import { PAYMENT } from '../../domain/rating/constants.ts';
import { createPollLoop, type NextStep, type PollLoop, type StepOutcome } from '../loops/poll-loop.ts';
import { createPaymentJudge } from './payment-judge.ts';
import { createTransferFollower } from './transfer-follower.ts';

export interface PaymentWorkerOptions {
  readonly store: PaymentStore;
  readonly sources: PaymentSources;
  readonly namespace: Namespace;
  /** Home chains whose machines are searched for citations. */
  readonly homes: readonly HomeChain[];
  readonly fxRates: FxRates;
  readonly clock: Clock;
  readonly monotonicClock?: Clock | undefined;
  readonly timers: Timers;
  readonly log: Log;
  readonly pollIntervalMilliseconds: number;
}

const FIRST_BACKOFF_MILLISECONDS = 1_000;
const MAX_BACKOFF_MILLISECONDS = 60_000;
/** Shortest wait for a head that is not past the window of an open citation. */
const MIN_WAIT_MILLISECONDS = 5_000;
/** Transfers are kept for as long as a verdict that is made again may depend on them. */
const FLOW_DAYS = PAYMENT.followedDays + 200;

interface SourceState extends Pick<PaymentSourceState, 'isUp' | 'waitingMachines' | 'lastFailure'> {
  readonly head: FinalizedHead | undefined;
}

const NOT_FOLLOWED: SourceState = { isUp: undefined, waitingMachines: 0, lastFailure: undefined, head: undefined };

export interface PaymentWorker {
  /** Runs one bounded step, and waits until the next verdict can be made. Throws `StoreUnavailable`. */
  step(signal: AbortSignal): Promise<StepOutcome | NextStep>;
  readonly loop: PollLoop;
  /** Returns the state of each source. */
  report(): readonly PaymentSourceState[];
}

export function createPaymentWorker(options: PaymentWorkerOptions): PaymentWorker {
  const { store, sources, namespace, homes, fxRates, clock, timers, log, pollIntervalMilliseconds } = options;
  const { monotonicClock = clock } = options;
  const judge = createPaymentJudge({ store, fxRates, clock, monotonicClock });
  const follower = createTransferFollower({ store, fxRates });
  /** Heads up to which transfers are being read: verdicts are made when all of them are. */
  const targets = new Map<string, FinalizedHead>();
  const states = new Map<string, SourceState>();
  /** Problems that last, by source: each is logged when it begins. */
  const lasting = new Map<string, string>();
  let prunedOn: number | undefined;

  async function step(signal: AbortSignal): Promise<StepOutcome | NextStep> {
    const { fingerprint } = fxRates.current();
    await store.usePaymentConfiguration(paymentFingerprint(sources.hash ?? '', fingerprint, namespace));
    await pruneDaily();
    const waits = await Promise.all(sources.list.map((source) => followSource(source, signal)));
    const waitMilliseconds = Math.min(pollIntervalMilliseconds, ...waits);
    return waitMilliseconds === 0 ? 'more' : { waitMilliseconds };
  }

  /** Returns the milliseconds until the source can be followed further; 0: at once. */
  async function followSource(source: PaymentSource, signal: AbortSignal): Promise<number> {
    try {
      const waitMilliseconds = await advanceSource(source, signal);
      lasting.delete(source.name);
      return waitMilliseconds;
    } catch (error) {
      if (!(error instanceof SourceUnreadable)) throw error;
      targets.delete(source.name);
      logOnce(source, error.problem);
      const { machines } = await store.countOpenCitations(source.name, clock.nowMilliseconds());
      record(source, { isUp: false, lastFailure: error.problem, waitingMachines: machines });
      return pollIntervalMilliseconds;
    }
  }

  async function advanceSource(source: PaymentSource, signal: AbortSignal): Promise<number> {
    const head = targets.get(source.name) ?? (await source.readFinalizedHead());
    record(source, { isUp: true, head });
    const due = await judge.findDue(head);
    const isDue = (await store.listOpenCitations(source.name, due, 1)).length > 0;
    if (await follower.advance(source, head, isDue)) {
      targets.set(source.name, head);
      return 0;
    }
    targets.delete(source.name);
    if (isDue && (await judge.judge(source, due, head, signal))) return 0;
    return findWait(source, head);
  }

  /** Other sources may have work for many steps a second, in each of which this source fails again. */
  function logOnce({ name }: PaymentSource, problem: string): void {
    if (lasting.get(name) === problem) return;
    lasting.set(name, problem);
    log.warn({ source: name, problem }, 'a payment source cannot be read');
  }

  function record({ name }: PaymentSource, change: Partial<SourceState>): void {
    states.set(name, { ...(states.get(name) ?? NOT_FOLLOWED), ...change });
  }

  function report(): readonly PaymentSourceState[] {
    return sources.list.map((source) => {
      const { name } = source;
      const { head, ...state } = states.get(name) ?? NOT_FOLLOWED;
      const headAgeSeconds = head && Math.max(0, nowSeconds(clock) - head.time);
      return { name, ...state, headAgeSeconds, postponedVerdicts: judge.countPostponed(source) };
    });
  }

  /** Returns the milliseconds until the head is past the window of the oldest open citation. */
  async function findWait(source: PaymentSource, head: FinalizedHead): Promise<number> {
    const { machines, oldest } = await store.countOpenCitations(source.name, clock.nowMilliseconds());
    record(source, { waitingMachines: machines });
    if (oldest === undefined) return pollIntervalMilliseconds;
    return Math.max(MIN_WAIT_MILLISECONDS, 1000 * (oldest + PAYMENT.lateSeconds + 1 - head.time));
  }

  async function pruneDaily(): Promise<void> {
    const now = nowSeconds(clock);
    const today = Math.floor(now / SECONDS_PER_DAY);
    if (prunedOn === today) return;
    // The clock may be ahead. And an event that is not searched yet may cite a payment that older transfers make circular.
    const searched = Math.min(now, ...(await Promise.all(homes.map((home) => store.readScannedThrough(home)))));
    const citationsBefore = searched - PAYMENT.followedDays * SECONDS_PER_DAY;
    await store.prunePayments(citationsBefore, searched - FLOW_DAYS * SECONDS_PER_DAY);
    prunedOn = today;
  }

  return {
    step,
    report,
    loop: createPollLoop({
      name: 'payments',
      intervalMilliseconds: pollIntervalMilliseconds,
      firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
      maxBackoffMilliseconds: MAX_BACKOFF_MILLISECONDS,
      clock,
      timers,
      log,
      step,
    }),
  };
}
