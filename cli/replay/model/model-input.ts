/** Input of the second implementation: raw events, facts, rates and a clock alone. */
import type { RateTable } from './conversion.ts';
import type { RawEvent } from './raw-events.ts';

export interface ModelInput {
  /** In chain order. */
  readonly events: readonly RawEvent[];
  /** The changes of hands, each as the number of events before it. */
  readonly hands: readonly bigint[];
  readonly operatorVerified: boolean;
  readonly priorEvents: bigint;
  readonly subscription: string;
  /** Unix seconds, 0 for none. */
  readonly negativeFlagAt: bigint;
  /** Percent. */
  readonly trustOverride: bigint | null;
  readonly ratingUnavailable: string | null;
  /** Unix seconds. */
  readonly now: bigint;
  readonly rates: RateTable;
}
