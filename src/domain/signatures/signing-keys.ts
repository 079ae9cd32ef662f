/** Who signs in tests? Test support: keys of both chains that really sign, and every implementation that checks what they sign. */
import { NATIVE_CHECKS } from './native-checks.ts';
import { PORTABLE_CURVES } from './portable-curves.ts';
import { createSignatureChecks } from './signature-checks.ts';

export { createAltChainKey, createMainChainKey, spellEd25519, spellRecoverable } from './account-keys.ts';
export type { AltChainKey, MainChainKey } from './account-keys.ts';
export { NATIVE_CHECKS } from './native-checks.ts';

export const PORTABLE_CHECKS = createSignatureChecks(PORTABLE_CURVES);

/** Every way in which a service or a client checks signatures. */
export const IMPLEMENTATIONS = [
  ['portable', PORTABLE_CHECKS],
  ['native', NATIVE_CHECKS],
] as const;
