/** What the tests of the alt chain's index need at once: a chain in memory, a store, time that passes at once, and one process on them. */
import type { MachineId } from '../domain/identifiers.ts';
import type { AltEventStore } from '../ports/alt-event-store.ts';
import type { Timers } from '../ports/timers.ts';
import { createAltEventHistory } from './alt-event-history.ts';
import { createAltEventIndex } from './alt-event-index.ts';
import type { FakeHistory } from './alt-fake-history.ts';
import { describeFailure } from './failure.ts';
import { createKeptLog } from './kept-log.ts';
import { FINGERPRINT, FixedRates, NEVER } from './test-bench.ts';
import { VirtualTime } from './virtual-time.ts';

export interface AltBenchOptions {
  readonly chain: FakeHistory;
  readonly store: AltEventStore;
  readonly firstSlot?: number;
  readonly identity?: string;
}

/** A second bench on the same chain and store is another process, or the same after its death. */
export function createAltBench({ chain, store, firstSlot = 0, identity = 'genesis=a' }: AltBenchOptions) {
  const time = new VirtualTime();
  const pauses: number[] = [];
  const timers: Timers = {
    async wait(milliseconds) {
      pauses.push(milliseconds);
      time.jump(milliseconds);
    },
  };
  const log = createKeptLog();
  const rates = new FixedRates();
  const events = createAltEventIndex({
    history: chain,
    store,
    fxRates: rates,
    clock: time,
    timers,
    log,
    identity,
    firstSlot,
  });
  const index = createAltEventHistory({ store, log, isRefused: () => events.refusal() !== undefined });

  /** Steps until nothing is left to do, with an hour between rounds; the reasons of the steps that failed. */
  async function settle(rounds = 1): Promise<string[]> {
    const failures: string[] = [];
    for (let round = 0; round < rounds; round++) {
      time.jump(3_600_000);
      for (;;) {
        const outcome = await events.step(NEVER).catch((error: unknown) => {
          failures.push(describeFailure(error).reason);
          return 'failed' as const;
        });
        if (outcome !== 'more') break;
      }
    }
    return failures;
  }

  return { chain, store, time, pauses, log, rates, events, index, settle, read: (id: MachineId) => read(id) };

  /** What a request would rate: whether it is all, and the positions of the events behind it. */
  async function read(id: MachineId) {
    const { isComplete, fold, tail } = await index.readHistory(chain.snapshotOf(id), FINGERPRINT);
    return { isComplete, folded: fold.nextSeq, values: tail.map(({ value }) => Number(value)) };
  }
}
