/** Opt-in decisions: the decision, its signer, and the deployment it is bound to ("Monetization opt-in" of the interface, http-facts 9). */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import { formatAddress, type Address, type MachineId } from '../identifiers/identifiers.ts';

/** One decision about the monetization of a machine. */
export interface Decision {
  readonly machineId: MachineId;
  readonly optedIn: boolean;
  /** Signing time in Unix seconds: 1 to 2^53 - 1. A later decision replaces an earlier one. */
  readonly timestamp: number;
}

/** The account that signed: an address on the main chain, a key on the alt chain. */
export type Signer = Address | AltKey;

/** Formats a signer for responses: an address with its EIP-55 checksum, or base58, which never starts with 0. */
export function formatSigner(signer: Signer): string {
  return signer.startsWith('0x') ? formatAddress(signer as Address) : signer;
}

/** A decision whose signer is authorized. */
export interface SignedDecision extends Decision {
  readonly signer: Signer;
}

/** Identity that a deployment publishes and every signature is bound to (http-facts 9.1). */
export interface PublishedDeployment {
  /** Canonical decimal, exactly as published. */
  readonly chainId: string;
  readonly registry: Address;
}

/** Home chain of a machine in its message; `ordinal` is the alt chain's protocol chain ordinal. */
export type DecisionHome = { readonly chain: 'main' } | { readonly chain: 'alt'; readonly ordinal: number };
