/**
 * Index of alt-chain events (chain-svm 6). Each step does one thing: list new transactions page by page; read and apply
 * them oldest first in whole slots; verify the result against the counts of the log accounts; fold.
 */
import type { AltEventStore, AltWalk } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import type { FxRates } from '../../ports/rates.ts';
import { MAX_HELD_BACK_MILLISECONDS, type PaymentScanner } from '../payments/payment-scanner.ts';
import { readAltEvents } from '../payments/scanned-events.ts';
import { createAltEventFolder } from './event-folder.ts';
import { createAltEventMerge } from './event-merge.ts';
import { createCountVerification } from './count-verification.ts';
import { createHistoryRepair, park } from './history-repair.ts';
import { createSignaturePager } from './signature-pager.ts';
import { createSharedBackoff } from './shared-backoff.ts';
import { createTransactionReader } from './transaction-reader.ts';
import { IndexRefused, type IndexRefusal } from '../loops/index-integrity.ts';
import type { StepOutcome } from '../loops/poll-loop.ts';

export interface AltEventIndexOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly fxRates: FxRates;
  readonly clock: Clock;
  /** For the time for which events are incomplete, which a jump of the clock must not change; `clock` where it is left out. */
  readonly monotonicClock?: Clock | undefined;
  readonly timers: Timers;
  readonly log: Log;
  /** Genesis hash, program and layout version. */
  readonly identity: string;
  readonly firstSlot: number;
  readonly pollIntervalMilliseconds: number;
  /** Searches events for payments; absent without payment sources. */
  readonly payments?: PaymentScanner | undefined;
}

export interface AltEventIndex {
  /** Claims the database for this deployment. Returns false when it holds the index of another one. */
  claim(): Promise<boolean>;
  /** Returns what the next step does. `walk` lists and applies new transactions; the others follow when there are none. */
  phase(): 'walk' | 'verify' | 'fold';
  /** Runs one bounded step. `idle`: everything is applied, verified as far as possible, and folded. */
  step(signal: AbortSignal): Promise<StepOutcome>;
  refusal(): IndexRefusal | undefined;
}

const TRANSACTIONS_PER_BATCH = 1_000;
/** Time of a search after which no verdict can be made. */
const NOTHING_SEARCHED = -1;

export function createAltEventIndex(options: AltEventIndexOptions): AltEventIndex {
  const { history, store, fxRates, clock, timers, log, identity, firstSlot, pollIntervalMilliseconds } = options;
  const { monotonicClock = clock } = options;
  const backoff = createSharedBackoff(timers);
  const transactions = createTransactionReader({ history, backoff, timers });
  const merge = createAltEventMerge({ history, store, backoff });
  const listPage = createSignaturePager({ history, store, backoff, clock, log, firstSlot, pollIntervalMilliseconds });
  const repair = createHistoryRepair({ history, store, backoff, transactions, merge, clock, firstSlot });
  const verification = createCountVerification({ history, store, backoff, repair, clock: monotonicClock, log });
  const folder = createAltEventFolder({ store, fxRates, log });

  /** Newest slot at which no machine lacked events. */
  let searchable: { readonly slot: number; readonly time: number } | undefined;
  /** Search of the current phase, which is not repeated while events are folded. */
  let search: Promise<StepOutcome> | undefined;
  /** Monotonic clock at the first search of this process. */
  let heldBackFrom: number | undefined;
  let refusal: IndexRefusal | undefined;
  let phase: ReturnType<AltEventIndex['phase']> = 'walk';
  let appliedTransactions = 0;

  async function claim(): Promise<boolean> {
    const isClaimed = await store.claimAltIdentity(identity);
    if (!isClaimed && refusal === undefined)
      log.error({ refusal: 'other-deployment' }, 'the alt-chain index is refused');
    refusal = isClaimed ? undefined : 'other-deployment';
    return isClaimed;
  }

  async function step(signal: AbortSignal): Promise<StepOutcome> {
    // Before the walk begins, another process may replace the claim.
    if (phase === 'walk' && !(await claim())) throw new IndexRefused('other-deployment');
    if (phase === 'verify') return verify(signal);
    if (phase === 'fold') return fold(signal);
    return follow(signal);
  }

  async function follow(signal: AbortSignal): Promise<StepOutcome> {
    const walk = await store.readAltWalk();
    if (walk.open?.isListed === true) {
      await apply(walk, signal);
    } else {
      if (walk.open === undefined) await backoff.run(() => history.checkGenesis(), signal);
      await listPage(walk, signal);
    }
    if ((await store.readAltWalk()).open === undefined) phase = 'verify';
    return 'more';
  }

  /** Applies the oldest rows in whole slots; the last of them completes the interval. */
  async function apply({ revision, done, observed, open }: AltWalk, signal: AbortSignal): Promise<void> {
    if (open === undefined) return;
    const rows = await store.listOldestListed(TRANSACTIONS_PER_BATCH);
    const isLast = rows.length < TRANSACTIONS_PER_BATCH;
    const read = await transactions.read(rows, signal);
    if (read === undefined) return;
    const machines = await merge(read.operations, signal);
    const newest = rows.at(-1);
    const now = clock.nowMilliseconds();
    const isWritten = await store.writeAltIndex(revision, {
      walk: isLast
        ? { done: open.top, observed: open.observed, open: undefined }
        : { done: newest === undefined ? done : { signature: newest.signature, slot: newest.slot }, observed, open },
      ...(newest === undefined ? {} : { unlistThroughSlot: newest.slot }),
      machines,
      parked: read.unreadable.map((row) => park(row, 1, now)),
    });
    transactions.clear();
    if (!isWritten) return;
    appliedTransactions += rows.length;
    for (const { slot } of read.unreadable) log.warn({ slot }, 'an alt-chain transaction is unreadable and parked');
    if (!isLast)
      log.info(
        { slot: newest?.slot, toSlot: open.top.slot, appliedTransactions },
        'the alt-chain index is catching up',
      );
  }

  async function verify(signal: AbortSignal): Promise<StepOutcome> {
    // Folding continues even if the node refuses to return counts.
    phase = 'fold';
    // Verification runs even if a parked transaction fails, which the step then reports.
    const [retried] = await Promise.allSettled([repair.retryParked(signal)]);
    if ((await verification.check(signal)) === 'more') phase = 'walk';
    if (retried.status === 'rejected') throw retried.reason;
    return 'more';
  }

  /** Events are folded also where the search for payments fails, which the step reports when nothing is left to fold. */
  async function fold(signal: AbortSignal): Promise<StepOutcome> {
    search ??= scanPayments(signal);
    const current = search;
    const [searched] = await Promise.allSettled([current]);
    const hasMore = searched.status === 'fulfilled' && searched.value === 'more';
    if (!hasMore && (await folder.fold(signal)) === 'more') return 'more';
    search = undefined;
    if (!hasMore) phase = 'walk';
    return current;
  }

  async function scanPayments(signal: AbortSignal): Promise<StepOutcome> {
    const { payments } = options;
    const { observed } = await store.readAltWalk();
    if (payments === undefined || observed === undefined) return 'idle';
    const time = await findSearchTime(observed.slot, signal);
    if (time === undefined) return 'idle';
    const reads = {
      readEvents: readAltEvents(store),
      readBlockSignatures: (slot: number) => backoff.run(() => history.readBlockSignatures(slot), signal),
    };
    return payments.scan('alt', { block: observed.slot, time }, reads, signal);
  }

  /**
   * Returns the time up to which the claims of all machines are known. Machines that lack events hold it back for a limited time, so that
   * one that is never complete does not stop the verdicts on all others.
   */
  async function findSearchTime(observedSlot: number, signal: AbortSignal): Promise<number | undefined> {
    const readTime = (slot: number) => backoff.run(() => history.readBlockTime(slot), signal);
    const complete = verification.complete();
    const slot = Math.min(observedSlot, complete?.slot ?? -1);
    if (slot !== -1 && slot !== searchable?.slot) {
      const time = await readTime(slot);
      if (time !== undefined) searchable = { slot, time };
    }
    const now = monotonicClock.nowMilliseconds();
    heldBackFrom ??= now;
    const heldBackMilliseconds = now - Math.max(heldBackFrom, complete?.atMilliseconds ?? 0);
    if (heldBackMilliseconds < MAX_HELD_BACK_MILLISECONDS) return searchable?.time ?? NOTHING_SEARCHED;
    return readTime(observedSlot);
  }

  return {
    claim,
    phase: () => phase,
    step,
    refusal: () => refusal,
  };
}
