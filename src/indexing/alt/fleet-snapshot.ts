/**
 * Ownership snapshot of the alt chain (chain-svm 7). Reads all machines once per interval and stores a result that is
 * complete by the registry's own count. Otherwise the previous snapshot remains and its age grows, which every replica
 * sees.
 */
import {
  formatAltFleetIdentity,
  isNewObservation,
  judgeFleet,
  type FleetReading,
} from '../../domain/alt-chain/alt-fleet.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { isObservationFresh, judgeObservationAge } from '../../domain/index-rules/index-freshness.ts';
import type { AltFleetStore } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import { createLastingCauses, type LastingCauses } from '../loops/lasting-causes.ts';
import { observeAltStep } from './alt-causes.ts';
import { createPollLoop, type PollLoop } from '../loops/poll-loop.ts';
import { createSharedBackoff } from './shared-backoff.ts';

export interface AltFleetWorkerOptions {
  readonly history: Pick<AltHistory, 'checkGenesis' | 'readFleet'>;
  readonly store: AltFleetStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Records what stops the polls; without it only the log does. */
  readonly causes?: LastingCauses | undefined;
  readonly deployment: { readonly genesisHash: AltKey; readonly machineRegistry: AltKey };
  readonly pollIntervalSeconds: number;
}

export interface AltFleetWorker {
  readonly loop: PollLoop;
  /** Resolves when the first snapshot is available. */
  readonly caughtUp: Promise<unknown>;
}

const MAX_ATTEMPTS = 3;
const FIRST_BACKOFF_MILLISECONDS = 1_000;
const MAX_BACKOFF_MILLISECONDS = 60_000;

interface JudgedFleet extends FleetReading {
  readonly verdict: ReturnType<typeof judgeFleet>;
  /** Clock milliseconds at the start of the read. */
  readonly requestedAtMilliseconds: number;
}

export function createAltFleetWorker(options: AltFleetWorkerOptions): AltFleetWorker {
  const { history, store, clock, timers, log, pollIntervalSeconds } = options;
  const pollIntervalMilliseconds = pollIntervalSeconds * 1000;
  const { causes = createLastingCauses({ clock, log, pollIntervalMilliseconds }) } = options;
  const identity = formatAltFleetIdentity(options.deployment);
  const caughtUp = Promise.withResolvers<unknown>();
  const backoff = createSharedBackoff(timers);
  /** Addresses of the last read that did not lack any. */
  let earlierAddresses: ReadonlySet<unknown> = new Set();

  async function poll(signal: AbortSignal): Promise<'idle'> {
    await backoff.run(() => history.checkGenesis(), signal);
    const stored = await store.readAltFleetObservation(identity);
    const { verdict, slot, fleet, requestedAtMilliseconds } = await readFleet(signal);
    const now = clock.nowMilliseconds();
    const ageSeconds = judgeObservationAge(stored?.observedAtMilliseconds, now);
    const isOutdated = !isObservationFresh(ageSeconds, pollIntervalSeconds);
    if (verdict !== 'whole') {
      if (verdict === 'incomplete' || isOutdated) causes.record('fleet-rows', { kind: 'alt-machines-mismatch' });
      log.warn({ verdict }, 'the ownership snapshot of the alt chain was not replaced');
      return 'idle';
    }
    const isNew = isNewObservation(stored, slot, now, pollIntervalSeconds);
    causes.record('fleet-rows', isNew || !isOutdated ? undefined : { kind: 'alt-node-behind' });
    if (isNew) {
      const next = { slot, observedAtMilliseconds: requestedAtMilliseconds };
      // Returns false when another replica has just stored one.
      await store.replaceAltFleet(identity, stored, next, fleet);
    }
    caughtUp.resolve(undefined);
    return 'idle';
  }

  /** Reads the machines; again when they changed meanwhile, or may have. */
  async function readFleet(signal: AbortSignal): Promise<JudgedFleet> {
    for (let attempt = 1; ; attempt++) {
      let requestedAtMilliseconds = clock.nowMilliseconds();
      const read = await backoff.run(() => {
        requestedAtMilliseconds = clock.nowMilliseconds();
        return history.readFleet();
      }, signal);
      const verdict = judgeFleet(read, earlierAddresses);
      if (verdict !== 'incomplete') earlierAddresses = read.fleet.addresses;
      if (verdict !== 'moved' || attempt === MAX_ATTEMPTS) return { ...read, verdict, requestedAtMilliseconds };
    }
  }

  const loop = createPollLoop({
    name: 'alt-fleet-snapshot',
    intervalMilliseconds: pollIntervalMilliseconds,
    firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    maxBackoffMilliseconds: MAX_BACKOFF_MILLISECONDS,
    clock,
    timers,
    log,
    step: (signal) => observeAltStep(causes, 'fleet', () => poll(signal)),
  });
  return { loop, caughtUp: caughtUp.promise };
}
