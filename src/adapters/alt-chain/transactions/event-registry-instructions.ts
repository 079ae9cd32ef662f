/**
 * Decoding of the instructions that change a machine's event log (chain-svm 3.6, left half of the table).
 * Instruction data is never truncated, so it is the source of every record. Other programs share the discriminators; callers must
 * check that the event registry executed the instruction.
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

interface InstructionLayout {
  /** Index of the machine's log among the accounts. */
  readonly logAccount: number;
  readonly read: (reader: ByteReader, machineId: MachineId) => EventInstruction;
}

const DISCRIMINATOR_BYTES = 8;

const LAYOUTS: Readonly<Record<string, InstructionLayout>> = {
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
 * Reads an instruction of the event registry; undefined when the table does not list it. Ignores surplus bytes, as the program
 * does. Throws `Undecodable` for a short instruction, which cannot have succeeded.
 */
export function readEventInstruction(
  data: Uint8Array,
): { readonly instruction: EventInstruction; readonly logAccount: number } | undefined {
  const layout = LAYOUTS[bytesToHex(data.subarray(0, DISCRIMINATOR_BYTES))];
  if (layout === undefined) return undefined;
  const reader = new ByteReader(data.subarray(DISCRIMINATOR_BYTES));
  return { instruction: layout.read(reader, readMachineId(reader)), logAccount: layout.logAccount };
}

/** Reads a machine id. Throws `Undecodable`, also for 0, which is not an id. */
export function readMachineId(reader: ByteReader): MachineId {
  const id = toMachineId(reader.word());
  if (id === undefined) throw new Undecodable();
  return id;
}

function readCarried(kind: 'imported' | 'adopted'): InstructionLayout['read'] {
  return (reader, machineId) => ({
    kind,
    machineId,
    priorEventCount: reader.u64(),
    record: reader.option(() => readEventRecord(reader)),
  });
}
