/** What callers may receive during the failure of a dependency or the host, and until everything has recovered. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { abortAfter } from '../../../testing/harness/granted-time.ts';
import { POLL_INTERVAL_SECONDS, ROUTE_NAMES, ROUTES, type RouteName } from '../../failure-modes-table.ts';
import type { FailureModesFixture } from './failure-modes-fixture.ts';

/** Responses that a route may return. */
export type Allowed = (name: RouteName) => readonly string[];

export interface Expectations {
  /**
   * Requests all reads until each returns what `then` allows, for one poll at most. Meanwhile each returns that, what `before`
   * allows, 503, or no response because the connection is closed.
   */
  settle(before: Allowed, then: Allowed): Promise<void>;
  /** Requests all writes; again, for one poll at most, those that are refused with another 503 because the machine is busy. */
  expectWrites(allowed: Allowed): Promise<void>;
}

export const whenHealthy: Allowed = (name) => [ROUTES[name].healthy];

/** A connection that the process closed instead of serving it. */
export const CLOSED = 'closed';

const READS = ROUTE_NAMES.filter((name) => !ROUTES[name].isWrite);
const WRITES = ROUTE_NAMES.filter((name) => ROUTES[name].isWrite);
const POLL_MILLISECONDS = 250;

export function createExpectations(call: FailureModesFixture['request']): Expectations {
  async function request(route: RouteName): Promise<string> {
    return call(route).catch((error: unknown) => {
      if ((error as Error).name === 'TimeoutError') throw error;
      return CLOSED;
    });
  }

  async function requestAll(names: readonly RouteName[]): Promise<(readonly [RouteName, string])[]> {
    return Promise.all(names.map(async (name) => [name, await request(name)] as const));
  }

  return {
    async settle(before, then) {
      const until = abortAfter(POLL_INTERVAL_SECONDS * 1000);
      for (;;) {
        const row = await requestAll(READS);
        const isKnown = ([name, received]: readonly [RouteName, string]) =>
          received.startsWith('503') || [CLOSED, ...before(name), ...then(name)].includes(received);
        expect(row.filter((each) => !isKnown(each))).toEqual([]);
        const left = row.filter(([name, received]) => !then(name).includes(received));
        if (left.length === 0) return;
        if (until.aborted) expect(left).toEqual([]);
        await delay(POLL_MILLISECONDS);
      }
    },

    async expectWrites(allowed) {
      const until = abortAfter(POLL_INTERVAL_SECONDS * 1000);
      for (let names = WRITES; ;) {
        const left = (await requestAll(names)).filter(([name, received]) => !allowed(name).includes(received));
        const isFinal = ([, received]: readonly [RouteName, string]) => until.aborted || !received.startsWith('503');
        expect(left.filter(isFinal)).toEqual([]);
        if (left.length === 0) return;
        names = left.map(([name]) => name);
        await delay(POLL_MILLISECONDS);
      }
    },
  };
}
