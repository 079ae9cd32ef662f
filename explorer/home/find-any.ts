/** Search over everything that this browser knows: shortened ids are found among machines that were viewed or are watched. */
import { findPath } from '../parts/routes.ts';
import { listWatched } from '../watchlist/watchlist.ts';
import { listRecentMachines } from './recent-machines.ts';

export function findAny(text: string): string | undefined {
  const watched = listWatched().flatMap(({ kind, id }) => (kind === 'machine' ? [id] : []));
  return findPath(text, [...listRecentMachines().map(({ id }) => id), ...watched]);
}
