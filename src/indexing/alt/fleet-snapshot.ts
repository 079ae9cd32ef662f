/**
 * Who has which machines on the alt chain now? (chain-svm 7.) Asks for all of them once an interval and keeps an answer that is whole by the
 * registry's own count; anything less leaves the snapshot before it, which grows old where every replica sees it.
 */
import {
  formatAltFleetIdentity,
  judgeFleetCount,
  mayReplaceSnapshot,
  type AltFleet,
} from '../../domain/alt-chain/alt-fleet.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import type { AltFleetStore } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import { createPollLoop, type PollLoop } from '../loops/poll-loop.ts';

export interface AltFleetWorkerOptions {
  readonly history: Pick<AltHistory, 'checkGenesis' | 'readFleet'>;
  readonly store: AltFleetStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly deployment: { readonly genesisHash: AltKey; readonly machineRegistry: AltKey };
  readonly pollIntervalSeconds: number;
}

export interface AltFleetWorker {
  readonly loop: PollLoop;
  /** Resolves when there is a snapshot for the first time. */
  readonly caughtUp: Promise<unknown>;
}

const ATTEMPTS = 3;
const FIRST_BACKOFF_MILLISECONDS = 1_000;
const MAX_BACKOFF_MILLISECONDS = 60_000;

interface WholeFleet {
  readonly slot: number;
  readonly fleet: AltFleet;
  /** Clock milliseconds at which it was asked for. */
  readonly askedAtMilliseconds: number;
}

export function createAltFleetWorker(options: AltFleetWorkerOptions): AltFleetWorker {
  const { history, store, clock, timers, log, pollIntervalSeconds } = options;
  const identity = formatAltFleetIdentity(options.deployment);
  const caughtUp = Promise.withResolvers<unknown>();

  async function poll(): Promise<'idle'> {
    await history.checkGenesis();
    const stored = await store.readAltFleetObservation(identity);
    const read = await readWhole();
    if (read === undefined) return 'idle';
    const { slot, fleet, askedAtMilliseconds } = read;
    if (mayReplaceSnapshot(stored, slot, clock.nowMilliseconds(), pollIntervalSeconds)) {
      const next = { slot, observedAtMilliseconds: askedAtMilliseconds };
      // False: another replica has just stored one.
      await store.replaceAltFleet(identity, stored, next, fleet);
    }
    caughtUp.resolve(undefined);
    return 'idle';
  }

  /** Undefined: machines came and went all the while, or the node left rows out. */
  async function readWhole(): Promise<WholeFleet | undefined> {
    let verdict: ReturnType<typeof judgeFleetCount> = 'moved';
    for (let attempt = 0; attempt < ATTEMPTS && verdict === 'moved'; attempt++) {
      const askedAtMilliseconds = clock.nowMilliseconds();
      const { slot, fleet, countBefore, countAfter } = await history.readFleet();
      verdict = judgeFleetCount(countBefore, countAfter, fleet.rowCount);
      if (verdict !== 'whole') continue;
      if (fleet.unattributed > 0) log.warn({ rows: fleet.unattributed }, 'machines without an operator are unreadable');
      return { slot, fleet, askedAtMilliseconds };
    }
    log.warn({ verdict }, 'the ownership snapshot of the alt chain stays as it was');
    return undefined;
  }

  const loop = createPollLoop({
    name: 'alt-fleet-snapshot',
    intervalMilliseconds: pollIntervalSeconds * 1000,
    firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    maxBackoffMilliseconds: MAX_BACKOFF_MILLISECONDS,
    clock,
    timers,
    log,
    step: poll,
  });
  return { loop, caughtUp: caughtUp.promise };
}
