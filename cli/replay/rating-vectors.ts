/** Test support: the published rating vectors, read independently of the service's reader. */
import { readFileSync } from 'node:fs';
import type { RateTable } from './model.ts';
import type { JsonObject } from './replay.ts';

export interface RatingCase {
  readonly name: string;
  readonly fx: string;
  readonly now: number;
  readonly subscription: string;
  readonly negative_flag_at: string;
  readonly trust_override: number | null;
  readonly rating_unavailable: string | null;
  readonly prior_events: number;
  /** Sequence number, type, value, currency, timestamp, trust, block time. */
  readonly events: readonly (readonly [number, number, string, string, string, number, number])[];
  readonly expected: JsonObject;
}

export const ratingVectors = JSON.parse(
  readFileSync(new URL('../../test/vectors/rating/public.json', import.meta.url), 'utf8'),
) as { readonly fx_tables: Readonly<Record<string, RateTable>>; readonly cases: readonly RatingCase[] };
