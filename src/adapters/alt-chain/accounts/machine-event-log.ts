/**
 * How many events has a machine here, and which was the last? (chain-svm 3.4.)
 * The account has room for the longest record. A shorter one overwrites only the front, so what follows the bump is garbage.
 */
import type { AltEventLog } from '../../../domain/alt-chain/alt-machine-facts.ts';
import type { AccountLayout } from './account-verdict.ts';
import { Undecodable } from './byte-reader.ts';
import { readEventRecord } from '../transactions/event-record.ts';

/** The account has room for the longest record, whatever it holds. */
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
