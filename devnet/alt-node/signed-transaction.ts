/**
 * How is a transaction of the alt chain put together and signed? With Ed25519 keys from 32-byte seeds, as a wallet does it.
 */
import type { AltKey } from '../../src/domain/alt-identifiers.ts';

export interface AccountUse {
  readonly address: AltKey;
  readonly isSigner?: boolean;
  readonly isWritable?: boolean;
}

export interface PlannedInstruction {
  readonly program: AltKey;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

/** Addresses that a version 0 message names by their position in an account of the chain. */
export interface LookupTable {
  readonly address: AltKey;
  readonly addresses: readonly AltKey[];
}

export interface TransactionPlan {
  readonly instructions: readonly PlannedInstruction[];
  /** 32-byte seeds; the first pays. */
  readonly signers: readonly Uint8Array[];
  /** Given: a version 0 message; absent: a legacy one. */
  readonly lookupTable?: LookupTable | undefined;
}
