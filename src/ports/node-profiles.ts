/** Storage port of node profiles: what was learned about RPC nodes, as hints for the next start (real-chains 2). */

/** Texts by the SHA-256 of the node's URL, in hexadecimal. */
export type NodeProfiles = ReadonlyMap<string, string>;

/** Bound of one text; a longer one is not read. */
export const MAX_PROFILE_CHARACTERS = 4_096;

export interface NodeProfileStore {
  /** Returns the profiles that were written within 30 days. */
  readNodeProfiles(nowSeconds: number): Promise<NodeProfiles>;
  /** Writes the profiles and deletes those that were not written for 30 days. */
  writeNodeProfiles(profiles: NodeProfiles, nowSeconds: number): Promise<void>;
}
