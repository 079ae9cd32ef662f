/** Creates the worker that finds changes (docs/decisions/changes.md). */
import { createChangeWorker, type ChangeWorker, type ChangeWorkerOptions } from '../indexing/changes/change-worker.ts';
import { nameLoop } from './named-loop.ts';
import { CLOCK, TIMERS } from './process-time.ts';
import type { ServiceStart } from './startup.ts';

export interface ChangeReads extends Pick<ChangeWorkerOptions, 'observe' | 'readFinalBlock'> {
  /** Resolves when both chains are indexed: machines known by then are the first state of the feed, not changes. */
  readonly caughtUp: Promise<unknown>;
}

export function createChanges(
  { store, log, workScope }: ServiceStart,
  { observe, readFinalBlock, caughtUp }: ChangeReads,
): ChangeWorker {
  let isCaughtUp = false;
  void caughtUp.then(() => (isCaughtUp = true));
  const worker = createChangeWorker({
    ...{ store, observe, log, clock: CLOCK, timers: TIMERS },
    readFinalBlock: async () => (isCaughtUp ? readFinalBlock() : undefined),
  });
  return { ...worker, loop: nameLoop(worker.loop, { kind: 'index' }, workScope) };
}
