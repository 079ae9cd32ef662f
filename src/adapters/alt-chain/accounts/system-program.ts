/** Which key is 32 zero bytes? That of the system program, which owns whatever no other program owns; as a field it means none. */
import { ALT_KEY_BYTES, formatAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';

export const SYSTEM_PROGRAM: AltKey = formatAltKey(new Uint8Array(ALT_KEY_BYTES));
