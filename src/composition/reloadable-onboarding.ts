/** How are onboarding tokens and trust files replaced while the service runs? What holds the intake keeps it, and reads what is in force when it is asked. */
import type { OnboardingConfig } from '../ports/onboarding.ts';

export interface ReloadableOnboarding {
  readonly intake: OnboardingConfig;
  /** Tokens and trust, from the next request on; one that is under way may have read either. What else there is stays. */
  replace(next: Pick<OnboardingConfig, 'trust' | 'onboardingTokens'>): void;
}

export function createReloadableOnboarding(first: OnboardingConfig): ReloadableOnboarding {
  let current: Pick<OnboardingConfig, 'trust' | 'onboardingTokens'> = first;
  return {
    intake: {
      get trust() {
        return current.trust;
      },
      get onboardingTokens() {
        return current.onboardingTokens;
      },
      challengeLifetimeSeconds: first.challengeLifetimeSeconds,
      keepsEvidence: first.keepsEvidence,
      createNonce: first.createNonce,
    },
    replace(next) {
      current = next;
    },
  };
}
