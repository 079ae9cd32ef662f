/** How do the answers about what a wallet is bound to look on the wire? The ordinary ones, with two members more, last (http-facts 8). */
import type { BoundFleetPage, RatedLegacyMachine } from '../../actions/bound-addresses.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { formatAddress, formatAddressDid, type Address } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { toEntry, toFleetPage } from './fleet.ts';
import { toMcrRecord } from './machines.ts';

/** `GET /solana/mcr/{solana_addr}`. */
export function toBoundRecord(machine: RatedLegacyMachine, wallet: AltKey, namespace: Namespace) {
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
export function toBoundFleet(page: BoundFleetPage, { wallet, offset, limit }: BoundFleetRequest, namespace: Namespace) {
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

/** The first generation lives on the main chain alone. */
function toRated({ id, rating }: RatedLegacyMachine) {
  return { snapshot: { id }, rating, alt: undefined };
}

function toBoundMembers(wallet: AltKey, address: Address) {
  return { solana_address: wallet, evm_address: formatAddress(address) };
}
