/** Columns of the machines that the directory lists. */
import type { MachineValues } from '../../../domain/changes/machine-change.ts';
import { FACETS, selectFacet, toFacetBits, type MachineListing } from '../../../domain/machine/machine-directory.ts';
import type { Schema } from '../schema/schema.ts';

export const LISTED_COLUMNS = [
  'observed_values',
  'facets',
  'score',
  'revenue_cents',
  'event_count',
  'last_event_at',
  'observed_block',
  'observed_at',
] as const;

type Nullable = Pick<Schema['observed_machines'], (typeof LISTED_COLUMNS)[number]>;

/** Row of a listed machine. */
export type ListedRow = { readonly [C in keyof Nullable]: NonNullable<Nullable[C]> };

interface Listed {
  readonly values: MachineValues | undefined;
  readonly listing?: MachineListing | undefined;
}

type ListedColumns = readonly [facets: number | null, ...rest: (number | null)[]];

/** Returns the columns after the values; all are null for a machine that is not listed. */
export function toListedColumns({ values, listing }: Listed): ListedColumns {
  if (values === undefined || listing === undefined) return [null, null, null, null, null, null, null];
  const { home, score, revenueCents, eventCount, lastEventAt = 0, blockNumber, observedAt } = listing;
  return [toFacetBits(values, home), score, revenueCents, eventCount, lastEventAt, blockNumber, observedAt];
}

export function fromListedColumns(row: ListedRow): MachineListing {
  return {
    home: FACETS.home.find((home) => (row.facets & selectFacet('home', [home])) !== 0)!,
    score: row.score,
    revenueCents: row.revenue_cents,
    eventCount: row.event_count,
    lastEventAt: row.last_event_at === 0 ? undefined : row.last_event_at,
    blockNumber: row.observed_block,
    observedAt: row.observed_at,
  };
}
