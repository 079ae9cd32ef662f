/** Layout of a machine's pause flags (chain-svm 3.2). The older account has the same head; its tail once held event data. */
import type { AltPauseFlags } from '../../../domain/alt-chain/alt-machine-facts.ts';
import type { AccountLayout } from './account-decoder.ts';

const BYTES = 45;
const OLDER_BYTES = 448;

export const machineStateLayout: AccountLayout<AltPauseFlags, bigint> = {
  discriminator: '7ca3f97ab3ba8ff3',
  allowsLength: (bytes) => bytes === BYTES || bytes === OLDER_BYTES,
  hasTail: true,
  read: (reader) => {
    const subject = reader.word();
    const value = {
      operatorPaused: reader.bool(),
      generalPaused: reader.bool(),
      technicalPaused: reader.bool(),
      subscriptionPaused: reader.bool(),
    };
    reader.u8(); // bump
    return { subject, value };
  },
};
