/** Estimates the memory that a snapshot holds, rather too high than too low. */
import type { MachineSnapshot } from '../../../domain/machine/machine-facts.ts';

/** Overhead of an object, an array or a map entry. */
const HEADER_BYTES = 64;

/** Returns bytes. Every member counts once: text at two bytes a character, numbers and slots at eight. */
export function estimateSnapshotBytes(snapshot: MachineSnapshot): number {
  return sizeOf(snapshot) + HEADER_BYTES;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 24 + 2 * value.length;
  if (typeof value === 'bigint') return 24 + 32;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = HEADER_BYTES;
  for (const member of Object.values(value)) bytes += 8 + sizeOf(member);
  return bytes;
}
