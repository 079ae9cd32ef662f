/**
 * Which transactions are new? (chain-svm 6, "Walking the history".) Pages of signatures are followed from the newest down to the one below
 * which all is applied, each page and the place in the list in one write, so that a walk goes on where it was when the process died.
 */
import type { AltEventStore, AltWalk, ListedTransaction, ObservedSlot, SignatureMark } from '../../ports/alt-store.ts';
import type { AltHistory, SignatureRow } from '../../ports/alt-chain.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { AltHistoryRejected } from './history-rejected.ts';
import type { SharedBackoff } from './shared-backoff.ts';

export interface SignaturePagerOptions {
  readonly history: AltHistory;
  readonly store: AltEventStore;
  readonly patience: SharedBackoff;
  readonly clock: Clock;
  readonly log: Log;
  /** No event is older. */
  readonly firstSlot: number;
}

/** Takes over one page below what is listed. Throws `ChainUnreadable`, `AltNodeBusy`, `AltHistoryRejected`. */
export type ListPage = (walk: AltWalk, signal: AbortSignal) => Promise<void>;

export function createSignaturePager(options: SignaturePagerOptions): ListPage {
  const { history, store, patience, clock, log, firstSlot } = options;

  return async (walk, signal) => {
    const { done, open } = walk;
    const observed = open?.observed ?? (await observe(walk, signal));
    const before = open?.cursor;
    const page = await readPage(before, signal);
    checkPage(page, before);
    const { rows, isEnd } = await cutAtEnd(walk, page);
    await takeOver(walk, observed, rows, isEnd);
    if (done === undefined && isEnd) log.info({ slot: observed.slot }, 'the alt chain’s history is listed');
  };

  /** A server that does not know the row answers with an empty page as well, so an end is asked for twice. */
  async function readPage(before: SignatureMark | undefined, signal: AbortSignal): Promise<readonly SignatureRow[]> {
    const ask = () => patience.ask(() => history.listSignatures('event-registry', before?.signature), signal);
    const page = await ask();
    return page.length === 0 && before !== undefined ? ask() : page;
  }

  async function observe({ done }: AltWalk, signal: AbortSignal): Promise<ObservedSlot> {
    const atMilliseconds = clock.nowMilliseconds();
    const slot = await patience.ask(() => history.readSlot(), signal);
    if (done !== undefined && slot < done.slot) throw new AltHistoryRejected('node-behind');
    if (done === undefined) await checkServesAll(signal);
    return { slot, atMilliseconds };
  }

  async function checkServesAll(signal: AbortSignal): Promise<void> {
    const first = await patience.ask(() => history.readFirstAvailableSlot(), signal);
    if (first > firstSlot) throw new AltHistoryRejected('history-pruned');
  }

  /** The rows above the end of the walk, and whether the page reaches it. */
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

  /** What was listed may lack as much as its end does. */
  async function dropInterval({ revision, done, observed, open }: AltWalk): Promise<void> {
    if (open === undefined) return;
    await store.writeAltIndex(revision, {
      walk: { done, observed, open: undefined },
      unlistThroughSlot: Number.MAX_SAFE_INTEGER,
    });
  }

  /** Another process that was first has done the same. */
  async function takeOver(
    walk: AltWalk,
    observed: ObservedSlot,
    rows: readonly SignatureRow[],
    isEnd: boolean,
  ): Promise<void> {
    const { revision, done } = walk;
    const top = walk.open?.top ?? toMark(rows[0]);
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

/** Throws `AltHistoryRejected` for a page that is not what lies below `before`. */
export function checkPage(page: readonly SignatureRow[], before: SignatureMark | undefined): void {
  if (before !== undefined && page.at(-1)?.signature === before.signature)
    throw new AltHistoryRejected('repeated-page');
  let slot = before?.slot ?? Number.MAX_SAFE_INTEGER;
  for (const row of page) {
    if (row.slot > slot) throw new AltHistoryRejected('out-of-order');
    slot = row.slot;
  }
}

export function toListed({ signature, slot, blockTime }: SignatureRow): ListedTransaction {
  return { signature, slot, blockTime };
}

function toMark(row: SignatureRow | undefined): SignatureMark | undefined {
  return row && { signature: row.signature, slot: row.slot };
}
