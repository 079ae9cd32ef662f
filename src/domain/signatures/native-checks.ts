/** By which checks does the service judge signatures? The fast ones; one set for everything that is signed. */
import { createNativeCurves, NATIVE_SECP256K1 } from './native-curves.ts';
import { createSignatureChecks } from './signature-checks.ts';

export const NATIVE_CHECKS = createSignatureChecks(createNativeCurves(NATIVE_SECP256K1));
