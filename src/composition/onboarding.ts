/**
 * Opens Verify's onboarding: tokens and pinned certificates, which can be reloaded while the service runs, and the
 * cleanup of old challenges.
 */
import { randomBytes } from 'node:crypto';
import { readTrustFiles } from '../adapters/trust/trust-files.ts';
import type { Config, ConfigReading } from '../config.ts';
import { isUsable } from '../domain/clock/clock-judgement.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { OnboardingConfig } from '../ports/onboarding.ts';
import { createReloadableOnboarding } from './reloadable-onboarding.ts';
import type { ServiceStart } from './startup.ts';
import { StartRefused } from './start-refused.ts';
import { createIntervalLoop } from './interval-loop.ts';

export interface Onboarding {
  /** Undefined: Verify's onboarding is off. */
  readonly config: OnboardingConfig | undefined;
  /** Whether it is off because its files are not the pinned certificates. */
  readonly isRefused: boolean;
  readonly loops: readonly PollLoop[];
  /** Reloads onboarding tokens and trust files for later requests. Logs any problem, and applies nothing then. */
  reload(reading: ConfigReading): Promise<void>;
}

const NONCE_BYTES = 32;
const CLEANUP_INTERVAL_MILLISECONDS = 600_000;

type OnboardingStart = Pick<ServiceStart, 'config' | 'isLenient' | 'store' | 'log'> & Pick<Ctx, 'trustedClock'>;

/**
 * Throws `StartRefused` for files that are not the pinned certificates. A lenient start leaves onboarding off and the
 * service not ready.
 */
export async function openOnboarding(start: OnboardingStart): Promise<Onboarding> {
  const { config, isLenient, log } = start;
  const first = await loadOnboardingConfig(config).catch((error: unknown) => {
    if (!isLenient || !(error instanceof StartRefused)) throw error;
    for (const problem of error.problems) log.error({ problem }, 'onboarding is disabled');
    return undefined;
  });
  const reloadable = first && createReloadableOnboarding(first);
  let reloads = 0;
  let applied = 0;

  async function reload({ config: next, problems }: ConfigReading): Promise<void> {
    const sequence = ++reloads;
    const found = [...problems];
    if (found.length === 0 && (next.verify === undefined) !== (reloadable === undefined)) {
      found.push('ONBOARDING_TOKENS: onboarding can be turned on or off only by a restart');
    }
    if (found.length === 0) {
      try {
        const onboardingConfig = await loadOnboardingConfig(next);
        // A later reload was applied while these files were read.
        if (sequence < applied) return;
        applied = sequence;
        if (onboardingConfig !== undefined) reloadable?.replace(onboardingConfig);
        log.info(
          { tokens: onboardingConfig?.onboardingTokens.length ?? 0 },
          'onboarding tokens and trust files reloaded',
        );
      } catch (error) {
        if (!(error instanceof StartRefused)) throw error;
        found.push(...error.problems);
      }
    }
    for (const problem of found) log.warn({ problem }, 'configuration not reloaded');
  }

  return {
    config: reloadable?.config,
    isRefused: config.verify !== undefined && first === undefined,
    loops: reloadable === undefined ? [] : [createCleanupLoop(start)],
    reload,
  };
}

async function loadOnboardingConfig(config: Config): Promise<OnboardingConfig | undefined> {
  if (config.verify === undefined) return undefined;
  const { onboardingTokens, root, intermediate } = config.verify;
  const reading = await readTrustFiles({ root, intermediate });
  if (reading.problems !== undefined) throw new StartRefused(reading.problems);
  const { challengeLifetimeSeconds, storesEvidence } = config;
  const createNonce = () => randomBytes(NONCE_BYTES);
  return {
    trust: reading.trust,
    onboardingTokens,
    challengeLifetimeSeconds,
    storesEvidence,
    createNonce,
  };
}

/** Deletes challenges that are no longer needed (evidence 11), while the clock can be used. */
function createCleanupLoop({ store, log, trustedClock }: OnboardingStart): PollLoop {
  return createIntervalLoop({
    name: 'old-challenges',
    intervalMilliseconds: CLEANUP_INTERVAL_MILLISECONDS,
    log,
    async work() {
      const { state, milliseconds } = trustedClock.judge();
      if (isUsable(state)) await store.deleteOldChallenges(Math.floor(milliseconds / 1000));
    },
  });
}
