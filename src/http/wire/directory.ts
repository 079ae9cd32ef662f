/** Maps the directory of machines to JSON and CSV (docs/decisions/directory.md). */
import type { DirectoryIndexes } from '../../actions/directory.ts';
import { formatAddress, formatMachineDid, parseAddress, parseMachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import {
  FACET_NAMES,
  type DirectoryMachine,
  type DirectoryPage,
  type DirectoryPosition,
  type DirectoryProgress,
  type DirectorySummary,
} from '../../domain/machine/machine-directory.ts';
import { toMemberName } from '../schemas/directory.ts';
import { toFleetIndex } from './fleet.ts';
import type { DirectoryEntry, DirectoryResponse, DirectorySummaryResponse } from './response-types.ts';

/** `GET /directory`. */
export function toDirectoryPage(page: DirectoryPage & DirectoryIndexes, namespace: Namespace): DirectoryResponse {
  const { entries, next, progress } = page;
  return {
    machines: entries.map((entry) => toMember(entry, namespace)),
    next: next === undefined ? null : formatCursor(next),
    ...toProgress(progress, page),
  };
}

/** `GET /directory/summary`. */
export function toDirectorySummary(summary: DirectorySummary & DirectoryIndexes): DirectorySummaryResponse {
  const { total, counts, progress } = summary;
  const members = FACET_NAMES.map((facet) => [toMemberName(facet), counts[facet]]);
  return {
    machines: total,
    counts: Object.fromEntries(members) as DirectorySummaryResponse['counts'],
    ...toProgress(progress, summary),
  };
}

/** Parses a cursor; undefined for any other text. */
export function parseCursor(text: string): DirectoryPosition | undefined {
  const [, value, digits] = /^([0-9]{1,16})\.([1-9][0-9]{0,77})$/.exec(text) ?? [];
  const id = digits === undefined ? undefined : parseMachineId(digits);
  return id === undefined ? undefined : { value: Math.min(Number(value), Number.MAX_SAFE_INTEGER), id };
}

export function formatCursor({ value, id }: DirectoryPosition): string {
  return `${value}.${id}`;
}

function toProgress({ unlisted, openedAt }: DirectoryProgress, indexes: DirectoryIndexes) {
  return { unlisted, opened_at: openedAt ?? null, index: toFleetIndex(indexes) };
}

function toMember({ id, values, ...listing }: DirectoryMachine, namespace: Namespace): DirectoryEntry {
  return {
    machine_id: String(id),
    did: formatMachineDid(id, namespace),
    rating: values.rating as DirectoryEntry['rating'],
    bond: values.bond as DirectoryEntry['bond'],
    flag: values.flag as DirectoryEntry['flag'],
    kyb: values.kyb as DirectoryEntry['kyb'],
    chip: values.chip as DirectoryEntry['chip'],
    opt_in: values['opt-in'] as DirectoryEntry['opt_in'],
    home: listing.home,
    score: listing.score,
    operator: formatHolder(values.operator),
    owner: formatHolder(values.owner)!,
    event_count: listing.eventCount,
    total_revenue: listing.revenueCents,
    last_event_at: listing.lastEventAt ?? null,
    block: listing.blockNumber,
    observed_at: listing.observedAt,
  };
}

/** Prints addresses of the main chain in EIP-55 spelling, and keys of the alt chain as they are. */
function formatHolder(text: string | null): string | null {
  const address = text === null ? undefined : parseAddress(text);
  return address === undefined ? text : formatAddress(address);
}

const COLUMNS = [
  ...(['machine_id', 'did', 'home', 'rating', 'score', 'bond', 'flag', 'kyb', 'chip', 'opt_in'] as const),
  ...(['operator', 'owner', 'event_count', 'total_revenue', 'last_event_at', 'block', 'observed_at'] as const),
] satisfies readonly (keyof DirectoryEntry)[];
const QUOTED: readonly string[] = ['machine_id', 'did'];

/** `GET /directory.csv`: one line per machine. Ids are quoted, so that no spreadsheet rounds them. */
export function formatDirectoryCsv({ entries }: DirectoryPage, namespace: Namespace): string {
  const lines = entries.map((entry) => {
    const member = toMember(entry, namespace);
    return COLUMNS.map((name) => (QUOTED.includes(name) ? `"${String(member[name])}"` : (member[name] ?? ''))).join(
      ',',
    );
  });
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}
