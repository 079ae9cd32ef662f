/**
 * Which instructions change a machine's event log, and what do they carry? (chain-svm 3.6, left half of the table.)
 * Instruction data is never cut, so it is the source of every record. The discriminators are shared with other programs: the
 * caller has already seen that the event registry executed it.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { toMachineId, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { EventRecord } from '../../../domain/machine/machine-facts.ts';
import { ByteReader, Undecodable } from '../accounts/byte-reader.ts';
import { readEventRecord } from './event-record.ts';

export type EventInstruction = (
  | { readonly kind: 'submitted'; readonly record: EventRecord }
  | { readonly kind: 'imported'; readonly priorEventCount: bigint; readonly record: EventRecord | undefined }
  | { readonly kind: 'adopted'; readonly priorEventCount: bigint; readonly record: EventRecord | undefined }
  | { readonly kind: 'closed' }
) & { readonly machineId: MachineId };

interface InstructionForm {
  /** Position of the machine's log among the accounts. */
  readonly logAccount: number;
  readonly read: (reader: ByteReader, machineId: MachineId) => EventInstruction;
}

const DISCRIMINATOR_BYTES = 8;

const FORMS: Readonly<Record<string, InstructionForm>> = {
  // submit_event
  aa7f8995a8b2ff0c: {
    logAccount: 4,
    read: (reader, machineId) => ({ kind: 'submitted', machineId, record: readEventRecord(reader) }),
  },
  // import_machine
  '6ebec5ec87be4d42': { logAccount: 3, read: readCarried('imported') },
  // adopt_carried_event
  '5ec1c766cb544f04': { logAccount: 3, read: readCarried('adopted') },
  // close_machine_event_log
  '838668416997ca7c': { logAccount: 3, read: (_reader, machineId) => ({ kind: 'closed', machineId }) },
};

/**
 * Reads an instruction of the event registry; undefined when it is none of the table. Surplus bytes are ignored, as the program
 * does. Throws `Undecodable` for a short one, which cannot have succeeded.
 */
export function readEventInstruction(
  data: Uint8Array,
): { readonly instruction: EventInstruction; readonly logAccount: number } | undefined {
  const form = FORMS[bytesToHex(data.subarray(0, DISCRIMINATOR_BYTES))];
  if (form === undefined) return undefined;
  const reader = new ByteReader(data.subarray(DISCRIMINATOR_BYTES));
  return { instruction: form.read(reader, readMachineId(reader)), logAccount: form.logAccount };
}

/** Reads a machine id; 0 is no machine. Throws `Undecodable`. */
export function readMachineId(reader: ByteReader): MachineId {
  const id = toMachineId(reader.word());
  if (id === undefined) throw new Undecodable();
  return id;
}

function readCarried(kind: 'imported' | 'adopted'): InstructionForm['read'] {
  return (reader, machineId) => ({
    kind,
    machineId,
    priorEventCount: reader.u64(),
    record: reader.option(() => readEventRecord(reader)),
  });
}
