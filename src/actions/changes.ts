/** Reads the feed of changes (docs/decisions/changes.md; decisions 4). */
import type { ChangePage, ChangeRange } from '../domain/changes/machine-change.ts';
import { Fault } from '../domain/faults.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { ChangeQuery } from '../ports/change-store.ts';
import { requireMain } from './find-machine.ts';

/** Query without a cursor begins with the oldest stored change. */
export type ChangePageQuery = Omit<ChangeQuery, 'after'> & { readonly after?: number | undefined };

/** Returns a page of changes. Throws `ChangesGone`, `ServiceNotInitialised`, `StoreUnavailable`. */
export async function listChanges(ctx: Ctx, { after, ...query }: ChangePageQuery): Promise<ChangePage> {
  requireMain(ctx);
  const from = after ?? (await ctx.store.readChangeRange()).prunedThrough;
  const page = await ctx.store.listChanges({ ...query, after: from });
  requireStored(page, from);
  return page;
}

/** Returns the range of the stored changes, which must cover the cursor, if there is one. Throws as `listChanges`. */
export async function requireCursor(ctx: Ctx, after: number | undefined): Promise<ChangeRange> {
  requireMain(ctx);
  const range = await ctx.store.readChangeRange();
  if (after !== undefined) requireStored(range, after);
  return range;
}

/** A cursor beyond the newest change would skip changes without notice once the counter has passed it. */
function requireStored({ newest, prunedThrough }: ChangeRange, after: number): void {
  if (after < prunedThrough || after > newest) throw new Fault('ChangesGone', { oldestAfter: prunedThrough });
}
