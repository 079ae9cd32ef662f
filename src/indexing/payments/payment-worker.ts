/**
 * Worker that follows payments: reads the transfers of own addresses, and judges open citations, source by source. A source that cannot be
 * read delays its own citations only.
 */
import { paymentFingerprint } from '../../domain/rating/paid/payment-configuration.ts';
import type { HomeChain } from '../../domain/rating/paid/claims.ts';
import { SourceUnreadable, type PaymentSource, type PaymentSources } from '../../ports/payment-sources.ts';
import type { FxRates } from '../../ports/rates.ts';
import { nowSeconds, type Clock, type Log, type Timers } from '../../ports/runtime.ts';
import type { PaymentStore } from '../../ports/payment-store.ts';
import { SECONDS_PER_DAY } from '../../domain/rating/utc-day.ts';
import { createPollLoop, type PollLoop, type StepOutcome } from '../loops/poll-loop.ts';
import { createPaymentJudge } from './payment-judge.ts';
import { createTransferFollower } from './transfer-follower.ts';

export interface PaymentWorkerOptions {
  readonly store: PaymentStore;
  readonly sources: PaymentSources;
  /** Home chains whose machines are searched for citations. */
  readonly homes: readonly HomeChain[];
  readonly fxRates: FxRates;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly pollIntervalMilliseconds: number;
}

const FIRST_BACKOFF_MILLISECONDS = 1_000;
const MAX_BACKOFF_MILLISECONDS = 60_000;
/** Retention (design/scoring.md, Determinism). */
const CITATION_DAYS = 400;
const FLOW_DAYS = 200;

export interface PaymentWorker {
  /** Runs one bounded step. Throws `StoreUnavailable`. */
  step(signal: AbortSignal): Promise<StepOutcome>;
  readonly loop: PollLoop;
}

export function createPaymentWorker(options: PaymentWorkerOptions): PaymentWorker {
  const { store, sources, homes, fxRates, clock, timers, log, pollIntervalMilliseconds } = options;
  const judge = createPaymentJudge({ store, fxRates, clock });
  const follower = createTransferFollower({ store, fxRates, clock });
  let prunedOn: number | undefined;

  async function step(signal: AbortSignal): Promise<StepOutcome> {
    await store.usePaymentConfiguration(paymentFingerprint(sources.hash ?? '', fxRates.current().fingerprint));
    await pruneDaily();
    const outcomes = await Promise.all(sources.list.map((source) => followSource(source, signal)));
    return outcomes.includes(true) ? 'more' : 'idle';
  }

  /** Returns whether there was something to do. */
  async function followSource(source: PaymentSource, signal: AbortSignal): Promise<boolean> {
    try {
      const head = await source.readFinalizedHead();
      const hasRead = await follower.advance(source, head);
      const hasDecided = await judge.judge(source, head, signal);
      return hasRead || hasDecided;
    } catch (error) {
      if (!(error instanceof SourceUnreadable)) throw error;
      log.warn({ source: source.name, problem: error.problem }, 'a payment source cannot be read');
      return false;
    }
  }

  async function pruneDaily(): Promise<void> {
    const now = nowSeconds(clock);
    const today = Math.floor(now / SECONDS_PER_DAY);
    if (prunedOn === today) return;
    // An event that is not searched yet may cite a payment that older transfers make circular.
    const searched = await Promise.all(homes.map((home) => store.readScannedThrough(home)));
    const flowsBefore = Math.min(now, ...searched) - FLOW_DAYS * SECONDS_PER_DAY;
    await store.prunePayments(now - CITATION_DAYS * SECONDS_PER_DAY, flowsBefore);
    prunedOn = today;
  }

  return {
    step,
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
