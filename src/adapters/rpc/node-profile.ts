/**
 * What the pool has learned about one node from the outcomes of requests. A profile decides how to ask, never what to
 * accept. It is stored as text, and read back as a hint: a text that is not a profile, or bounds out of range, count as
 * nothing learned.
 */
import { isObject, parseJson } from '../../domain/json/json-values.ts';
import { LogLimits } from '../../domain/index-rules/log-limits.ts';
import { MAX_PROFILE_CHARACTERS } from '../../ports/node-profiles.ts';
import type { Stopwatch } from './deadline.ts';
import { LearnedLimit, type LimitBounds } from './learned-limit.ts';
import { NodeRate } from './node-rate.ts';

/**
 * What a node may lack: a method; the tag `finalized`; log queries for several addresses, or without an address; block
 * numbers in contracts that are those of its chain; calls without a contract.
 */
export type NodeFeature = (typeof NODE_FEATURES)[number];

export const NODE_FEATURES = [
  'eth_getBlockReceipts',
  'finalized',
  'address-lists',
  'logs-of-any-address',
  'own-block-numbers',
  'deployless-calls',
] as const;

/** A missing feature is tried again after this time, because nodes are upgraded. */
const LACK_SECONDS = 86_400;
/**
 * A method is missing after this many refusals in a row, because one of several machines behind a URL may lack what the
 * others serve. It is tried again after this time.
 */
const MAX_METHOD_REFUSALS = 5;
const METHOD_LACK_SECONDS = 600;
const MAX_STORED_LIMITS = 32;
/** A stored rate is used within these bounds, because waiting for a lower one would refuse callers. */
const MIN_CALLS_PER_SECOND = 5;
const MAX_CALLS_PER_SECOND = 1_000_000;

/** What became of a request with a method: `not-found` where the node does not know the method, `refused` for other errors. */
export type MethodOutcome = 'served' | 'refused' | 'not-found';

/** Refusals of a method since it was last served. */
interface MethodRefusals {
  readonly count: number;
  /** How many of the last ones in a row said that the node does not know the method. */
  readonly notFound: number;
  readonly atSeconds: number;
}

export interface NodeProfileOptions {
  readonly stopwatch: Stopwatch;
  readonly nowSeconds: () => number;
  /** Text of an earlier profile. */
  readonly stored?: string | undefined;
}

export class NodeProfile {
  readonly rate: NodeRate;
  readonly logLimits: LogLimits;
  readonly #nowSeconds: () => number;
  readonly #batches = new Map<string, LearnedLimit>();
  readonly #weights = new Map<string, LearnedLimit>();
  /** Bounds of limits that were not used yet. */
  readonly #stored: ReadonlyMap<string, LimitBounds>;
  /** Times at which features were seen to be missing. */
  readonly #lacks: Map<NodeFeature, number>;
  readonly #refusals = new Map<string, MethodRefusals>();

  constructor({ stopwatch, nowSeconds, stored }: NodeProfileOptions) {
    const hint = parseProfile(stored);
    const logs = isObject(hint['logs']) ? hint['logs'] : {};
    this.rate = new NodeRate(stopwatch, parseRate(hint['callsPerSecond']));
    this.logLimits = new LogLimits({ ...(parseBounds(logs) ?? NO_BOUNDS), logs: parseSize(logs['logs']) });
    this.#nowSeconds = nowSeconds;
    this.#stored = parseLimits(hint['limits']);
    this.#lacks = parseLacks(hint['lacks'], nowSeconds());
  }

  /**
   * Returns the limit of items in one request of this method, whose answers differ in size from those of others: calls
   * of a batch, or accounts of a call.
   */
  batchLimit(method: string, max: number): LearnedLimit {
    let limit = this.#batches.get(method);
    if (limit === undefined) {
      const unknown = this.#isWithoutBatches() ? { passed: 1, refused: 2 } : undefined;
      limit = new LearnedLimit(max, this.#stored.get(method) ?? unknown);
      this.#batches.set(method, limit);
    }
    return limit;
  }

  /** Returns the limit of the weight of one call. A refused weight says nothing about batches, and a refused batch nothing about it. */
  weightLimit(name: string, max: number): LearnedLimit {
    const limit = this.#weights.get(name) ?? new LearnedLimit(max, this.#stored.get(name));
    this.#weights.set(name, limit);
    return limit;
  }

  /** Returns whether the feature was missing when it was last used. */
  lacks(feature: NodeFeature): boolean {
    return this.#nowSeconds() - (this.#lacks.get(feature) ?? -Infinity) < LACK_SECONDS;
  }

  recordFeature(feature: NodeFeature, exists: boolean): void {
    if (exists) this.#lacks.delete(feature);
    else this.#lacks.set(feature, this.#nowSeconds());
  }

  /** Returns whether this process was refused the method several times in a row, the last time a few minutes ago. */
  lacksMethod(method: string): boolean {
    const refusals = this.#refusals.get(method);
    if (refusals === undefined || refusals.count < MAX_METHOD_REFUSALS) return false;
    return Math.abs(this.#nowSeconds() - refusals.atSeconds) < METHOD_LACK_SECONDS;
  }

  /** Returns whether the node lacks the method, and did not know it several times in a row. */
  isMethodUnknown(method: string): boolean {
    return this.lacksMethod(method) && this.#refusals.get(method)!.notFound >= MAX_METHOD_REFUSALS;
  }

  recordMethod(method: string, outcome: MethodOutcome): void {
    if (outcome === 'served') {
      this.#refusals.delete(method);
      return;
    }
    const { count, notFound } = this.#refusals.get(method) ?? { count: 0, notFound: 0 };
    this.#refusals.set(method, {
      count: count + 1,
      notFound: outcome === 'not-found' ? notFound + 1 : 0,
      atSeconds: this.#nowSeconds(),
    });
  }

  /** Returns the text to store; undefined while nothing was learned. */
  toText(): string | undefined {
    const used = [...this.#batches, ...this.#weights].map(([name, { bounds }]) => [name, bounds] as const);
    const names = new Set(used.map(([name]) => name));
    const unused = [...this.#stored].filter(([name]) => !names.has(name));
    const limits = [...used, ...unused].filter(([, { refused }]) => refused !== undefined);
    const { bounds } = this.logLimits;
    const rate = this.rate.callsPerSecond;
    const isEmpty = limits.length === 0 && this.#lacks.size === 0 && rate === undefined && bounds.passed === 0;
    if (isEmpty && bounds.refused === undefined) return undefined;
    return JSON.stringify({
      limits: Object.fromEntries(limits.slice(0, MAX_STORED_LIMITS)),
      logs: bounds,
      lacks: Object.fromEntries(this.#lacks),
      ...(rate !== undefined && { callsPerSecond: Number(rate.toPrecision(2)) }),
    });
  }

  /** A node that refuses two calls of one method refuses batches. */
  #isWithoutBatches(): boolean {
    return [...this.#batches.values()].some(({ bounds }) => bounds.refused === 2);
  }
}

const NO_BOUNDS: LimitBounds = { passed: 0, refused: undefined };

function parseProfile(text: string | undefined): Readonly<Record<string, unknown>> {
  const value = text === undefined || text.length > MAX_PROFILE_CHARACTERS ? undefined : parseJson(text);
  return isObject(value) ? value : {};
}

function parseLimits(value: unknown): ReadonlyMap<string, LimitBounds> {
  const entries = isObject(value) ? Object.entries(value).slice(0, MAX_STORED_LIMITS) : [];
  return new Map(
    entries.flatMap(([name, each]) => {
      const bounds = parseBounds(each);
      return bounds === undefined ? [] : [[name, bounds] as const];
    }),
  );
}

/** Returns undefined unless `passed` is below `refused`, and both are sizes. */
function parseBounds(value: unknown): LimitBounds | undefined {
  if (!isObject(value)) return undefined;
  const { passed, refused } = value;
  if (!isSize(passed) || (refused !== undefined && (!isSize(refused) || refused < 2 || passed >= refused)))
    return undefined;
  return { passed, refused };
}

function parseSize(value: unknown): number {
  return isSize(value) ? value : Infinity;
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parseRate(value: unknown): number | undefined {
  const isRate = typeof value === 'number' && value > 0 && value <= MAX_CALLS_PER_SECOND;
  return isRate ? Math.max(value, MIN_CALLS_PER_SECOND) : undefined;
}

function parseLacks(value: unknown, nowSeconds: number): Map<NodeFeature, number> {
  const found = isObject(value) ? value : {};
  return new Map(
    NODE_FEATURES.flatMap((feature) => {
      const at = found[feature];
      return isSize(at) && at <= nowSeconds ? [[feature, at] as const] : [];
    }),
  );
}
