/** What were the facts of the deployment when they were last read, and do they still hold? Until they are forgotten or too old. */
import type { DeploymentFacts } from '../../../domain/machine/machine-facts.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { isFresh } from '../../rpc/is-fresh.ts';
import type { Deadline } from '../../rpc/deadline.ts';

export interface DeploymentCache {
  /** The last facts that were read, whether or not they still hold. */
  last(): DeploymentFacts | undefined;
  /** The kept facts while they hold. */
  fresh(): DeploymentFacts | undefined;
  /**
   * The same; else read at `block`, where reads under way are shared. What an older block than the newest says is given to the caller alone:
   * the step that would have forgotten it is past. Throws `ChainUnreadable`.
   */
  read(block: Header, deadline: Deadline): Promise<DeploymentFacts>;
  /** Reads kept facts in use anew that will be too old before `byMilliseconds`; they go on serving, and nobody waits. */
  renewAging(byMilliseconds: number, read: () => Promise<DeploymentFacts>): void;
  /** They may have changed. */
  forget(): void;
}

export interface DeploymentCacheOptions {
  readonly clock: Clock;
  readonly maxAgeMilliseconds: number;
  /** Nothing that came after this block is known. */
  readonly isNewest: (block: Header) => boolean;
  readonly readFacts: (block: Header, deadline: Deadline) => Promise<DeploymentFacts>;
}

export function createDeploymentCache(options: DeploymentCacheOptions): DeploymentCache {
  const { clock, maxAgeMilliseconds, isNewest, readFacts } = options;
  let last: DeploymentFacts | undefined;
  let lastAtMilliseconds = 0;
  let isForgotten = true;
  let isUsed = false;
  let underWay: Promise<DeploymentFacts> | undefined;
  let renewing: Promise<DeploymentFacts> | undefined;

  function keep(facts: DeploymentFacts, atMilliseconds: number): void {
    last = facts;
    lastAtMilliseconds = atMilliseconds;
    isForgotten = false;
    isUsed = false;
  }

  function start(block: Header, deadline: Deadline): Promise<DeploymentFacts> {
    const atMilliseconds = clock.nowMilliseconds();
    const reading = readFacts(block, deadline).then(
      (facts) => {
        // Of an older block, or forgotten meanwhile: true of its block, but not to be kept.
        if (underWay === reading) {
          underWay = undefined;
          keep(facts, atMilliseconds);
        }
        last ??= facts;
        return facts;
      },
      (error: unknown) => {
        if (underWay === reading) underWay = undefined;
        throw error;
      },
    );
    if (isNewest(block)) underWay = reading;
    return reading;
  }

  function fresh(): DeploymentFacts | undefined {
    if (isForgotten || !isFresh(clock, lastAtMilliseconds, maxAgeMilliseconds)) return undefined;
    isUsed = true;
    return last;
  }

  async function renew(read: () => Promise<DeploymentFacts>): Promise<void> {
    const atMilliseconds = clock.nowMilliseconds();
    const reading = read();
    renewing = reading;
    const facts = await reading.catch(() => undefined);
    // Forgotten, or read by someone else meanwhile.
    if (renewing !== reading) return;
    renewing = undefined;
    if (facts !== undefined && lastAtMilliseconds < atMilliseconds) keep(facts, atMilliseconds);
  }

  return {
    last: () => last,
    fresh,
    async read(block, deadline) {
      return fresh() ?? underWay ?? start(block, deadline);
    },
    renewAging(byMilliseconds, read) {
      const isAging = !isForgotten && isUsed && lastAtMilliseconds + maxAgeMilliseconds < byMilliseconds;
      if (isAging && underWay === undefined && renewing === undefined) void renew(read);
    },
    forget() {
      isForgotten = true;
      underWay = undefined;
      renewing = undefined;
    },
  };
}
