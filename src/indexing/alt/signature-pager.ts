/**
 * Pages through new transaction signatures (chain-svm 6, "Walking the history"). Pages are followed from the newest row
 * down to the last applied one. Each page and the cursor are stored in one write, so that a walk resumes after a crash.
 */
import { isNewObservation, type SlotObservation } from '../../domain/alt-chain/alt-fleet.ts';
import type { AltEventStore, AltWalk, ListedTransaction, SignatureMark } from '../../ports/alt-store.ts';
import type { AltHistory, SignatureRow } from '../../ports/alt-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { AltHistoryRejected, concernsOneResponse } from './history-rejected.ts';
import type { SharedBackoff } from './shared-backoff.ts';

export interface SignaturePagerOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly backoff: SharedBackoff;
  readonly clock: Clock;
  readonly log: Log;
  /** First slot of the deployment's events. */
  readonly firstSlot: number;
  readonly pollIntervalMilliseconds: number;
}

/**
 * Most rows of one slot: a list whose slot never falls would have no end. The fullest known blocks of Solana had some
 * 43,000 transactions.
 */
const MAX_SLOT_ROWS = 100_000;

/** Failed rows that are read to find the top of an interval. */
const MAX_TOP_READS = 5;

/** Last row that was read of a list, and the number of rows of its slot so far. */
export interface ListPosition extends SignatureMark {
  readonly slotRows: number;
}

/** Imports one page below the listed rows. Throws `ChainUnreadable`, `AltNodeBusy`, `AltHistoryRejected`. */
export type ListPage = (walk: AltWalk, signal: AbortSignal) => Promise<void>;

export function createSignaturePager(options: SignaturePagerOptions): ListPage {
  const { history, store, backoff, clock, log, firstSlot, pollIntervalMilliseconds } = options;
  /** Position after the last page. The count of its slot begins again with each process. */
  let position: ListPosition | undefined;

  return async (walk, signal) => {
    const { done, open } = walk;
    const observed = open?.observed ?? (await observe(walk, signal));
    const before = open?.cursor;
    const list = () => backoff.run(() => history.listSignatures('event-registry', before?.signature), signal);
    const page = await readPage(list, before);
    await checkNext(walk, page);
    const { rows, isEnd } = await cutAtEnd(walk, page);
    const top = open?.top ?? (await findTop(rows, signal));
    await storePage(walk, observed, top, rows, isEnd);
    if (done === undefined && isEnd) log.info({ slot: observed.slot }, 'the alt chain’s history is listed');
  };

  async function observe({ done, observed }: AltWalk, signal: AbortSignal): Promise<SlotObservation> {
    const observedAtMilliseconds = clock.nowMilliseconds();
    const slot = await backoff.run(() => history.readSlot(), signal);
    if (done !== undefined && slot < done.slot) throw new AltHistoryRejected('node-behind');
    if (done === undefined) await checkServesAll(signal);
    const next = { slot, observedAtMilliseconds };
    return isNewObservation(observed, slot, clock.nowMilliseconds(), pollIntervalMilliseconds / 1000)
      ? next
      : observed!;
  }

  async function checkServesAll(signal: AbortSignal): Promise<void> {
    const first = await backoff.run(() => history.readFirstAvailableSlot(), signal);
    if (first > firstSlot) throw new AltHistoryRejected('history-pruned');
  }

  async function checkNext(walk: AltWalk, page: readonly SignatureRow[]): Promise<void> {
    const cursor = walk.open?.cursor;
    const isNext = cursor !== undefined && cursor.signature === position?.signature;
    try {
      position = checkPage(page, isNext ? position : cursor && { ...cursor, slotRows: 0 });
    } catch (error) {
      // Every page below would be rejected too.
      if (error instanceof AltHistoryRejected && error.problem === 'too-many-in-slot') await dropInterval(walk);
      throw error;
    }
  }

  /** Returns the rows above the end of the walk, and whether the page reaches it. */
  async function cutAtEnd(
    walk: AltWalk,
    page: readonly SignatureRow[],
  ): Promise<{ readonly rows: readonly SignatureRow[]; readonly isEnd: boolean }> {
    const { done, open } = walk;
    const rows = page.filter(({ signature }) => signature !== open?.cursor.signature);
    if (done === undefined) {
      const end = rows.findIndex(({ slot }) => slot < firstSlot);
      return end === -1 ? { rows, isEnd: page.length === 0 } : { rows: rows.slice(0, end), isEnd: true };
    }
    const end = rows.findIndex(({ signature, slot }) => signature === done.signature || slot < done.slot);
    const isMet = rows[end]?.signature === done.signature;
    if (isMet) return { rows: rows.slice(0, end), isEnd: true };
    if (end === -1 && page.length > 0) return { rows, isEnd: false };
    await dropInterval(walk);
    throw new AltHistoryRejected('done-not-met');
  }

  /** The listed rows may be as incomplete as their end. */
  async function dropInterval({ revision, done, observed, open }: AltWalk): Promise<void> {
    if (open === undefined) return;
    await store.writeAltIndex(revision, {
      walk: { done, observed, open: undefined },
      unlistThroughSlot: Number.MAX_SAFE_INTEGER,
    });
  }

  /**
   * Returns the newest row that is successful, and so is read before it is applied, or that the node has. The next walk
   * ends at this row, and would never meet one that does not exist. Failed rows above it are listed again.
   */
  async function findTop(rows: readonly SignatureRow[], signal: AbortSignal): Promise<SignatureMark | undefined> {
    let reads = 0;
    for (const row of rows) {
      if (!row.hasFailed || (reads++ < MAX_TOP_READS && (await exists(row, signal)))) return toMark(row);
    }
    if (rows.length > 0) throw new AltHistoryRejected('missing-transaction');
    return undefined;
  }

  async function exists(row: SignatureRow, signal: AbortSignal): Promise<boolean> {
    try {
      return (await backoff.run(() => history.readTransaction(row), signal)).state !== 'not-here-yet';
    } catch (error) {
      if (!concernsOneResponse(error)) throw error;
      return false;
    }
  }

  /** If the write is lost, another process has stored the same page. */
  async function storePage(
    walk: AltWalk,
    observed: SlotObservation,
    top: SignatureMark | undefined,
    rows: readonly SignatureRow[],
    isEnd: boolean,
  ): Promise<void> {
    const { revision, done } = walk;
    const cursor = toMark(rows.at(-1)) ?? walk.open?.cursor;
    if (top === undefined || cursor === undefined) {
      await store.writeAltIndex(revision, { walk: { done, observed, open: undefined } });
      return;
    }
    await store.writeAltIndex(revision, {
      walk: { done, observed: walk.observed, open: { top, cursor, isListed: isEnd, observed } },
      listed: rows.filter(({ hasFailed }) => !hasFailed).map(toListed),
    });
  }
}

/** A server that does not know the row before the page also returns an empty one, so the end is requested twice. */
export async function readPage(
  list: () => Promise<readonly SignatureRow[]>,
  before: SignatureMark | undefined,
): Promise<readonly SignatureRow[]> {
  const page = await list();
  return page.length === 0 && before !== undefined ? list() : page;
}

/**
 * Returns the position after a page; undefined after an empty one. Throws `AltHistoryRejected` for a page that does not
 * continue below `before`.
 */
export function checkPage(page: readonly SignatureRow[], before: ListPosition | undefined): ListPosition | undefined {
  if (before !== undefined && page.at(-1)?.signature === before.signature)
    throw new AltHistoryRejected('repeated-page');
  let position = before;
  for (const { signature, slot } of page) {
    if (position !== undefined && slot > position.slot) throw new AltHistoryRejected('out-of-order');
    const slotRows: number = slot === position?.slot ? position.slotRows + 1 : 1;
    if (slotRows > MAX_SLOT_ROWS) throw new AltHistoryRejected('too-many-in-slot');
    position = { signature, slot, slotRows };
  }
  return page.length === 0 ? undefined : position;
}

export function toListed({ signature, slot, blockTime }: SignatureRow): ListedTransaction {
  return { signature, slot, blockTime };
}

function toMark(row: SignatureRow | undefined): SignatureMark | undefined {
  return row && { signature: row.signature, slot: row.slot };
}
