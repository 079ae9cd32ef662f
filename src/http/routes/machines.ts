/**
 * `GET /mcr/{did}`, `/mcr/{did}/explanation`, `/machine/{did}`, `/metadata/{token_id}`, `/machines/{machine_id}` (interface, Read routes;
 * http-facts 4 to 6). A body is encoded once per answer of its action, whoever asks for it.
 */
import type { FastifyInstance } from 'fastify';
import { getCard, getProfile, getRating } from '../../actions/machines.ts';
import type { BlockRef } from '../../domain/machine-facts.ts';
import type { Namespace } from '../../domain/namespace.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendJson } from '../answer.ts';
import { encodeJson, type EncodedJson } from '../json-encoding.ts';
import { requireMachineDid, requireMachineId } from '../parameters.ts';
import { toCard, toExplanation, toMcrRecord, toProfile } from '../wire/machines.ts';

interface DidRoute {
  Params: { did: string };
}

export function machinesRoutes(app: FastifyInstance, ctx: Ctx): void {
  const { namespace } = ctx;
  const config = { surface: 'read' } as const;
  const encodeRecord = createEncoder(toMcrRecord, namespace);
  const encodeExplanation = createEncoder(toExplanation, namespace);
  const encodeProfile = createEncoder(toProfile, namespace);
  const encodeCard = createEncoder(toCard, namespace);
  const blockOf = ({ rated }: { rated: { snapshot: { block: BlockRef } } }) => rated.snapshot.block;

  app.get<DidRoute>('/mcr/:did', { config }, async (request, reply) => {
    const rated = await getRating(ctx, requireMachineDid(request.params.did, namespace));
    sendJson(request, reply, encodeRecord(rated), rated.snapshot.block);
  });

  app.get<DidRoute>('/mcr/:did/explanation', { config }, async (request, reply) => {
    const rated = await getRating(ctx, requireMachineDid(request.params.did, namespace));
    sendJson(request, reply, encodeExplanation(rated), rated.snapshot.block);
  });

  app.get<DidRoute>('/machine/:did', { config }, async (request, reply) => {
    const profile = await getProfile(ctx, requireMachineDid(request.params.did, namespace));
    sendJson(request, reply, encodeProfile(profile), blockOf(profile));
  });

  app.get<{ Params: { token_id: string } }>(
    '/metadata/:token_id',
    { config: { surface: 'metadata' } },
    async (request, reply) => {
      const profile = await getProfile(ctx, requireMachineId(request.params.token_id, 'token_id'));
      sendJson(request, reply, encodeProfile(profile), blockOf(profile));
    },
  );

  app.get<{ Params: { machine_id: string } }>('/machines/:machine_id', { config }, async (request, reply) => {
    const card = await getCard(ctx, requireMachineId(request.params.machine_id, 'machine_id'));
    sendJson(request, reply, encodeCard(card), card.block);
  });
}

/** Encodes an answer once; the bytes live as long as the answer does. */
function createEncoder<T extends object>(
  toWire: (answer: T, namespace: Namespace) => object,
  namespace: Namespace,
): (answer: T) => EncodedJson {
  const encoded = new WeakMap<T, EncodedJson>();
  return (answer) => {
    const known = encoded.get(answer);
    if (known !== undefined) return known;
    const fresh = encodeJson(toWire(answer, namespace));
    encoded.set(answer, fresh);
    return fresh;
  };
}
