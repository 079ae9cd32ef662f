/**
 * Cache of the deployment's facts: they are served until they are invalidated or too old, and refreshed while they
 * serve.
 */
import type { DeploymentFacts } from '../../../domain/machine/machine-facts.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';
import { createInFlightReads } from './in-flight-reads.ts';

export interface DeploymentCache {
  /** Returns the last facts read, whether or not they are still valid. */
  last(): DeploymentFacts | undefined;
  /** Returns the cached facts while they are valid. */
  fresh(): DeploymentFacts | undefined;
  /**
   * Returns the valid cached facts, else the result of the read in flight, else reads at `block`. Facts of a block
   * older than the newest are returned to the caller only, because the step that would invalidate them has passed.
   * Throws `ChainUnreadable`.
   */
  read(block: Header, deadline: Deadline): Promise<DeploymentFacts>;
  /**
   * Refreshes cached facts in use that expire before `byMilliseconds`. They are served meanwhile, and no caller waits.
   */
  renewAging(byMilliseconds: number, read: () => Promise<DeploymentFacts>): void;
  /** Invalidates the facts: they may have changed. */
  invalidate(): void;
}

export interface DeploymentCacheOptions {
  readonly clock: Clock;
  readonly maxAgeMilliseconds: number;
  /** Returns whether no newer block than this one is known. */
  readonly isNewest: (block: Header) => boolean;
  readonly readFacts: (block: Header, deadline: Deadline) => Promise<DeploymentFacts>;
}

export function createDeploymentCache(options: DeploymentCacheOptions): DeploymentCache {
  const { clock, maxAgeMilliseconds, isNewest, readFacts } = options;
  const inFlight = createInFlightReads<'read' | 'renewal', DeploymentFacts>();
  let last: DeploymentFacts | undefined;
  let lastAtMilliseconds = 0;
  let isValid = false;
  let isUsed = false;

  function store(facts: DeploymentFacts, atMilliseconds: number): void {
    last = facts;
    lastAtMilliseconds = atMilliseconds;
    isValid = true;
    isUsed = false;
  }

  function start(block: Header, deadline: Deadline): Promise<DeploymentFacts> {
    const atMilliseconds = clock.nowMilliseconds();
    const result = readFacts(block, deadline);
    if (isNewest(block)) inFlight.start('read', result, undefined, (facts) => store(facts, atMilliseconds));
    return result.then((facts) => {
      last ??= facts;
      return facts;
    });
  }

  function fresh(): DeploymentFacts | undefined {
    if (!isValid || !isFresh(clock, lastAtMilliseconds, maxAgeMilliseconds)) return undefined;
    isUsed = true;
    return last;
  }

  return {
    last: () => last,
    fresh,
    async read(block, deadline) {
      return fresh() ?? inFlight.get('read')?.result ?? start(block, deadline);
    },
    renewAging(byMilliseconds, read) {
      const isAging = isValid && isUsed && lastAtMilliseconds + maxAgeMilliseconds < byMilliseconds;
      if (!isAging || inFlight.get('read') !== undefined || inFlight.get('renewal') !== undefined) return;
      const atMilliseconds = clock.nowMilliseconds();
      inFlight.start('renewal', read(), undefined, (facts) => {
        // A reader may have stored newer facts in the meantime.
        if (lastAtMilliseconds < atMilliseconds) store(facts, atMilliseconds);
      });
    },
    invalidate() {
      isValid = false;
      inFlight.supersedeAll();
    },
  };
}
