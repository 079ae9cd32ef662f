/**
 * Indexers of the alt chain: the worker loop, which runs in one process only, and the queries that every process
 * answers from the store.
 */
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import type { AltEventStore } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { AltIndex } from '../../ports/indexes.ts';
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import type { FxRates } from '../../ports/rates.ts';
import type { PaymentScanner } from '../payments/payment-scanner.ts';
import { createLastingCauses, type LastingCauses } from '../loops/lasting-causes.ts';
import { observeAltStep } from './alt-causes.ts';
import { createAltPace } from './alt-pace.ts';
import { createAltEventHistory } from './event-history.ts';
import { createAltEventIndex } from './event-index.ts';
import { MAX_BUSY_WAIT_SECONDS } from './shared-backoff.ts';
import { createPollLoop, type PollLoop, type StepOutcome } from '../loops/poll-loop.ts';

/** Deployment that the stored rows belong to. */
export interface AltIndexedDeployment {
  readonly genesisHash: AltKey;
  readonly eventRegistry: AltKey;
  /** First slot of the deployment's events; an earlier one makes another index. */
  readonly firstSlot: number;
}

export interface AltIndexersOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly fxRates: FxRates;
  readonly clock: Clock;
  /** For times that a jump of the clock must not change; `clock` where it is left out. */
  readonly monotonicClock?: Clock | undefined;
  readonly timers: Timers;
  readonly log: Log;
  /** Records what stops the steps of the worker; without it only the log does. */
  readonly causes?: LastingCauses | undefined;
  readonly deployment: AltIndexedDeployment;
  readonly pollIntervalMilliseconds: number;
  /** Searches events for payments; absent without payment sources. */
  readonly payments?: PaymentScanner | undefined;
}

export interface AltIndexers {
  readonly index: AltIndex;
  readonly worker: PollLoop;
  /**
   * Claims the database for this deployment, like `claimIndex` of the main chain. Every process calls it before it
   * serves.
   */
  claimIndex(): Promise<boolean>;
  /** Resolves when everything final has been indexed, verified and folded for the first time. */
  readonly caughtUp: Promise<unknown>;
}

/** Bumped when stored rows can no longer be continued. */
const LAYOUT_VERSION = 1;
const FIRST_BACKOFF_MILLISECONDS = 1_000;

export function createAltIndexers(options: AltIndexersOptions): AltIndexers {
  const { store, clock, timers, log, deployment, pollIntervalMilliseconds } = options;
  const { causes = createLastingCauses(options) } = options;
  const { firstSlot } = deployment;
  const events = createAltEventIndex({ ...options, identity: formatAltIndexIdentity(deployment), firstSlot });
  const index = createAltEventHistory({ store, log, isRefused: () => events.refusal() !== undefined });
  const pace = createAltPace(clock);
  const caughtUp = Promise.withResolvers<unknown>();

  async function step(signal: AbortSignal): Promise<StepOutcome> {
    const outcome = await observeAltStep(causes, events.phase(), () => events.step(signal));
    if (outcome === 'idle' && !signal.aborted) caughtUp.resolve(undefined);
    causes.record('pace', pace.judge((await index.readStatus()).progress));
    return outcome;
  }

  return {
    index,
    worker: createPollLoop({
      name: 'alt-chain-index',
      intervalMilliseconds: pollIntervalMilliseconds,
      firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
      maxBackoffMilliseconds: 1000 * MAX_BUSY_WAIT_SECONDS,
      clock,
      timers,
      log,
      step,
    }),
    claimIndex: events.claim,
    caughtUp: caughtUp.promise,
  };
}

/** Returns one line that is equal exactly when the deployments are. */
export function formatAltIndexIdentity({ genesisHash, eventRegistry, firstSlot }: AltIndexedDeployment): string {
  return [`layout=${LAYOUT_VERSION}`, `genesis=${genesisHash}`, `first=${firstSlot}`, `events=${eventRegistry}`].join(
    ' ',
  );
}
