/** Layout of the machine registry's singleton: chain ordinal and machine count (chain-svm 3.7). */
import type { AltRegistry } from '../../../domain/alt-chain/alt-deployment.ts';
import type { AccountLayout } from './account-decoder.ts';

const BYTES = 83;

export const registryLayout: AccountLayout<AltRegistry, undefined> = {
  discriminator: '2fae6ef6b8b6fcda',
  allowsLength: (bytes) => bytes === BYTES,
  read: (reader) => {
    reader.take(32 + 32); // admin, lifecycle authority
    const value = { localOrdinal: reader.u16(), machineCount: reader.u64() };
    reader.u8(); // bump
    return { subject: undefined, value };
  },
};
