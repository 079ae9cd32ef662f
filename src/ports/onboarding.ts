/** Onboarding configuration for chips, loaded at start from configuration and files (evidence 4, 7, 11 and 12). */
import type { TrustMaterial } from '../domain/evidence/certificate/trust-material.ts';

export interface OnboardingConfig {
  readonly trust: TrustMaterial;
  /** At least one; SHA-256 in 64 lower-case hex digits. */
  readonly onboardingTokens: readonly { readonly sha256: string }[];
  /** At most 300. */
  readonly challengeLifetimeSeconds: number;
  /** False: only the hashes of accepted documents are stored. */
  readonly storesEvidence: boolean;
  /** Returns 32 random bytes. */
  readonly createNonce: () => Uint8Array;
}
