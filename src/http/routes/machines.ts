/**
 * `GET /mcr/{did}`, `/machine/{did}`, `/metadata/{token_id}` and `/machines/{machine_id}` (interface, Read routes; http-facts 4 to 6).
 * A body is encoded once per result of its action and shared by all requests for it.
 */
import { chain } from '../../actions/maybe-async.ts';
import { getCard, getProfile, getRating, type MachineCard, type MachineProfile } from '../../actions/machines.ts';
import type { RatedSnapshot } from '../../actions/machine-rating.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../ports/ctx.ts';
import type { RequestContext } from '../server/request-context.ts';
import { sendCacheableJson } from '../server/response.ts';
import { createCachedEncoder } from '../server/json-encoding.ts';
import type { RouteDescription } from '../schemas/openapi.ts';
import type { Additions } from './additions/additions.ts';
import { RATING_FAULTS } from './machine-faults.ts';
import { requireMachineDid, requireMachineId } from './parameters.ts';
import type { Routes } from '../server/route-table.ts';
import { machineDid, MACHINE_ID } from '../schemas/json-schema.ts';
import { toCard, toMcrRecord, toProfile } from '../wire/machines.ts';

/** Without `additions`, profile and card have the members of the interface alone. */
export function machinesRoutes(routes: Routes, ctx: Ctx, additions: Additions | undefined): void {
  const { namespace } = ctx;
  const describe = describeRoutes(namespace);
  const encodeRecord = createCachedEncoder((rated: RatedSnapshot) => toMcrRecord(rated, namespace));
  const encodeProfile = createCachedEncoder((profile: MachineProfile) => ({
    ...toProfile(profile, namespace),
    ...additions?.toProfileMembers(profile, ctx),
  }));
  const encodeCard = createCachedEncoder((card: MachineCard) => ({
    ...toCard(card, namespace),
    ...additions?.toCardMembers(card, ctx),
  }));
  const sendProfile = (request: RequestContext, id: MachineId) =>
    chain(getProfile(ctx, id), (profile) =>
      sendCacheableJson(request, encodeProfile(profile), profile.shown.snapshot.block),
    );

  routes.get('/mcr/:did', { profile: 'read', isImmediate: true, description: describe.rating }, (request) =>
    chain(getRating(ctx, requireMachineDid(request.parameter('did'), namespace)), (rated) =>
      sendCacheableJson(request, encodeRecord(rated), rated.snapshot.block),
    ),
  );

  routes.get('/machine/:did', { profile: 'read', isImmediate: true, description: describe.profile }, (request) =>
    sendProfile(request, requireMachineDid(request.parameter('did'), namespace)),
  );

  routes.get(
    '/metadata/:token_id',
    { profile: 'metadata', isImmediate: true, description: describe.metadata },
    (request) => sendProfile(request, requireMachineId(request.parameter('token_id'), 'token_id')),
  );

  routes.get('/machines/:machine_id', { profile: 'read', isImmediate: true, description: describe.card }, (request) =>
    chain(getCard(ctx, requireMachineId(request.parameter('machine_id'), 'machine_id')), (card) =>
      sendCacheableJson(request, encodeCard(card), card.block),
    ),
  );
}

function describeRoutes(namespace: Namespace) {
  const byDid = {
    parameters: { did: machineDid(namespace) },
    faults: ['MachineDidMalformed', ...RATING_FAULTS],
    caching: 'revalidated',
    block: 'always',
  } as const;
  const byNumber = { ...byDid, faults: ['ParametersInvalid', ...RATING_FAULTS] } as const;
  return {
    rating: {
      ...byDid,
      operationId: 'getRating',
      summary: "Get a machine's rating.",
      responses: { 200: 'McrRecord' },
    },
    profile: {
      ...byDid,
      operationId: 'getProfile',
      summary: "Get a machine's profile: identity, status and what it offers.",
      responses: { 200: 'Profile' },
    },
    metadata: {
      ...byNumber,
      operationId: 'getTokenMetadata',
      summary: "Get a machine's profile by token id, the target of an ERC-721 tokenURI.",
      parameters: { token_id: MACHINE_ID },
      responses: { 200: 'Profile' },
    },
    card: {
      ...byNumber,
      operationId: 'getCard',
      summary: "Get a machine's card: services, registrations and operator.",
      parameters: { machine_id: MACHINE_ID },
      responses: { 200: 'Card' },
    },
  } satisfies Record<string, RouteDescription>;
}
