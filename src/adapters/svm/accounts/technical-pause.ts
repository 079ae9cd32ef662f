/** Are the programs locked for an upgrade? The info desk's singleton (chain-svm 3.7); an absent account means no. */
import type { AltTechnicalPause } from '../../../domain/alt-deployment.ts';
import type { AccountLayout } from '../account-verdict.ts';

const BYTES = 18;

export const technicalPauseLayout: AccountLayout<AltTechnicalPause, undefined> = {
  discriminator: '440df73293858dfe',
  allowsLength: (bytes) => bytes === BYTES,
  read: (reader) => {
    const value = { paused: reader.bool(), setAt: reader.i64() };
    reader.u8(); // bump
    return { subject: undefined, value };
  },
};
