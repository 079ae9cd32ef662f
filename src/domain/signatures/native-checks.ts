/** Signature checks of the service: the native ones, shared by everything that verifies signatures. */
import { createNativeCurves, NATIVE_SECP256K1 } from './native-curves.ts';
import { createSignatureChecks } from './signature-checks.ts';

export const NATIVE_CHECKS = createSignatureChecks(createNativeCurves(NATIVE_SECP256K1));
