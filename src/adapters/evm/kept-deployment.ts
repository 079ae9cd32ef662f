/** What were the facts of the deployment when they were last read, and do they still hold? Until they are forgotten or too old. */
import type { DeploymentFacts } from '../../domain/machine-facts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Header } from '../../ports/main-chain-log.ts';
import { isYounger } from './age.ts';
import type { Deadline } from './deadline.ts';

export interface KeptDeployment {
  /** The last facts that were read, whether or not they still hold. */
  last(): DeploymentFacts | undefined;
  /** The kept facts while they hold. */
  fresh(): DeploymentFacts | undefined;
  /** The same; else read at `block`, where reads under way are shared. Throws `ChainUnreadable`. */
  read(block: Header, deadline: Deadline): Promise<DeploymentFacts>;
  /** They may have changed. */
  forget(): void;
}

export interface KeptDeploymentOptions {
  readonly clock: Clock;
  readonly maxAgeMilliseconds: number;
  readonly readFacts: (block: Header, deadline: Deadline) => Promise<DeploymentFacts>;
}

export function createKeptDeployment({ clock, maxAgeMilliseconds, readFacts }: KeptDeploymentOptions): KeptDeployment {
  let last: DeploymentFacts | undefined;
  let lastAtMilliseconds = 0;
  let isForgotten = true;
  let underWay: Promise<DeploymentFacts> | undefined;

  function start(block: Header, deadline: Deadline): Promise<DeploymentFacts> {
    const atMilliseconds = clock.nowMilliseconds();
    const reading = readFacts(block, deadline).then(
      (facts) => {
        // Forgotten meanwhile: true of its block, but not to be kept.
        if (underWay === reading) {
          underWay = undefined;
          last = facts;
          lastAtMilliseconds = atMilliseconds;
          isForgotten = false;
        }
        last ??= facts;
        return facts;
      },
      (error: unknown) => {
        if (underWay === reading) underWay = undefined;
        throw error;
      },
    );
    underWay = reading;
    return reading;
  }

  function fresh(): DeploymentFacts | undefined {
    return !isForgotten && isYounger(clock, lastAtMilliseconds, maxAgeMilliseconds) ? last : undefined;
  }

  return {
    last: () => last,
    fresh,
    async read(block, deadline) {
      return fresh() ?? underWay ?? start(block, deadline);
    },
    forget() {
      isForgotten = true;
      underWay = undefined;
    },
  };
}
