/**
 * Directory of machines (decisions 4, docs/decisions/directory.md): every machine of the deployment as it was last observed for the feed of
 * changes. Nothing is read from a chain.
 */
import { type DirectoryPage, type DirectoryQuery, type DirectorySummary } from '../domain/machine/machine-directory.ts';
import { formatAltFleetIdentity } from '../domain/alt-chain/alt-fleet.ts';
import type { Ctx } from '../ports/ctx.ts';
import { requireMain } from './find-machine.ts';
import { requireFreshIndex, requireFreshSnapshot, type FleetPage } from './fleet.ts';

/** Ages of both indexes, which decide whether the observations are current. */
export type DirectoryIndexes = Pick<FleetPage, 'index' | 'altSnapshotAgeSeconds'>;

/**
 * Returns a page of the directory. Throws `OperatorIndexSyncing`, `OperatorIndexStale`, `AltSnapshotOutOfDate`, `ServiceNotInitialised`,
 * `StoreUnavailable`.
 */
export async function listDirectory(ctx: Ctx, query: DirectoryQuery): Promise<DirectoryPage & DirectoryIndexes> {
  const indexes = await requireIndexes(ctx);
  return { ...(await ctx.store.listDirectory(query)), ...indexes };
}

/** Returns the number of machines by facet. Throws as `listDirectory`. */
export async function summarizeDirectory(ctx: Ctx): Promise<DirectorySummary & DirectoryIndexes> {
  const indexes = await requireIndexes(ctx);
  return { ...(await ctx.store.readDirectorySummary()), ...indexes };
}

/** Nothing is observed while an index is behind, so the directory ages with it. */
async function requireIndexes(ctx: Ctx): Promise<DirectoryIndexes> {
  const { alt } = ctx;
  const identity = alt && formatAltFleetIdentity(alt.chain);
  const [head, observation] = await Promise.all([
    requireMain(ctx).index.readMainChainIndex(),
    identity === undefined ? undefined : ctx.store.readAltFleetObservation(identity),
  ]);
  const index = requireFreshIndex(ctx, head);
  return { index, altSnapshotAgeSeconds: alt && requireFreshSnapshot(ctx, observation, ctx.clock.nowMilliseconds()) };
}
