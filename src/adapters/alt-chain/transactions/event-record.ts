/** How is one event written? (chain-svm 3.5: Borsh, no discriminator.) As an account, an instruction and a log line hold it. */
import type { EventRecord } from '../../../domain/machine/machine-facts.ts';
import type { ByteReader } from '../accounts/byte-reader.ts';

const HASH_BYTES = 32;

/**
 * Takes any type, trust level and currency: a carried record was shaped on another chain, and whether it counts is the rating's
 * question. Throws `Undecodable`.
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

/** Tells whether two records are the same in every member. */
export function isSameRecord(one: EventRecord, other: EventRecord): boolean {
  return (Object.keys(one) as (keyof EventRecord)[]).every((member) => one[member] === other[member]);
}
