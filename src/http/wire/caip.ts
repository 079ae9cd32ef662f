/** Identifiers of the Chain Agnostic Improvement Proposals: accounts (CAIP-10) and tokens (CAIP-19) of both chains. */
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { formatAddress, type Address, type MachineId } from '../../domain/identifiers/identifiers.ts';

/** Characters of the genesis hash that identify an alt chain (CAIP-2). */
const CHAIN_REFERENCE_LENGTH = 32;

export function formatMainAccount(chainId: number, address: Address): string {
  return `eip155:${chainId}:${formatAddress(address)}`;
}

export function formatAltAccount(genesisHash: AltKey, key: AltKey): string {
  return `solana:${genesisHash.slice(0, CHAIN_REFERENCE_LENGTH)}:${key}`;
}

/** Returns the token of a main-chain machine. A machine of the alt chain has none. */
export function formatMachineToken(chainId: number, registry: Address, id: MachineId): string {
  return `eip155:${chainId}/erc721:${registry}/${id}`;
}
