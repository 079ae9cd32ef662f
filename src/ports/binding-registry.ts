/**
 * To which address of the main chain is a wallet of the alt chain bound? (chain-svm 3.8; "Address-keyed routes" of the interface.)
 * Implemented by `adapters/svm`: one account read at finalized commitment. Settled outcomes are kept for 60 seconds, unreadable never.
 */
import type { AltKey } from '../domain/alt-identifiers.ts';
import type { Address } from '../domain/identifiers.ts';

export type WalletBinding =
  | { readonly kind: 'bound'; readonly operator: Address }
  | { readonly kind: 'not-bound' }
  | { readonly kind: 'revoked' };

export interface BindingRegistry {
  /** Throws `ChainUnreadable` of the alt chain for everything that is not settled. */
  readBinding(wallet: AltKey): Promise<WalletBinding>;
}
