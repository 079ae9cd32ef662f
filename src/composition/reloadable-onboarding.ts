/**
 * Onboarding configuration that can be replaced while the service runs. Holders retain the object and read the values
 * in effect through getters.
 */
import type { OnboardingConfig } from '../ports/onboarding.ts';

export interface ReloadableOnboarding {
  readonly config: OnboardingConfig;
  /** Replaces tokens and trust for later requests; a request in flight may have read either. Everything else stays. */
  replace(next: Pick<OnboardingConfig, 'trust' | 'onboardingTokens'>): void;
}

export function createReloadableOnboarding(first: OnboardingConfig): ReloadableOnboarding {
  let current: Pick<OnboardingConfig, 'trust' | 'onboardingTokens'> = first;
  return {
    config: {
      get trust() {
        return current.trust;
      },
      get onboardingTokens() {
        return current.onboardingTokens;
      },
      challengeLifetimeSeconds: first.challengeLifetimeSeconds,
      storesEvidence: first.storesEvidence,
      createNonce: first.createNonce,
    },
    replace(next) {
      current = next;
    },
  };
}
