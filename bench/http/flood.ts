/**
 * Flood of a rate limiter: new callers that call once each, every second one over IPv6. Steady callers that were present
 * before keep calling, and must be admitted exactly as often as one window allows.
 */

export interface Flood {
  /** Runs until the total number of new callers is reached. */
  runUntil(newCallers: number): void;
  /** Total requests. */
  readonly requests: number;
  readonly newRefused: number;
  /** Admitted requests of steady callers beyond their limit. */
  readonly wronglyAdmitted: number;
  readonly wronglyRefused: number;
}

export const STEADY_CALLERS = 1_000;
export const PATH = '/mcr/did:svc:8935090871296747543187018008787404142168231254631614802744115170449488';
/** Each steady caller sends this multiple of its limit. */
const BEYOND = 2;

export function steadyAddress(index: number): string {
  return `203.0.${index >> 8}.${index & 255}`;
}

/** Returns an address that is unique for at least 2^24 indexes. */
export function floodAddress(index: number): string {
  const [high, low] = [(index >>> 16) & 0xffff, index & 0xffff];
  if (index % 2 === 0) return `${10 + (index >>> 24)}.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return `2001:db8:${high.toString(16)}:${low.toString(16)}::1`;
}

/** Creates a flood; `count` returns 0 when it admits a request. The whole flood must run within one window. */
export function createFlood(
  newCallers: number,
  count: (address: string, path: string) => number,
  limit: number,
): Flood {
  const steadyRequests = STEADY_CALLERS * limit * BEYOND;
  const every = Math.max(1, Math.floor(newCallers / steadyRequests));
  const admitted = new Uint32Array(STEADY_CALLERS);
  const sent = new Uint32Array(STEADY_CALLERS);
  let steady = 0;
  let next = 0;
  let newRefused = 0;
  let wronglyAdmitted = 0;
  let wronglyRefused = 0;

  function askSteady(): void {
    const caller = steady++ % STEADY_CALLERS;
    sent[caller]! += 1;
    const isAdmitted = count(steadyAddress(caller), PATH) === 0;
    if (isAdmitted) admitted[caller]! += 1;
    if (isAdmitted && sent[caller]! > limit) wronglyAdmitted += 1;
    if (!isAdmitted && sent[caller]! <= limit) wronglyRefused += 1;
  }

  return {
    runUntil(end) {
      for (; next < end; next++) {
        if (next % every === 0) askSteady();
        if (count(floodAddress(next), PATH) !== 0) newRefused += 1;
      }
    },
    get requests() {
      return next + steady;
    },
    get newRefused() {
      return newRefused;
    },
    get wronglyAdmitted() {
      return wronglyAdmitted;
    },
    get wronglyRefused() {
      return wronglyRefused;
    },
  };
}
