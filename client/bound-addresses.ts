/** What is a wallet of the alt chain bound to? Rating and fleet of the first generation (interface, Address-keyed routes; http-facts 8). */
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import type { FleetPage, PageOptions } from './fleet.ts';
import type { McrRecord } from './machines.ts';

export interface Binding {
  /** As it was asked for. */
  readonly solana_address: string;
  /** Of the main chain, EIP-55. */
  readonly evm_address: string;
}

/** `wallet`: base58 of 32 bytes. */
export function getWalletRating(
  connection: Connection,
  wallet: string,
  options?: AskOptions,
): Promise<Answer<McrRecord & Binding>> {
  return ask(connection, `/solana/mcr/${encodeURIComponent(wallet)}`, isOf(wallet), options);
}

export function listWalletFleet(
  connection: Connection,
  wallet: string,
  { offset = 0, limit = 20, ...options }: PageOptions = {},
): Promise<Answer<FleetPage & Binding>> {
  const path = `/solana/operator/${encodeURIComponent(wallet)}/machines?offset=${offset}&limit=${limit}`;
  return ask(connection, path, isOf(wallet), options);
}

function isOf(wallet: string) {
  return ({ solana_address }: Readonly<Record<string, unknown>>) => solana_address === wallet;
}
