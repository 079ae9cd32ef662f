/**
 * Process time that passes only while the process is idle. Clocks and timers are virtual, and advance to the next timer
 * as soon as no HTTP request and no worker is at work. A busy machine then misses no deadline, and waiting takes no time.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { VirtualTime } from '../../sim/virtual-time.ts';

export interface IdleTime {
  /** Restores the clocks and timers of the process. */
  stop(): void;
}

/** Turns of the event loop without work in flight after which the process counts as idle. */
const QUIET_TURNS = 24;
/** Turns with work in flight between two pauses, which leave the processor to other processes. */
const WAITS_PER_PAUSE = 16;
/** Work that neither ends nor changes for so long in real time counts as lost. */
const LOST_MILLISECONDS = 60_000;
const STEP_MILLISECONDS = 1_000;

/** Replaces `Date.now`, `performance.now` and all timers of this process. Timers that are set already stay real. */
export function startIdleTime(): IdleTime {
  const real = {
    dateNow: Date.now,
    performanceNow: performance.now,
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    timeout: AbortSignal.timeout,
    delay: timersPromises.setTimeout,
    postMessage: Worker.prototype.postMessage,
  };
  const monotonicNow = () => real.performanceNow.call(performance);
  const inFlight = new Set<object>();
  let changedAt = monotonicNow();
  let isStopped = false;

  function add(work: object): void {
    inFlight.add(work);
    changedAt = monotonicNow();
  }
  function remove(work: object): void {
    inFlight.delete(work);
    changedAt = monotonicNow();
  }

  async function settle(): Promise<void> {
    let waits = 0;
    for (let turns = 0; turns < QUIET_TURNS && !isStopped;) {
      if (inFlight.size === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
        continue;
      }
      turns = 0;
      // Most work is of this process and ends within a few turns.
      if (++waits % WAITS_PER_PAUSE === 0) await real.delay(1);
      else await new Promise((resolve) => setImmediate(resolve));
      if (monotonicNow() - changedAt > LOST_MILLISECONDS) inFlight.clear();
    }
  }

  const time = new VirtualTime(monotonicNow(), settle);
  const wallOffset = real.dateNow() - time.nowMilliseconds();
  const stopTracking = trackRequests(add, remove);

  /** Timer with the members that libraries use. */
  class Timer {
    readonly #act: () => void;
    readonly #milliseconds: number;
    readonly #repeats: boolean;
    #cancel: () => void = () => undefined;

    constructor(act: () => void, milliseconds: number, repeats: boolean) {
      this.#act = act;
      this.#milliseconds = Math.max(1, milliseconds || 0);
      this.#repeats = repeats;
      this.refresh();
    }

    refresh(): this {
      this.#cancel();
      this.#cancel = time.after(this.#milliseconds, () => {
        if (this.#repeats) this.refresh();
        this.#act();
      });
      return this;
    }

    close(): void {
      this.#cancel();
    }

    ref = () => this;
    unref = () => this;
    hasRef = () => true;
  }

  const clear = (timer: unknown) => {
    if (timer instanceof Timer) timer.close();
    else real.clearTimeout(timer as NodeJS.Timeout);
  };
  const start =
    (repeats: boolean) =>
    (act: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
      new Timer(() => act(...args), milliseconds, repeats);
  async function delay<T>(milliseconds = 0, value?: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T> {
    await time.pause(milliseconds, signal ?? new AbortController().signal);
    return value as T;
  }

  Date.now = () => Math.floor(time.nowMilliseconds() + wallOffset);
  performance.now = () => time.nowMilliseconds();
  Object.assign(globalThis, {
    setTimeout: start(false),
    setInterval: start(true),
    clearTimeout: clear,
    clearInterval: clear,
  });
  AbortSignal.timeout = (milliseconds) => time.startTimeout(milliseconds);
  timersPromises.setTimeout = delay as typeof timersPromises.setTimeout;
  syncBuiltinESMExports();
  Worker.prototype.postMessage = function (this: Worker, ...args: Parameters<Worker['postMessage']>) {
    const work = {};
    add(work);
    const end = () => {
      this.off('message', end);
      this.off('exit', end);
      remove(work);
    };
    this.on('message', end);
    this.on('exit', end);
    real.postMessage.apply(this, args);
  };

  const advancing = async () => {
    while (!isStopped) await time.advance(STEP_MILLISECONDS);
  };
  void advancing();

  return {
    stop() {
      isStopped = true;
      stopTracking();
      Date.now = real.dateNow;
      performance.now = real.performanceNow;
      const { setTimeout, clearTimeout, setInterval, clearInterval } = real;
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      AbortSignal.timeout = real.timeout;
      timersPromises.setTimeout = real.delay;
      syncBuiltinESMExports();
      Worker.prototype.postMessage = real.postMessage;
    },
  };
}

/** Reports the start and the end of each request of an HTTP client in this process. */
function trackRequests(add: (request: object) => void, remove: (request: object) => void): () => void {
  const of = (report: (request: object) => void) => (message: unknown) => {
    report((message as { readonly request: object }).request);
  };
  const channels = [
    ['undici:request:create', of(add)],
    ['undici:request:trailers', of(remove)],
    ['undici:request:error', of(remove)],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  return () => {
    for (const [name, listener] of channels) unsubscribe(name, listener);
  };
}
