/** Key of the system program: 32 zero bytes. It owns every unallocated account; as a field value it means none. */
import { ALT_KEY_BYTES, formatAltKey, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';

export const SYSTEM_PROGRAM: AltKey = formatAltKey(new Uint8Array(ALT_KEY_BYTES));
