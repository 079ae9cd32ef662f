/** Reads rating and fleet of the legacy machines that a wallet of the alt chain is bound to (interface, Address-keyed routes; http-facts 8). */
import type { BoundFleetResponse, BoundMcrRecordResponse } from '../src/http/wire/response-types.ts';
import { request, type Result, type RequestOptions, type Connection } from './http.ts';
import type { PageOptions } from './fleet.ts';

/** Reads the rating of the machine that `wallet` (base58 of 32 bytes) is bound to. */
export function getWalletRating(
  connection: Connection,
  wallet: string,
  options?: RequestOptions,
): Promise<Result<BoundMcrRecordResponse>> {
  return request(connection, `/solana/mcr/${encodeURIComponent(wallet)}`, isOf(wallet), options);
}

/** Reads one page of the machines of the operator that `wallet` is bound to. */
export function listWalletFleet(
  connection: Connection,
  wallet: string,
  { offset = 0, limit = 20, ...options }: PageOptions = {},
): Promise<Result<BoundFleetResponse>> {
  const path = `/solana/operator/${encodeURIComponent(wallet)}/machines?offset=${offset}&limit=${limit}`;
  return request(connection, path, isOf(wallet), options);
}

function isOf(wallet: string) {
  return ({ solana_address }: Readonly<Record<string, unknown>>) => solana_address === wallet;
}
