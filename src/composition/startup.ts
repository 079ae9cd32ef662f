/** Context shared by the parts of a start: configuration, log and what is open already. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { HeadClock } from '../indexing/head/trusted-clock.ts';
import type { PaymentSources } from '../ports/payment-sources.ts';
import type { FxRates } from '../ports/rates.ts';
import type { NodeProfiles } from '../ports/node-profiles.ts';
import type { Log, WorkScope } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { Shutdown } from './shutdown.ts';

export interface ServiceStart {
  readonly config: Config;
  readonly log: Log;
  /** Starts, not ready, even when the configuration contradicts the chain. */
  readonly isLenient: boolean;
  readonly shutdown: Shutdown;
  readonly store: Store;
  readonly fxRates: FxRates;
  readonly paymentSources: PaymentSources;
  readonly workScope: WorkScope;
  /** What an earlier process learned about the nodes. */
  readonly nodeProfiles: NodeProfiles;
  readonly trustedClock: HeadClock;
}

/** How long a start waits for nodes and feeds; slower ones are awaited while serving. */
const STARTUP_TIMEOUT_MILLISECONDS = 2_000;

/** Waits for the work up to a timeout, by default the one of a start; undefined after that. */
export async function waitBriefly<T>(
  work: Promise<T>,
  timeoutMilliseconds = STARTUP_TIMEOUT_MILLISECONDS,
): Promise<T | undefined> {
  const isDone = new AbortController();
  // The timer keeps the process alive: the work may hold nothing that does.
  const timeout = delay(timeoutMilliseconds, undefined, { signal: isDone.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    isDone.abort();
  }
}
