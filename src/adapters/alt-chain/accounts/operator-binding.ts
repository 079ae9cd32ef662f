/** Layout of the binding registry's reverse lookup from a wallet to a main-chain address (chain-svm 3.8). */
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { OperatorBinding } from '../../../domain/alt-chain/alt-machine-facts.ts';
import type { AccountLayout } from './account-decoder.ts';

const BYTES = 77;

/** Creates the layout for a discriminator (16 hex digits). It is configurable so that another registry of this shape can be read. */
export function createOperatorBindingLayout(discriminator: string): AccountLayout<OperatorBinding, AltKey> {
  return {
    discriminator,
    allowsLength: (bytes) => bytes === BYTES,
    read: (reader) => {
      const subject = reader.key();
      const value = { operator: reader.optionalAddress(), lastSeq: reader.u64(), updatedAt: reader.i64() };
      reader.u8(); // bump
      return { subject, value };
    },
  };
}
