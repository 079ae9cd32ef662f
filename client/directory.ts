/** Reads the directory: every machine of the deployment as it was last observed, page by page (decisions 4). */
import type { DirectoryEntry, DirectoryResponse, DirectorySummaryResponse } from '../src/http/wire/response-types.ts';
import { request, type Connection, type RequestOptions, type Result } from './http.ts';

type Values<K extends keyof DirectoryEntry> = readonly DirectoryEntry[K][];

/** Selects machines. A list selects any of its values; what is left out selects all. */
export interface DirectorySelection {
  readonly rating?: Values<'rating'>;
  readonly bond?: Values<'bond'>;
  readonly flag?: Values<'flag'>;
  readonly kyb?: Values<'kyb'>;
  readonly chip?: Values<'chip'>;
  readonly optIn?: Values<'opt_in'>;
  readonly home?: Values<'home'>;
  /** An address or an address DID; the machines are ordered by id. */
  readonly operator?: string;
  /** An address, or a key of the alt chain; the machines are ordered by id. Not beside `operator`. */
  readonly owner?: string;
  /** Unix seconds: machines with an event since then. */
  readonly activeSince?: number;
  /** A key such as `score`; with `-` before it the largest comes first. */
  readonly sort?: string;
  /** `next` of the previous page, in the same order. */
  readonly after?: string;
  /** At most 500; 50 when left out. */
  readonly limit?: number;
}

export type DirectoryOptions = DirectorySelection & RequestOptions;

/** Reads one page. A page may be short before the end: `next` is null when nothing is left. */
export function listDirectory(
  connection: Connection,
  { signal, ...selection }: DirectoryOptions = {},
): Promise<Result<DirectoryResponse>> {
  const isPage = ({ machines, next }: Readonly<Record<string, unknown>>) =>
    Array.isArray(machines) && (next === null || typeof next === 'string');
  return request(connection, `/directory${formatQuery(selection)}`, isPage, signal === undefined ? {} : { signal });
}

/** Reads page after page and ends with the last, or with the first that fails. */
export async function* listWholeDirectory(
  connection: Connection,
  options: DirectoryOptions = {},
): AsyncGenerator<Result<DirectoryResponse>, void, void> {
  for (let { after } = options; ;) {
    const page = await listDirectory(connection, { ...options, ...(after !== undefined && { after }) });
    yield page;
    if (!page.ok || page.value.next === null) return;
    after = page.value.next;
  }
}

/** Reads the number of machines by rating, bond, flag, verification, opt-in and home. */
export function getDirectorySummary(
  connection: Connection,
  options?: RequestOptions,
): Promise<Result<DirectorySummaryResponse>> {
  return request(connection, '/directory/summary', ({ counts }) => typeof counts === 'object', options);
}

/** Parameters are in the order of their names, as the clients of all languages send them. */
function formatQuery(selection: DirectorySelection): string {
  const query = new URLSearchParams();
  const given = selection as Readonly<Record<string, string | number | readonly string[] | undefined>>;
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) query.set(toParameter(name), String(value));
  }
  query.sort();
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function toParameter(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
