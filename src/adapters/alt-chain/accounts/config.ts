/** Layout of the state-and-sync singleton: registry program, chain ordinal and chain-wide pause flags (chain-svm 3.7). */
import type { AltConfig } from '../../../domain/alt-chain/alt-deployment.ts';
import type { AccountLayout } from './account-decoder.ts';

const BYTES = 177;

export const configLayout: AccountLayout<AltConfig, undefined> = {
  discriminator: '9b0caae01efacc82',
  allowsLength: (bytes) => bytes === BYTES,
  read: (reader) => {
    reader.take(32 + 32); // admin, adapter store
    const registryProgram = reader.key();
    const localOrdinal = reader.u16();
    reader.take(3 * 20 + 1 + 4 + 4); // three main-chain addresses, bump, two periods
    const value = {
      registryProgram,
      localOrdinal,
      generalPausedGlobal: reader.bool(),
      technicalPausedGlobal: reader.bool(),
    };
    return { subject: undefined, value };
  },
};
