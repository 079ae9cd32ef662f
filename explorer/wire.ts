/**
 * What do the answers hold, as far as the pages show it? The client's types, which are held against the service; text of strangers is `unknown`
 * until shown.
 */
import type { Binding } from '../client/bound-addresses.ts';
import type { Explanation as ClientExplanation, McrRecord, RatingFactor } from '../client/machines.ts';
import type { DeploymentDocument } from '../client/monetization-state.ts';

export type { ActiveMachines } from '../client/active-machines.ts';
export type { FleetPage as Fleet } from '../client/fleet.ts';
export type { History, HistoryPoint } from '../client/machine-history.ts';
export type { Card, Letter } from '../client/machines.ts';
export type { MonetizationState as Monetization } from '../client/monetization-state.ts';
export type { Readiness } from '../client/health.ts';
export type { VerifyRecord } from '../client/verify-record.ts';

export interface Factor extends RatingFactor {
  readonly name: 'revenue' | 'cadence' | 'trend' | 'trust' | 'tenure';
  readonly measure: Readonly<Record<string, number | string | null>>;
}

export interface Explanation extends ClientExplanation {
  readonly factors: readonly Factor[];
}

export interface ShownEvent {
  readonly event_type: number;
  readonly origin_value: number;
  readonly timestamp: number;
  readonly trust_level: number;
  readonly metadata: unknown;
  readonly origin_currency?: string;
  readonly origin_subunit?: number | null;
  readonly usd_value?: number | null;
  readonly amount_status?: string;
  /** These stand in the listing of events, not in the profile. */
  readonly position?: number;
  readonly judgement?: 'sound' | 'malformed' | 'late' | 'early';
  readonly source_tx_hash?: string;
}

export interface EventListing {
  readonly events: readonly ShownEvent[];
  readonly next_cursor: number | null;
}

/** The one object of the profile. */
export interface Profile {
  readonly operator: string | null;
  readonly data_visibility: 'private' | 'onchain' | 'public';
  readonly documentation_url: unknown;
  readonly service_endpoints: readonly { readonly id: unknown; readonly type: unknown; readonly endpoint: unknown }[];
  readonly event_data?: readonly ShownEvent[];
  readonly owner?: string;
  readonly controller?: string | null;
  readonly machine_type?: unknown;
}

export interface Deployment extends DeploymentDocument {
  readonly registry: `0x${string}`;
}

export type BoundRating = McrRecord & Binding;
