/** What does every part of a start need? What is asked for, where problems are told, and what is open already. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { FxRates } from '../ports/rates.ts';
import type { Log } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import type { Shutdown } from './shutdown.ts';

export interface ServiceStart {
  readonly config: Config;
  readonly log: Log;
  /** Starts, not ready, even when the configuration contradicts the chain. */
  readonly isLenient: boolean;
  readonly closing: Shutdown;
  readonly store: Store;
  readonly fxRates: FxRates;
}

/** How long a start waits for the world: nodes and feeds that are slower are waited for while serving. */
const PATIENCE_MILLISECONDS = 2_000;

/** Undefined: the world took longer. */
export function awaitPatiently<T>(work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, delay(PATIENCE_MILLISECONDS, undefined, { ref: false })]);
}
