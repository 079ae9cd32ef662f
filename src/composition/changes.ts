/** Creates the worker that finds changes (docs/decisions/changes.md). */
import { createChangeWorker, type ChangeWorker, type ChangeWorkerOptions } from '../indexing/changes/change-worker.ts';
import type { Ctx } from '../ports/ctx.ts';
import { nameLoop } from './named-loop.ts';

export interface ChangeReads extends Pick<ChangeWorkerOptions, 'observe' | 'readFinalBlock'> {
  /** Resolves when both chains are indexed: machines known by then are the first state of the feed, not changes. */
  readonly caughtUp: Promise<unknown>;
}

export function createChanges(ctx: Ctx, { observe, readFinalBlock, caughtUp }: ChangeReads): ChangeWorker {
  let isCaughtUp = false;
  void caughtUp.then(() => (isCaughtUp = true));
  const worker = createChangeWorker({
    store: ctx.store,
    readFinalBlock: async () => (isCaughtUp ? readFinalBlock() : undefined),
    observe,
    clock: ctx.clock,
    timers: ctx.timers,
    log: ctx.log,
  });
  const { workScope } = ctx;
  return workScope === undefined ? worker : { ...worker, loop: nameLoop(worker.loop, { kind: 'index' }, workScope) };
}
