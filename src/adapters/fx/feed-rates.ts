/**
 * Append-only exchange rates of a feed: implementation of `FxRates` (design/scoring.md, Amount; decisions 6).
 *
 * Each daily fetch adds the days after `throughDay` and moves it to yesterday. `throughDay` never moves so far past the feed's newest
 * rate that amounts of that day could not be converted: a stale file from a cache must not close days permanently. The store is
 * authoritative; the table is loaded from it after every change by any replica.
 */
import { RATE_WINDOW_DAYS } from '../../domain/rating/constants.ts';
import type { RateRow } from '../../domain/rating/rate-table.ts';
import { dayOf } from '../../domain/rating/utc-day.ts';
import type { Clock } from '../../ports/runtime.ts';
import { nowSeconds } from '../../ports/runtime.ts';
import type { FxConfiguration, FxRates, FxRefresh } from '../../ports/rates.ts';
import type { FxStore } from '../../ports/store.ts';
import { FeedMalformed } from './euro-quotes.ts';
import type { ReadFeed } from './feed-source.ts';
import { FeedFailed } from './feed-source.ts';
import { buildTable, configurationFingerprint } from './rate-configuration.ts';
import { parseReferenceFile } from './reference-file.ts';
import type { ConfiguredToken } from './tokens-file.ts';

/** Wait after an attempt that did not reach yesterday. */
export const RETRY_SECONDS = 600;

/** Creates rates without a feed: USD and tokens with a fixed rate. */
export function createFixedRates(tokens: readonly ConfiguredToken[]): FxRates {
  const configuration: FxConfiguration = {
    table: buildTable(false, tokens, [], 0),
    fingerprint: configurationFingerprint(false, tokens),
  };
  return { current: () => configuration, refresh: () => Promise.resolve({ kind: 'not-due' }) };
}

/** Creates rates of a feed, starting from the stored ones. Throws `StoreUnavailable`. */
export async function createFeedRates(options: {
  readonly readFeed: ReadFeed;
  readonly tokens: readonly ConfiguredToken[];
  readonly store: FxStore;
  readonly clock: Clock;
}): Promise<FxRates> {
  const rates = new FeedRates(options.readFeed, options.tokens, options.store, options.clock);
  await rates.loadStored();
  return rates;
}

class FeedRates implements FxRates {
  readonly #readFeed: ReadFeed;
  readonly #tokens: readonly ConfiguredToken[];
  readonly #store: FxStore;
  readonly #clock: Clock;
  readonly #fingerprint: string;
  #configuration: FxConfiguration;
  #refreshing: Promise<FxRefresh> | undefined;
  #notBeforeSeconds = 0;

  constructor(readFeed: ReadFeed, tokens: readonly ConfiguredToken[], store: FxStore, clock: Clock) {
    this.#readFeed = readFeed;
    this.#tokens = tokens;
    this.#store = store;
    this.#clock = clock;
    this.#fingerprint = configurationFingerprint(true, tokens);
    this.#configuration = this.#configure([], 0);
  }

  current(): FxConfiguration {
    return this.#configuration;
  }

  refresh(): Promise<FxRefresh> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Loads the stored rates into the table and returns them. */
  async loadStored(): Promise<StoredRates> {
    const { rows, throughDay = 0 } = await this.#store.loadRates();
    if (throughDay !== this.#throughDay) this.#configuration = this.#configure(rows, throughDay);
    return { rows, throughDay };
  }

  get #throughDay(): number {
    return this.#configuration.table.throughDay;
  }

  async #refreshOnce(): Promise<FxRefresh> {
    const now = nowSeconds(this.#clock);
    const yesterday = dayOf(now) - 1;
    if (this.#throughDay >= yesterday || now < this.#notBeforeSeconds) return { kind: 'not-due' };
    this.#notBeforeSeconds = now + RETRY_SECONDS;

    const stored = await this.loadStored();
    if (stored.throughDay >= yesterday) {
      return { kind: 'refreshed', throughDay: stored.throughDay, added: 0, conflicting: 0 };
    }
    let offered: readonly RateRow[];
    try {
      offered = parseReferenceFile(await this.#readFeed());
    } catch (error) {
      return toFailure(error);
    }
    return this.#append(stored, offered, yesterday);
  }

  async #append(stored: StoredRates, offered: readonly RateRow[], yesterday: number): Promise<FxRefresh> {
    const newestDay = offered.reduce((newest, { day }) => Math.max(newest, day), 0);
    const throughDay = Math.min(yesterday, newestDay + RATE_WINDOW_DAYS - 1);
    if (throughDay <= stored.throughDay) return { kind: 'failed', problem: 'stale' };
    const added = offered.filter(({ day }) => day > stored.throughDay && day <= throughDay);
    await this.#store.appendRates(added, throughDay);
    await this.loadStored();
    return {
      kind: 'refreshed',
      throughDay: this.#throughDay,
      added: added.length,
      conflicting: countConflicts(stored, offered),
    };
  }

  #configure(rows: readonly RateRow[], throughDay: number): FxConfiguration {
    return { table: buildTable(true, this.#tokens, rows, throughDay), fingerprint: this.#fingerprint };
  }
}

interface StoredRates {
  readonly rows: readonly RateRow[];
  readonly throughDay: number;
}

/** Counts the offered rates of covered days that differ from the stored ones. */
function countConflicts(stored: StoredRates, offered: readonly RateRow[]): number {
  const known = new Map<string, Map<number, bigint>>();
  for (const { currency, day, rate } of stored.rows) {
    known.set(currency, (known.get(currency) ?? new Map<number, bigint>()).set(day, rate));
  }
  return offered.filter(({ currency, day, rate }) => day <= stored.throughDay && known.get(currency)?.get(day) !== rate)
    .length;
}

function toFailure(error: unknown): FxRefresh {
  if (error instanceof FeedFailed) return { kind: 'failed', problem: error.problem };
  if (error instanceof FeedMalformed) return { kind: 'failed', problem: 'malformed', place: error.place };
  throw error;
}
