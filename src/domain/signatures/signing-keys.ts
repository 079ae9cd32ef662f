/** Who signs in tests? Test support: keys of both chains that really sign, and every implementation that checks what they sign. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { createNativeCurves, type NativeSecp256k1 } from './native-curves.ts';
import { PORTABLE_CURVES } from './portable-curves.ts';
import { createSignatureChecks } from './signature-checks.ts';

export { createAltChainKey, createMainChainKey, spellEd25519, spellRecoverable } from './account-keys.ts';
export type { AltChainKey, MainChainKey } from './account-keys.ts';

/** Stands where the native package will: the same function, which throws where no key can be recovered. */
export const NATIVE_STAND_IN: NativeSecp256k1 = {
  ecdsaRecover(signature, recoveryId, digest, compressed) {
    const bytes = concatBytes(Uint8Array.of(recoveryId), signature);
    return secp256k1.Signature.fromBytes(bytes, 'recovered').recoverPublicKey(digest).toBytes(compressed);
  },
};

export const PORTABLE_CHECKS = createSignatureChecks(PORTABLE_CURVES);
export const NATIVE_CHECKS = createSignatureChecks(createNativeCurves(undefined));

/** Every way in which a service or a client checks signatures. */
export const IMPLEMENTATIONS = [
  ['portable', PORTABLE_CHECKS],
  ['native', NATIVE_CHECKS],
  ['native with a package for secp256k1', createSignatureChecks(createNativeCurves(NATIVE_STAND_IN))],
] as const;
