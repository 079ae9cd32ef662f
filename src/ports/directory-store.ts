/** Directory of the observed machines (docs/decisions/directory.md). Every method throws `StoreUnavailable`. */
import type { DirectoryPage, DirectoryQuery, DirectorySummary } from '../domain/machine/machine-directory.ts';

export interface DirectoryStore {
  /** Returns at most `limit` machines out of the next `MAX_EXAMINED_MACHINES`, from one consistent read. */
  listDirectory(query: DirectoryQuery): Promise<DirectoryPage>;
  /** Returns the number of listed machines by facet. The cost does not depend on the number of machines. */
  readDirectorySummary(): Promise<DirectorySummary>;
}
