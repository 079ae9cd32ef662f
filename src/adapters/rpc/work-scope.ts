/**
 * Work scope on `AsyncLocalStorage`. A request that is served from a cache never enters the storage, which costs half a
 * microsecond: its work is a plain variable during the synchronous part of its handler.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChainWork, WorkScope } from '../../ports/runtime.ts';

export function createWorkScope(): WorkScope {
  const storage = new AsyncLocalStorage<ChainWork>();
  let entered: ChainWork | undefined;
  return {
    run: (work, task) => storage.run(describe(work), task),
    enter(work) {
      entered = work;
    },
    leave() {
      entered = undefined;
    },
    extend() {
      if (entered !== undefined) storage.enterWith(describe(entered));
    },
    current: () => (entered === undefined ? storage.getStore() : describe(entered)),
  };
}

/** Returns the work alone: it outlives its request in timers and queues, and a request holds the token of its sender. */
function describe(work: ChainWork): ChainWork {
  if (work.kind !== 'caller') return work;
  const { kind, networks, isLimited = false } = work;
  return { kind, networks, isLimited };
}
