/** Maps rating and fleet of a bound wallet to their responses: the ordinary ones with two more members, last (http-facts 8). */
import type { BoundFleetPage, RatedLegacyMachine } from '../../actions/bound-addresses.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { formatAddress, formatAddressDid, type Address } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { toEntry, toFleetPage } from './fleet.ts';
import { toMcrRecord } from './machines.ts';
import type { BoundFleetResponse, BoundMcrRecordResponse } from './response-types.ts';
import type { Sent } from './sent.ts';

/** `GET /solana/mcr/{solana_addr}`. */
export function toBoundRecord(
  machine: RatedLegacyMachine,
  wallet: AltKey,
  namespace: Namespace,
): BoundMcrRecordResponse {
  return {
    ...toMcrRecord(toRated(machine), namespace),
    did: formatAddressDid(machine.address, namespace),
    ...toBoundMembers(wallet, machine.address),
  };
}

export interface BoundFleetRequest {
  readonly wallet: AltKey;
  readonly offset: bigint;
  readonly limit: bigint;
}

/** `GET /solana/operator/{solana_addr}/machines`. */
export function toBoundFleet(
  page: BoundFleetPage,
  { wallet, offset, limit }: BoundFleetRequest,
  namespace: Namespace,
): Sent<BoundFleetResponse> {
  const operatorDid = formatAddressDid(page.operator, namespace);
  const listed = { ...page, machines: [], altSnapshotAgeSeconds: undefined };
  return {
    ...toFleetPage(listed, { operatorDid, offset, limit }, namespace),
    machines: page.machines.map((machine) => ({
      ...toEntry(toRated(machine), namespace),
      did: formatAddressDid(machine.address, namespace),
    })),
    ...toBoundMembers(wallet, page.operator),
  };
}

/** Legacy machines live on the main chain only. */
function toRated({ id, rating }: RatedLegacyMachine) {
  return { snapshot: { id }, rating, alt: undefined };
}

function toBoundMembers(wallet: AltKey, address: Address) {
  return { solana_address: wallet, evm_address: formatAddress(address) };
}
