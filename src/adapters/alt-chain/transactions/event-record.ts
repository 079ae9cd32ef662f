/** Event record encoding shared by accounts, instructions and log lines (chain-svm 3.5: Borsh, no discriminator). */
import type { EventRecord } from '../../../domain/machine/machine-facts.ts';
import type { ByteReader } from '../accounts/byte-reader.ts';

const HASH_BYTES = 32;

/**
 * Reads a record with any type, trust level and currency: a carried record comes from another chain, and the rating decides
 * whether it counts. Throws `Undecodable`.
 */
export function readEventRecord(reader: ByteReader): EventRecord {
  return {
    eventType: reader.u8(),
    value: reader.word(),
    timestamp: reader.u64(),
    dataHash: reader.hex(HASH_BYTES),
    trustLevel: reader.u8(),
    sourceChainId: reader.u64(),
    sourceTxHash: reader.hex(HASH_BYTES),
    metadata: reader.blob(),
    currency: reader.text(),
  };
}

/** Returns whether two records are equal in every member. */
export function isSameRecord(one: EventRecord, other: EventRecord): boolean {
  return (Object.keys(one) as (keyof EventRecord)[]).every((member) => one[member] === other[member]);
}
