/**
 * Decoding of the events that the event registry logs (chain-svm 3.6, right half of the table).
 * Logs may be truncated or missing, so they are never the source of a record; they number it and must agree with its instruction.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventRecord } from '../../../domain/machine/machine-facts.ts';
import { ByteReader } from '../accounts/byte-reader.ts';
import { readEventRecord } from './event-record.ts';
import { readMachineId } from './event-registry-instructions.ts';

export type EventLogEvent = (
  | { readonly kind: 'submitted'; readonly eventIndex: bigint; readonly record: EventRecord }
  | { readonly kind: 'imported'; readonly priorEventCount: bigint }
  | { readonly kind: 'adopted'; readonly priorEventCount: bigint; readonly count: bigint }
  | { readonly kind: 'closed'; readonly count: bigint }
) & { readonly machineId: MachineId };

const DISCRIMINATOR_BYTES = 8;
const KEY_BYTES = 32;

const READERS: Readonly<Record<string, (reader: ByteReader, machineId: MachineId) => EventLogEvent>> = {
  // EventSubmitted
  bca6cd9fd7ea8494: (reader, machineId) => ({
    kind: 'submitted',
    machineId,
    eventIndex: reader.u64(),
    record: readEventRecord(reader),
  }),
  // MachineEventsImported
  df9aa2f7a7243770: (reader, machineId) => ({ kind: 'imported', machineId, priorEventCount: reader.u64() }),
  // CarriedEventAdopted
  '94bce30db27982f5': (reader, machineId) => ({
    kind: 'adopted',
    machineId,
    priorEventCount: reader.u64(),
    count: reader.u64(),
  }),
  // MachineEventLogClosed
  '816b9875e1591d43': (reader, machineId) => {
    const count = reader.u64();
    reader.take(KEY_BYTES); // recipient of the rent
    return { kind: 'closed', machineId, count };
  },
};

/**
 * Reads a logged event; undefined when the table does not list it. The payload must be exactly as long as its content, because the
 * discriminator does not identify a layout version. Throws `Undecodable`.
 */
export function readEventLogEvent(payload: Uint8Array): EventLogEvent | undefined {
  const read = READERS[bytesToHex(payload.subarray(0, DISCRIMINATOR_BYTES))];
  if (read === undefined) return undefined;
  const reader = new ByteReader(payload.subarray(DISCRIMINATOR_BYTES));
  const event = read(reader, readMachineId(reader));
  reader.finish();
  return event;
}
