/** By what is the intake of chips judged? Settled at start, from the configuration and its files (evidence 4, 7, 11 and 12). */
import type { TrustMaterial } from '../domain/evidence/certificate/trust-material.ts';

export interface OnboardingConfig {
  readonly trust: TrustMaterial;
  /** At least one; SHA-256 in 64 lower-case hex digits. */
  readonly onboardingTokens: readonly { readonly sha256: string }[];
  /** At most 300. */
  readonly challengeLifetimeSeconds: number;
  /** False: of accepted documents only the hashes are kept. */
  readonly storesEvidence: boolean;
  /** 32 random bytes, never twice the same. */
  readonly createNonce: () => Uint8Array;
}
