/** Initial data of the event registry's two accounts (chain-svm 3.4 and 3.7). */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import { BorshWriter } from './borsh-writer.ts';

export interface EventRegistryFields {
  /** Adopts carried events. */
  readonly admin: AltKey;
  /** Imports machines and closes logs. */
  readonly lifecycleAuthority: AltKey;
  readonly paused: boolean;
  readonly bump: number;
}

export interface MachineEventLogFields {
  readonly machineId: bigint;
  readonly count: bigint;
  readonly priorEventCount: bigint;
  readonly lastEvent: EventRecord | undefined;
  readonly bump: number;
}

const LOG_BYTES = 452;

export function encodeEventRegistry(fields: EventRegistryFields): Uint8Array {
  return new BorshWriter()
    .hex('862e90eca01c233c')
    .key(fields.admin)
    .key(fields.lifecycleAuthority)
    .bool(fields.paused)
    .u8(fields.bump)
    .bytes();
}

/** Encodes a log with the fixed length of every log, padded with zeros. */
export function encodeMachineEventLog(fields: MachineEventLogFields): Uint8Array {
  const content = new BorshWriter()
    .hex('7a8ada9cb47241f8')
    .word(fields.machineId)
    .u64(fields.count)
    .u64(fields.priorEventCount)
    .option(fields.lastEvent, (writer, record) => writer.eventRecord(record))
    .u8(fields.bump)
    .bytes();
  const account = new Uint8Array(LOG_BYTES);
  account.set(content);
  return account;
}
