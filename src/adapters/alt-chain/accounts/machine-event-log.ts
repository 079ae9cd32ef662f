/**
 * Layout of a machine's event log: event counts and the last event (chain-svm 3.4).
 * The account is sized for the longest record. A shorter record overwrites only the front, so the bytes after the bump are stale.
 */
import type { AltEventLog } from '../../../domain/alt-chain/alt-machine-facts.ts';
import type { AccountLayout } from './account-decoder.ts';
import { Undecodable } from './byte-reader.ts';
import { readEventRecord } from '../transactions/event-record.ts';

/** Fixed account size, independent of the stored record. */
export const EVENT_LOG_BYTES = 452;

export const EVENT_LOG_DISCRIMINATOR = '7a8ada9cb47241f8';

export const machineEventLogLayout: AccountLayout<AltEventLog, bigint> = {
  discriminator: EVENT_LOG_DISCRIMINATOR,
  allowsLength: (bytes) => bytes === EVENT_LOG_BYTES,
  hasTail: true,
  read: (reader) => {
    const subject = reader.word();
    const value: AltEventLog = {
      count: reader.u64(),
      priorEventCount: reader.u64(),
      lastEvent: reader.option(() => readEventRecord(reader)),
    };
    reader.u8(); // bump
    if (value.lastEvent === undefined && value.count > 0n) throw new Undecodable();
    return { subject, value };
  },
};
