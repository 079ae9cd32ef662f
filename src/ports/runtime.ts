/** Ports of the running process: time, timers, log, leadership, and state shared by replicas. */

import type { ClockState } from '../domain/clock/clock-judgement.ts';
import type { UnreadableCause } from '../domain/faults.ts';

/** The only source of time for rules and actions, so that tests can control it. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMilliseconds(): number;
}

/** Returns whole Unix seconds, rounded down. */
export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMilliseconds() / 1000);
}

/** The only source of delays, so that tests can advance time. */
export interface Timers {
  /** Resolves after the pause, or at once when the signal is or becomes aborted; never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Judges the wall clock (design/provable 3). Implemented by `indexing/head`. */
export interface TrustedClock {
  /**
   * Returns the wall time and its state. `block` is a block that the response is computed from: it may be newer than every head that
   * was followed.
   */
  judge(block?: { readonly timestamp: number }): JudgedTime;
}

export interface JudgedTime {
  readonly state: ClockState;
  readonly milliseconds: number;
}

/** Structured log, one line per fact. Fields are numbers and fixed words, never secrets or texts of an SDK. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Log that discards every message, for what its caller reports itself. */
export const SILENT_LOG: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Leader election: the process that holds the lock follows the chains. An optimization only: writes of two processes that both assume
 * to hold it are still compared and set (architecture, rule 4). Implemented by `adapters/sql`.
 */
export interface LeaderLock {
  /** Acquires the lock if it is free; returns whether it is held. After `StoreUnavailable` it is not held. */
  acquire(): Promise<boolean>;
  /** Releases the lock, if held, and closes its connection; `acquire` can be called again. */
  release(): Promise<void>;
}

/** State of this process that `/ready` reports. */
export interface ProcessState {
  /** The process is draining: it still serves requests, but should receive no new ones. */
  readonly isStopping: () => boolean;
  /** Whether all replicas share their rate-limit counters now; undefined: not configured. */
  readonly isRateLimitDistributed: () => boolean | undefined;
  /** Call budgets of this process, for `/status`. */
  readonly callBudgets?: () => readonly CallBudgetState[];
  /** Payment sources as this process follows them, for `/status`; undefined where it does not. */
  readonly paymentSources?: () => readonly PaymentSourceState[] | undefined;
}

/** State of one payment source in the process that follows it. */
export interface PaymentSourceState {
  /** CAIP-2. */
  readonly name: string;
  /** Whether the last step could read it; undefined before the first one. */
  readonly isUp: boolean | undefined;
  /** Seconds since the finalized head that was read last; undefined before the first one. */
  readonly headAgeSeconds: number | undefined;
  /** Machines that wait for a verdict. */
  readonly waitingMachines: number;
  /** Times since the start that a verdict was postponed, because its transaction could not be read. */
  readonly postponedVerdicts: number;
  /** Cause of the last failure; undefined: none since the start. */
  readonly lastFailure: UnreadableCause | undefined;
}

/** Call budget of one chain in this process (real-chains 3). */
export interface CallBudgetState {
  readonly chain: 'main' | 'alt';
  /** Calls per second that are allowed now; undefined: no limit is known. */
  readonly callsPerSecond: number | undefined;
  /** Requests that wait for their turn. */
  readonly waiting: number;
  /** Reads of callers whose turn did not come in time. */
  readonly refused: number;
  /** Whether proof is stopped for the day. */
  readonly isDayExhausted: boolean;
}

/** Distributed rate-limit counters, shared by all replicas (decisions 3). Implemented by `adapters/redis`; never throws. */
export interface DistributedCounters {
  /** False: the server does not respond, and each replica counts on its own until it does. */
  readonly isUp: () => boolean;
  /**
   * Counts one request of the key, in a window that starts with its first request. Returns 0 if admitted, else the milliseconds until
   * the window ends; undefined without a response in time.
   */
  increment(key: string, limit: number, windowMilliseconds: number): Promise<number | undefined>;
  /** Number of failed calls since the start. */
  readonly failures: () => number;
  close(): Promise<void>;
}

/** Caller that a read of a chain is made for. */
export interface CallerWork {
  readonly kind: 'caller';
  /** Networks of the caller, the widest first: an IPv4 address, or an IPv6 /48 and /64. */
  readonly networks: readonly string[];
  /** True: the caller has too many requests in flight, and only what is cached is served. */
  readonly isLimited?: boolean;
}

/** Work that calls to nodes are made for; its kind decides its share of the call budget (real-chains 3). */
export type ChainWork = { readonly kind: 'head' | 'index' | 'proof' } | CallerWork;

/** Carries the work from where it starts to the adapters that call nodes. Implemented by `adapters/rpc`. */
export interface WorkScope {
  /** Runs a task; whatever it starts, now or later, is done for this work. */
  run<T>(work: ChainWork, task: () => T): T;
  /** Starts the synchronous part of a request. Costs nothing, and covers nothing later unless `extend` is called. */
  enter(work: ChainWork): void;
  /** Ends the synchronous part. */
  leave(): void;
  /** Makes the work of the synchronous part also that of whatever it starts from now on. */
  extend(): void;
  /** Returns the current work; undefined where none was set. */
  current(): ChainWork | undefined;
}
