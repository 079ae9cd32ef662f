/** How are onboarding tokens and trust files replaced while the service runs? What holds the intake keeps it, and reads what is in force when it is asked. */
import type { ChipIntake } from '../ports/onboarding.ts';

export interface ReplaceableIntake {
  readonly intake: ChipIntake;
  /** Tokens and trust, from the next request on; one that is under way may have read either. What else there is stays. */
  replace(next: Pick<ChipIntake, 'trust' | 'onboardingTokens'>): void;
}

export function createReplaceableIntake(first: ChipIntake): ReplaceableIntake {
  let current: Pick<ChipIntake, 'trust' | 'onboardingTokens'> = first;
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
