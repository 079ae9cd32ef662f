/** Search over everything that this browser knows: shortened ids are found among machines that are listed, were viewed or are watched. */
import { isMachineId } from '../parts/machine-id.ts';
import { findPath } from '../parts/routes.ts';
import { listWatched } from '../watchlist/watchlist.ts';
import { listRecentMachines } from './recent-machines.ts';

export function findAny(text: string): string | undefined {
  const watched = listWatched().flatMap(({ kind, id }) => (kind === 'machine' ? [id] : []));
  const listed = [...document.querySelectorAll('main a[title]')].map((link) => link.getAttribute('title')!);
  return findPath(text, [...listRecentMachines().map(({ id }) => id), ...watched, ...listed.filter(isMachineId)]);
}
