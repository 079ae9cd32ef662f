/**
 * How does the index of the alt chain's events keep up? (chain-svm 6.) Step by step: list what is new, page by page; read and apply it oldest
 * first, some whole slots at a time; then prove it against the counts of the log accounts, and fold.
 */
import type { AltEventStore, AltWalk } from '../../ports/alt-store.ts';
import type { AltHistory } from '../../ports/alt-chain.ts';
import type { Clock, Log, Timers } from '../../ports/runtime.ts';
import type { FxRates } from '../../ports/rates.ts';
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
  readonly timers: Timers;
  readonly log: Log;
  /** Genesis hash, program and layout version. */
  readonly identity: string;
  readonly firstSlot: number;
  /** Transactions asked for at once. */
  readonly concurrency?: number | undefined;
}

export interface AltEventIndex {
  /** Whether the database is free or holds the index of this deployment. */
  claim(): Promise<boolean>;
  /** One bounded step. `idle`: all is applied, proven as far as it can be, and folded. */
  step(signal: AbortSignal): Promise<StepOutcome>;
  refusal(): IndexRefusal | undefined;
  report(): AltEventIndexReport;
}

export interface AltEventIndexReport {
  readonly appliedTransactions: number;
  readonly parkedTransactions: number;
  /** Machines whose events are incomplete or contradict each other. */
  readonly incompleteMachines: number;
}

const CONCURRENCY = 8;
const TRANSACTIONS_AT_ONCE = 1_000;

export function createAltEventIndex(options: AltEventIndexOptions): AltEventIndex {
  const { history, store, fxRates, clock, timers, log, identity, firstSlot, concurrency = CONCURRENCY } = options;
  const patience = createSharedBackoff(timers);
  const transactions = createTransactionReader({ history, patience, timers, concurrency });
  const join = createAltEventMerge({ history, store, patience });
  const listPage = createSignaturePager({ history, store, patience, clock, log, firstSlot });
  const repair = createHistoryRepair({ history, store, patience, transactions, join, clock, firstSlot });
  const proof = createCountVerification({ history, store, patience, repair, clock, log });
  const folder = createAltEventFolder({ store, fxRates, log });

  let refusal: IndexRefusal | undefined;
  let isClaimed = false;
  /** `walk`: look for what is new. The others follow when nothing is. */
  let phase: 'walk' | 'prove' | 'fold' = 'walk';
  let appliedTransactions = 0;
  let parkedTransactions = 0;

  async function claim(): Promise<boolean> {
    isClaimed = await store.claimAltIdentity(identity);
    if (!isClaimed && refusal === undefined)
      log.error({ refusal: 'other-deployment' }, 'the alt chain’s index is refused');
    refusal = isClaimed ? undefined : 'other-deployment';
    return isClaimed;
  }

  async function step(signal: AbortSignal): Promise<StepOutcome> {
    if (!isClaimed && !(await claim())) throw new IndexRefused('other-deployment');
    if (phase === 'prove') return prove(signal);
    if (phase === 'fold') return fold(signal);
    return follow(signal);
  }

  async function follow(signal: AbortSignal): Promise<StepOutcome> {
    const walk = await store.readAltWalk();
    if (walk.open?.isListed === true) {
      await apply(walk, signal);
    } else {
      if (walk.open === undefined) await patience.ask(() => history.checkGenesis(), signal);
      await listPage(walk, signal);
    }
    if ((await store.readAltWalk()).open === undefined) phase = 'prove';
    return 'more';
  }

  /** The oldest rows in whole slots; with the last of them the interval is done. */
  async function apply({ revision, done, observed, open }: AltWalk, signal: AbortSignal): Promise<void> {
    if (open === undefined) return;
    const rows = await store.listOldestListed(TRANSACTIONS_AT_ONCE);
    const isLast = rows.length < TRANSACTIONS_AT_ONCE;
    const read = await transactions.read(rows, signal);
    if (read === undefined) return;
    const machines = await join(read.operations, signal);
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
    transactions.forget();
    if (!isWritten) return;
    appliedTransactions += rows.length;
    parkedTransactions += read.unreadable.length;
    for (const { slot } of read.unreadable)
      log.warn({ slot }, 'a transaction of the alt chain is unreadable, and parked');
    if (!isLast)
      log.info(
        { slot: newest?.slot, toSlot: open.top.slot, appliedTransactions },
        'the alt chain’s index is catching up',
      );
  }

  async function prove(signal: AbortSignal): Promise<StepOutcome> {
    // A node that refuses to count does not keep anything from being folded.
    phase = 'fold';
    await repair.retryParked(signal);
    if ((await proof.check(signal)) === 'more') phase = 'walk';
    return 'more';
  }

  async function fold(signal: AbortSignal): Promise<StepOutcome> {
    const outcome = await folder.fold(signal);
    if (outcome === 'idle') phase = 'walk';
    return outcome;
  }

  return {
    claim,
    step,
    refusal: () => refusal,
    report: () => ({ appliedTransactions, parkedTransactions, incompleteMachines: proof.report() }),
  };
}
