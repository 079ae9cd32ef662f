/**
 * What do marketplaces and agents read of a machine besides? The members that ERC-721 metadata are shown by, on the profile, and those of an
 * ERC-8004 registration whose names mean nothing else there, on the card (decisions 4).
 */
import type { MachineCard, MachineProfile } from '../../actions/machines.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';

/** Where links lead, without a slash at the end. */
export interface LinkBase {
  readonly namespace: Namespace;
  readonly publicUrl: string;
}

/** Beside `schema_version` and `name` of the profile. */
export function toMarketplaceMembers({ shown, directory }: MachineProfile, { namespace, publicUrl }: LinkBase) {
  const { snapshot, rating, alt } = shown;
  // A profile rates no machine of the alt chain: its letter there would pass for a rating.
  const standing = [
    { trait_type: 'Rating', value: rating.letter },
    { trait_type: 'Score', value: rating.score, max_value: 100 },
  ];
  return {
    description: namespace.card_description,
    image: imageOf(snapshot.id, publicUrl),
    external_url: `${publicUrl}/explorer/machine/${snapshot.id}`,
    attributes: [
      ...(alt === undefined ? standing : []),
      { trait_type: 'Bond', value: rating.bondStatus },
      { trait_type: 'Negative flag', value: rating.hasNegativeFlag ? 'yes' : 'no' },
      { trait_type: 'Events', display_type: 'number', value: rating.eventCount },
      { trait_type: 'Event data', value: directory.visibility },
    ],
  };
}

/** No endpoint of a machine is known to take payments by x402, and none is trusted by way of the card. */
export function toAgentMembers({ id }: MachineCard, { publicUrl }: LinkBase) {
  return { image: imageOf(id, publicUrl), x402Support: false, supportedTrust: [] };
}

function imageOf(id: MachineId, publicUrl: string): string {
  return `${publicUrl}/machines/${id}/card.svg`;
}
