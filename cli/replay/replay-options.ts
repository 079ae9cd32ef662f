/** What a replay reads, and what it takes from the service. */
import type { RateTable } from './model/conversion.ts';
import type { ReplayedChains } from './raw-inputs.ts';
import type { JsonObject } from './replay-json.ts';
import type { ReplaySource } from './verdict-model.ts';

export interface ReplayOptions extends ReplayedChains {
  /** `did:svc:<decimal id>`. */
  readonly did: string;
  readonly baseUrl: string;
  /** Rates of the replay, cut to the service's `through`. */
  readonly rates: RateTable;
  /** Hash of the payment sources of the replay (`hashSources`); null or left out: none. */
  readonly sourcesHash?: string | null;
  /** How to make the verdicts; left out: verdicts and accounts are taken from the service. */
  readonly payments?: PaymentOptions;
  /** Explanation to recompute; left out: requested from the service. */
  readonly served?: JsonObject;
  readonly fetch?: typeof fetch;
  /** Waits after a rate limit. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

export interface PaymentOptions {
  readonly sources: readonly ReplaySource[];
  /** First line of the text that payout accounts sign. */
  readonly payoutHeader: string;
  /** Whether to read the claims of all machines. */
  readonly readsFleet: boolean;
  /** Whether to read the transfers from the machine's own addresses. */
  readonly readsFlows: boolean;
}
