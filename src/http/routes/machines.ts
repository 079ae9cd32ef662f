/**
 * `GET /mcr/{did}`, `/mcr/{did}/explanation`, `/machine/{did}`, `/metadata/{token_id}`, `/machines/{machine_id}` (interface, Read routes;
 * http-facts 4 to 6). A body is encoded once per answer of its action, whoever asks for it.
 */
import { chain } from '../../actions/maybe-async.ts';
import {
  getCard,
  getExplanation,
  getProfile,
  getRating,
  type MachineCard,
  type MachineProfile,
} from '../../actions/machines.ts';
import type { RatedSnapshot } from '../../actions/machine-rating.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendCacheableJson } from '../server/response.ts';
import { createEncoder, encodeJson } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import { requireMachineDid, requireMachineId } from './parameters.ts';
import type { Routes } from '../server/route-table.ts';
import { machineDid, MACHINE_ID } from '../schemas/json-schema.ts';
import { toAgentMembers, toMarketplaceMembers } from '../wire/marketplace.ts';
import { toCard, toExplanation, toMcrRecord, toProfile } from '../wire/machines.ts';

export function machinesRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const describe = describeRoutes(namespace);
  const encodeRecord = createEncoder((rated: RatedSnapshot) => toMcrRecord(rated, namespace));
  const isPlain = ctx.additions === 'off';
  const encodeProfile = createEncoder((profile: MachineProfile) => ({
    ...toProfile(profile, namespace),
    ...(!isPlain && toMarketplaceMembers(profile, ctx)),
  }));
  const encodeCard = createEncoder((card: MachineCard) => ({
    ...toCard(card, namespace),
    ...(!isPlain && toAgentMembers(card, ctx)),
  }));
  const blockOf = ({ shown }: { shown: { snapshot: { block: BlockRef } } }) => shown.snapshot.block;

  routes.get('/mcr/:did', { surface: 'read', description: describe.rating }, (exchange) =>
    chain(getRating(ctx, requireMachineDid(exchange.parameter('did'), namespace)), (rated) =>
      sendCacheableJson(exchange, encodeRecord(rated), rated.snapshot.block),
    ),
  );

  if (ctx.additions !== 'off') {
    routes.get('/mcr/:did/explanation', { surface: 'read', description: describe.explanation }, async (exchange) => {
      const explanation = await getExplanation(ctx, requireMachineDid(exchange.parameter('did'), namespace));
      sendCacheableJson(exchange, encodeJson(toExplanation(explanation, namespace)), explanation.rated.snapshot.block);
    });
  }

  routes.get('/machine/:did', { surface: 'read', description: describe.profile }, async (exchange) => {
    const profile = await getProfile(ctx, requireMachineDid(exchange.parameter('did'), namespace));
    sendCacheableJson(exchange, encodeProfile(profile), blockOf(profile));
  });

  routes.get('/metadata/:token_id', { surface: 'metadata', description: describe.metadata }, async (exchange) => {
    const profile = await getProfile(ctx, requireMachineId(exchange.parameter('token_id'), 'token_id'));
    sendCacheableJson(exchange, encodeProfile(profile), blockOf(profile));
  });

  routes.get('/machines/:machine_id', { surface: 'read', description: describe.card }, async (exchange) => {
    const card = await getCard(ctx, requireMachineId(exchange.parameter('machine_id'), 'machine_id'));
    sendCacheableJson(exchange, encodeCard(card), card.block);
  });
}

function describeRoutes(namespace: Namespace) {
  const unreadable = [
    'MachineAbsent',
    'MachineRelocating',
    'MachineHomedElsewhere',
    'ServiceNotInitialised',
    'StoreUnavailable',
  ] as const;
  const byDid = {
    parameters: { did: machineDid(namespace) },
    faults: ['MachineDidMalformed', 'EventIndexSyncing', ...unreadable],
    caching: 'revalidated',
    block: 'always',
  } as const;
  const byNumber = { ...byDid, faults: ['ParametersInvalid', 'EventIndexSyncing', ...unreadable] } as const;
  return {
    rating: {
      ...byDid,
      operationId: 'getRating',
      summary: 'What a machine is worth trusting.',
      answers: { 200: 'McrRecord' },
    },
    explanation: {
      ...byDid,
      operationId: 'getExplanation',
      summary: 'Where every point of the rating comes from, and what it was computed from.',
      answers: { 200: 'Explanation' },
    },
    profile: {
      ...byDid,
      operationId: 'getProfile',
      summary: 'Who a machine is, its standing, and what it offers.',
      answers: { 200: 'Profile' },
    },
    metadata: {
      ...byNumber,
      operationId: 'getTokenMetadata',
      summary: 'The profile, by token id: the target of an ERC-721 tokenURI.',
      parameters: { token_id: MACHINE_ID },
      answers: { 200: 'Profile' },
    },
    card: {
      ...byNumber,
      operationId: 'getCard',
      summary: 'Services, registrations and operator of a machine.',
      parameters: { machine_id: MACHINE_ID },
      answers: { 200: 'Card' },
    },
  } satisfies Record<string, RouteDescription>;
}
