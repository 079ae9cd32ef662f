/** What does Verify's onboarding need? Tokens and pinned certificates, which a running service can take over anew, and an end of old challenges. */
import { randomBytes } from 'node:crypto';
import { readTrustFiles } from '../adapters/trust/trust-files.ts';
import type { Config, ConfigReading } from '../config.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { OnboardingConfig } from '../ports/onboarding.ts';
import { nowSeconds } from '../ports/runtime.ts';
import type { Log } from '../ports/runtime.ts';
import type { Store } from '../ports/store.ts';
import { CLOCK } from './process-time.ts';
import { createReloadableOnboarding } from './reloadable-onboarding.ts';
import type { ServiceStart } from './startup.ts';
import { StartRefused } from './start-refused.ts';
import { createIntervalLoop } from './interval-loop.ts';

export interface Onboarding {
  /** Undefined: Verify's onboarding is off. */
  readonly intake: OnboardingConfig | undefined;
  /** Whether it is off because its files are not the pinned certificates. */
  readonly isRefused: boolean;
  readonly loops: readonly PollLoop[];
  /** Takes over onboarding tokens and trust files, from the next request on; with any problem, which is logged, none of them. */
  reload(reading: ConfigReading): Promise<void>;
}

const NONCE_BYTES = 32;
const CLEANUP_INTERVAL_MILLISECONDS = 600_000;

type OnboardingStart = Pick<ServiceStart, 'config' | 'isLenient' | 'store' | 'log'>;

/** Throws `StartRefused` for files that are not the pinned certificates; a lenient start leaves onboarding off, not ready. */
export async function openOnboarding({ config, isLenient, store, log }: OnboardingStart): Promise<Onboarding> {
  const first = await createIntake(config).catch((error: unknown) => {
    if (!isLenient || !(error instanceof StartRefused)) throw error;
    for (const problem of error.problems) log.error({ problem }, 'onboarding stays off');
    return undefined;
  });
  const replaceable = first && createReloadableOnboarding(first);
  let asked = 0;
  let taken = 0;

  async function reload({ config: next, problems }: ConfigReading): Promise<void> {
    const turn = ++asked;
    const refused = [...problems];
    if (refused.length === 0 && (next.verify === undefined) !== (replaceable === undefined)) {
      refused.push('ONBOARDING_TOKENS: onboarding begins and ends with a start of the service');
    }
    if (refused.length === 0) {
      try {
        const intake = await createIntake(next);
        // Its files took longer than those of a later one, whose tokens hold.
        if (turn < taken) return;
        taken = turn;
        if (intake !== undefined) replaceable?.replace(intake);
        log.info({ tokens: intake?.onboardingTokens.length ?? 0 }, 'onboarding tokens and trust files read again');
      } catch (error) {
        if (!(error instanceof StartRefused)) throw error;
        refused.push(...error.problems);
      }
    }
    for (const problem of refused) log.warn({ problem }, 'configuration not taken over');
  }

  return {
    intake: replaceable?.intake,
    isRefused: config.verify !== undefined && first === undefined,
    loops: replaceable === undefined ? [] : [createCleanupLoop(store, log)],
    reload,
  };
}

async function createIntake(config: Config): Promise<OnboardingConfig | undefined> {
  if (config.verify === undefined) return undefined;
  const { onboardingTokens, root, intermediate } = config.verify;
  const reading = await readTrustFiles({ root, intermediate });
  if (reading.problems !== undefined) throw new StartRefused(reading.problems);
  const { challengeLifetimeSeconds, keepEvidence: keepsEvidence } = config;
  const createNonce = () => randomBytes(NONCE_BYTES);
  return { trust: reading.trust, onboardingTokens, challengeLifetimeSeconds, keepsEvidence, createNonce };
}

/** Deletes what nobody needs any more (evidence 11). */
function createCleanupLoop(store: Store, log: Log): PollLoop {
  return createIntervalLoop({
    name: 'old-challenges',
    intervalMilliseconds: CLEANUP_INTERVAL_MILLISECONDS,
    log,
    work: () => store.deleteOldChallenges(nowSeconds(CLOCK)),
  });
}
