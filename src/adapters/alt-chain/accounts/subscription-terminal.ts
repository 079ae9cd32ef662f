/** Layout of a machine's subscription as mirrored from the main chain (chain-svm 3.3). */
import type { AltSubscription } from '../../../domain/alt-chain/alt-machine-facts.ts';
import type { SubscriptionStatus } from '../../../domain/machine/machine-facts.ts';
import type { AccountLayout } from './account-decoder.ts';

const BYTES = 83;
const STATUSES: readonly SubscriptionStatus[] = ['NotActivated', 'Active', 'Grace', 'Runoff', 'Terminated'];

export const subscriptionTerminalLayout: AccountLayout<AltSubscription, bigint> = {
  discriminator: '65451ac76fb175bc',
  allowsLength: (bytes) => bytes === BYTES,
  read: (reader) => {
    const subject = reader.word();
    const value: AltSubscription = {
      tier: reader.u8(),
      status: STATUSES[reader.u8()] ?? 'Unknown',
      periodEnd: reader.i64(),
      lastSeq: reader.u64(),
      lastNonce: reader.u64(),
      openRequestNonce: reader.u64(),
      updatedAt: reader.i64(),
    };
    reader.u8(); // bump
    return { subject, value };
  },
};
