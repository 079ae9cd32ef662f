/** Additions: the routes and members beyond the interface, which `ADDITIONS=off` removes together (decisions 4). */
import type { MachineCard, MachineProfile } from '../../../actions/machines.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import type { PreviewImage } from '../../pages/html-shell.ts';
import type { Routes } from '../../server/route-table.ts';
import { toAgentMembers, toMarketplaceMembers } from '../../wire/marketplace.ts';
import type { DecisionState } from '../../../actions/monetization.ts';
import { activeMachinesRoutes } from './active-machines.ts';
import { agentFilesRoutes } from './agent-files.ts';
import { changesRoutes } from './changes.ts';
import { directoryRoutes } from './directory.ts';
import { decisionLogRoutes } from './decision-log.ts';
import { explanationRoutes } from './explanation.ts';
import { identifiersRoutes } from './identifiers.ts';
import { llmsTextRoutes } from './llms-text.ts';
import { machineHistoryRoutes } from './machine-history.ts';
import { mcpRoutes } from './mcp.ts';
import { ratedFleetRoutes } from './rated-fleet.ts';
import { previewImageOf, ratingImagesRoutes } from './rating-images.ts';
import { statementsRoutes } from './statements.ts';
import { statusRoutes } from './status.ts';

export interface Additions {
  register(routes: Routes, ctx: Ctx): void;
  /** Returns the additional members of a profile. */
  toProfileMembers(profile: MachineProfile, ctx: Ctx): object;
  /** Returns the additional members of a card. */
  toCardMembers(card: MachineCard, ctx: Ctx): object;
  /** Returns the additional members of an opt-in decision in force. */
  toDecisionMembers(state: DecisionState): { readonly signer_is_current: boolean | null };
  /** Returns the image for link previews of a machine's page; undefined when images are not rendered. `text` describes it. */
  previewImageOf(id: MachineId, text: string, ctx: Ctx): PreviewImage | undefined;
}

export const ADDITIONS: Additions = {
  register(routes, ctx) {
    explanationRoutes(routes, ctx);
    statementsRoutes(routes, ctx);
    machineHistoryRoutes(routes, ctx);
    decisionLogRoutes(routes, ctx);
    ratingImagesRoutes(routes, ctx);
    identifiersRoutes(routes, ctx);
    agentFilesRoutes(routes, ctx);
    activeMachinesRoutes(routes, ctx);
    ratedFleetRoutes(routes, ctx);
    directoryRoutes(routes, ctx);
    changesRoutes(routes, ctx);
    statusRoutes(routes, ctx);
    llmsTextRoutes(routes, ctx);
    mcpRoutes(routes, ctx);
  },
  toProfileMembers: toMarketplaceMembers,
  // A card of either chain needs the main chain.
  toCardMembers: (card, ctx) => toAgentMembers(card, ctx, ctx.main!.chain.chainId),
  toDecisionMembers: ({ isSignerCurrent }) => ({ signer_is_current: isSignerCurrent ?? null }),
  previewImageOf,
};
