/**
 * What is decided about a machine, by whom, and for which deployment? ("Monetization opt-in" of the interface, http-facts 9.)
 */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import { formatAddress, type Address, type MachineId } from '../identifiers/identifiers.ts';

/** What an owner decides about one machine. */
export interface Decision {
  readonly machineId: MachineId;
  readonly optedIn: boolean;
  /** When it was signed, in Unix seconds: 1 to 2^53 - 1. A later decision replaces an earlier one. */
  readonly timestamp: number;
}

/** The account that signed: an address on the main chain, a key on the alt chain. */
export type Signer = Address | AltKey;

/** As it is shown: EIP-55 or base58, in which there is no 0. */
export function formatSigner(signer: Signer): string {
  return signer.startsWith('0x') ? formatAddress(signer as Address) : signer;
}

/** A decision whose signer may take it. */
export interface SignedDecision extends Decision {
  readonly signer: Signer;
}

/** What a deployment publishes about itself, and what every signature is bound to (http-facts 9.1). */
export interface PublishedDeployment {
  /** Canonical decimal, spelled as it is published. */
  readonly chainId: string;
  readonly registry: Address;
}

/** The home chain of a machine as its message names it; `ordinal` is the alt chain's protocol chain ordinal. */
export type DecisionHome = { readonly chain: 'main' } | { readonly chain: 'alt'; readonly ordinal: number };
