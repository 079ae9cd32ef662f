/** Address of the system program, which owns wallets and creates accounts: 32 zero bytes. */
import { ALT_KEY_BYTES, formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';

export const SYSTEM_PROGRAM: AltKey = formatAltKey(new Uint8Array(ALT_KEY_BYTES));
