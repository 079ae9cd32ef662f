/** Column encoding of machine ids (32 big-endian bytes, so that both databases sort them as numbers) and of generations. */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventGeneration } from '../../../ports/main-chain.ts';

const HEX_DIGITS = 64;

export function toIdBytes(id: MachineId): Buffer {
  return Buffer.from(id.toString(16).padStart(HEX_DIGITS, '0'), 'hex');
}

export function fromIdBytes(bytes: Uint8Array): MachineId {
  return BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`) as MachineId;
}

export function toGenerationNumber(generation: EventGeneration): number {
  return generation === 'legacy' ? 1 : 2;
}

export function fromGenerationNumber(number: number): EventGeneration {
  return number === 1 ? 'legacy' : 'current';
}
