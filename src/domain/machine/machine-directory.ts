/**
 * Directory of machines: what it lists of each machine, and the facets that select machines. The facets of a machine are stored as bits of
 * one integer, so that one comparison for each facet selects any set of its values; no place of a bit ever changes.
 */
import type { MachineValues } from '../changes/machine-change.ts';
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';

/** Facets with their values; each value has one bit, in this order. New values are added at the end of the last facet. */
export const FACETS = {
  rating: ['AAA', 'AA', 'A', 'BBB', 'BB', 'B', 'NR', 'Provisioned'],
  bond: ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'],
  flag: ['none', 'in_force', 'ended'],
  kyb: ['unverified', 'verified', 'expired', 'revoked'],
  chip: ['unverified', 'verified', 'expired', 'revoked'],
  'opt-in': ['PENDING', 'OPTED_IN', 'OPTED_OUT'],
  home: ['main', 'alt'],
} as const;

export type Facet = keyof typeof FACETS;
export type FacetValue<F extends Facet> = (typeof FACETS)[F][number];
export const FACET_NAMES = Object.keys(FACETS) as readonly Facet[];

/** Figures of a rating that the directory lists. */
export interface RatedFigures {
  readonly score: number;
  readonly revenueCents: number;
  readonly eventCount: number;
  /** Unix seconds of the newest block with an event; undefined without events. */
  readonly lastEventAt: number | undefined;
}

/** What the directory lists of a machine beside its observed values. */
export interface MachineListing extends RatedFigures {
  readonly home: FacetValue<'home'>;
  /** Final block of the main chain at which the machine was observed. */
  readonly blockNumber: number;
  /** Unix seconds. */
  readonly observedAt: number;
}

export interface DirectoryMachine extends MachineListing {
  readonly id: MachineId;
  readonly values: MachineValues;
}

/** Number of machines by facet and value. */
export type FacetCounts = { readonly [F in Facet]: Readonly<Record<FacetValue<F>, number>> };

/** Values that machines are ordered by; equal ones by id in the same direction. */
export const DIRECTORY_KEYS = ['score', 'revenue', 'activity', 'id'] as const;
export type DirectoryKey = (typeof DIRECTORY_KEYS)[number];

/** Machines of one holder, which are always ordered by id. */
export type DirectoryHolder =
  | { readonly kind: 'operator'; readonly address: Address }
  | { readonly kind: 'owner'; readonly account: Address | AltKey };

/** Position in an order: the value of the key and the id of the last machine that was examined. */
export interface DirectoryPosition {
  /** 0 in the order of ids. */
  readonly value: number;
  readonly id: MachineId;
}

export interface DirectoryQuery {
  readonly key: DirectoryKey;
  readonly isDescending: boolean;
  readonly holder: DirectoryHolder | undefined;
  /** Values of facets that are selected; a facet that is left out selects all machines. */
  readonly facets: Readonly<Partial<Record<Facet, readonly string[]>>>;
  /** Selects machines with an event at or after this Unix second; 0: all machines. */
  readonly activeSince: number;
  /** Undefined: the page is the first one. */
  readonly after: DirectoryPosition | undefined;
  readonly limit: number;
}

export interface DirectoryPage {
  readonly entries: readonly DirectoryMachine[];
  /** Position to continue from, also after a page without entries; undefined at the end. */
  readonly next: DirectoryPosition | undefined;
  readonly progress: DirectoryProgress;
}

/** Progress of the observations that the directory lists. */
export interface DirectoryProgress {
  /** Machines that are known and not listed yet, counted up to `MAX_COUNTED_UNLISTED`. */
  readonly unlisted: number;
  /** Unix second since when every machine that was known then has been observed; undefined before. */
  readonly openedAt: number | undefined;
}

export interface DirectorySummary {
  readonly total: number;
  readonly counts: FacetCounts;
  readonly progress: DirectoryProgress;
}

/** Machines that are examined for one page. Bounds the cost of a page that few machines match. */
export const MAX_EXAMINED_MACHINES = 10_000;
/** Machines of one part of an export. */
export const MAX_EXPORTED_MACHINES = 2_000;
export const MAX_COUNTED_UNLISTED = 1_000;

/** Returns the bits of a machine. */
export function toFacetBits(values: MachineValues, home: FacetValue<'home'>): number {
  const all: Readonly<Record<string, string | null>> = { ...values, home };
  return FACET_NAMES.reduce((bits, facet) => bits | selectFacet(facet, [all[facet]]), 0);
}

/** Returns the bits of values of a facet. Undefined selects all values. */
export function selectFacet(facet: Facet, selected: readonly unknown[] | undefined): number {
  const first = FIRST_BITS[facet];
  return FACETS[facet].reduce(
    (bits, value, place) => (selected === undefined || selected.includes(value) ? bits | (1 << (first + place)) : bits),
    0,
  );
}

/** Adds up machines by facet and value. */
export function countFacets(rows: readonly { readonly facets: number; readonly machines: number }[]): FacetCounts {
  const countOf = (facet: Facet, value: string) =>
    rows.reduce((sum, row) => ((row.facets & selectFacet(facet, [value])) === 0 ? sum : sum + row.machines), 0);
  const facets = FACET_NAMES.map((facet) => [
    facet,
    Object.fromEntries(FACETS[facet].map((value) => [value, countOf(facet, value)])),
  ]);
  return Object.fromEntries(facets) as FacetCounts;
}

const FIRST_BITS = placeFacets();

function placeFacets(): Readonly<Record<Facet, number>> {
  let next = 0;
  const places = FACET_NAMES.map((facet) => {
    const place = next;
    next += FACETS[facet].length;
    return [facet, place];
  });
  return Object.fromEntries(places) as Record<Facet, number>;
}
