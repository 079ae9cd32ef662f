/** Directory of the observed machines (docs/decisions/directory.md). Every method throws `StoreUnavailable`. */
import type { AltKey } from '../domain/identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { DirectoryEntry, Facet, FacetCounts } from '../domain/machine/machine-directory.ts';

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
  readonly entries: readonly DirectoryEntry[];
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

export interface DirectoryStore {
  /** Returns at most `limit` machines out of the next `MAX_EXAMINED_MACHINES`, from one consistent read. */
  listDirectory(query: DirectoryQuery): Promise<DirectoryPage>;
  /** Returns the number of listed machines by facet. The cost does not depend on the number of machines. */
  readDirectorySummary(): Promise<DirectorySummary>;
}
