/** Can events be submitted at all? The event registry's singleton (chain-svm 3.7). */
import type { AltEventRegistry } from '../../../domain/alt-deployment.ts';
import type { AccountLayout } from '../account-verdict.ts';

const BYTES = 74;

export const eventRegistryLayout: AccountLayout<AltEventRegistry, undefined> = {
  discriminator: '862e90eca01c233c',
  allowsLength: (bytes) => bytes === BYTES,
  read: (reader) => {
    reader.take(32 + 32); // admin, lifecycle authority
    const value = { paused: reader.bool() };
    reader.u8(); // bump
    return { subject: undefined, value };
  },
};
