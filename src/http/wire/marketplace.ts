/**
 * Maps a machine to the members that marketplaces and agents read: ERC-721 metadata on the profile, and on the card those of an ERC-8004
 * registration whose names have no other meaning there (decisions 4).
 */
import type { MachineCard, MachineProfile } from '../../actions/machines.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { formatMachineToken, formatMainAccount } from './caip.ts';
import type { CardResponse, ProfileResponse } from './response-types.ts';

type MarketplaceMembers = Required<Omit<ProfileResponse, 'schema_version' | 'name'>>;
type AgentMembers = Required<
  Pick<CardResponse, 'image' | 'x402Support' | 'supportedTrust' | 'asset_id' | 'operator_account'>
>;

/** Base of the links. */
export interface LinkBase {
  readonly namespace: Namespace;
  /** Without a slash at the end. */
  readonly publicUrl: string;
}

/** Returns the members that follow the machine's own on the profile. */
export function toMarketplaceMembers(
  { shown, directory }: MachineProfile,
  { namespace, publicUrl }: LinkBase,
): MarketplaceMembers {
  const { snapshot, rating, alt } = shown;
  // Profiles do not rate alt-chain machines: the letter there would pass for a rating.
  const ratingTraits = [
    { trait_type: 'Rating', value: rating.letter },
    { trait_type: 'Score', value: rating.score, max_value: 100 },
  ];
  return {
    description: namespace.card_description,
    image: imageOf(snapshot.id, publicUrl),
    external_url: `${publicUrl}/explorer/machine/${snapshot.id}`,
    attributes: [
      ...(alt === undefined ? ratingTraits : []),
      { trait_type: 'Bond', value: rating.bondStatus },
      { trait_type: 'Negative flag', value: rating.hasNegativeFlag ? 'yes' : 'no' },
      { trait_type: 'Events', display_type: 'number', value: rating.eventCount },
      { trait_type: 'Event data', value: directory.visibility },
    ],
  };
}

/**
 * Returns the agent members of the card, and the CAIP names of its token and operator. No endpoint is known to accept x402 payments, and the
 * card declares no trust model.
 */
export function toAgentMembers(
  { id, operator, registration }: MachineCard,
  { publicUrl }: LinkBase,
  mainChainId: number,
): AgentMembers {
  return {
    image: imageOf(id, publicUrl),
    x402Support: false,
    supportedTrust: [],
    asset_id:
      registration.chain === 'main' ? formatMachineToken(registration.chainId, registration.registry, id) : null,
    operator_account: operator === undefined ? null : formatMainAccount(mainChainId, operator),
  };
}

/** Returns the address of the picture of a machine's rating. */
export function imageOf(id: MachineId, publicUrl: string): string {
  return `${publicUrl}/machines/${id}/card.svg`;
}
