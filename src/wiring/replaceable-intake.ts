/** How are onboarding tokens and trust files replaced while the service runs? What holds the intake keeps it, and reads what is in force when it is asked. */
import type { ChipIntake } from '../ports/chip-intake.ts';

export interface ReplaceableIntake {
  readonly intake: ChipIntake;
  /** From the next request on; one that is under way may have read either. */
  replace(next: ChipIntake): void;
}

export function createReplaceableIntake(first: ChipIntake): ReplaceableIntake {
  let current = first;
  return {
    intake: {
      get trust() {
        return current.trust;
      },
      get onboardingTokens() {
        return current.onboardingTokens;
      },
      get challengeLifetimeSeconds() {
        return current.challengeLifetimeSeconds;
      },
      get keepsEvidence() {
        return current.keepsEvidence;
      },
      createNonce: () => current.createNonce(),
    },
    replace(next) {
      current = next;
    },
  };
}
