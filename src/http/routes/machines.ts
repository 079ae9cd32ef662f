/**
 * `GET /mcr/{did}`, `/mcr/{did}/explanation`, `/machine/{did}`, `/metadata/{token_id}`, `/machines/{machine_id}` (interface, Read routes;
 * http-facts 4 to 6). A body is encoded once per answer of its action, whoever asks for it.
 */
import { getCard, getProfile, getRating } from '../../actions/machines.ts';
import type { BlockRef } from '../../domain/machine-facts.ts';
import type { Namespace } from '../../domain/namespace.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendJson } from '../answer.ts';
import { encodeJson, type EncodedJson } from '../json-encoding.ts';
import { requireMachineDid, requireMachineId } from '../parameters.ts';
import type { Routes } from '../route-table.ts';
import { toCard, toExplanation, toMcrRecord, toProfile } from '../wire/machines.ts';

export function machinesRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const read = { surface: 'read' } as const;
  const encodeRecord = createEncoder(toMcrRecord, namespace);
  const encodeExplanation = createEncoder(toExplanation, namespace);
  const encodeProfile = createEncoder(toProfile, namespace);
  const encodeCard = createEncoder(toCard, namespace);
  const blockOf = ({ rated }: { rated: { snapshot: { block: BlockRef } } }) => rated.snapshot.block;

  routes.get('/mcr/:did', read, async (exchange) => {
    const rated = await getRating(ctx, requireMachineDid(exchange.parameter('did'), namespace));
    sendJson(exchange, encodeRecord(rated), rated.snapshot.block);
  });

  routes.get('/mcr/:did/explanation', read, async (exchange) => {
    const rated = await getRating(ctx, requireMachineDid(exchange.parameter('did'), namespace));
    sendJson(exchange, encodeExplanation(rated), rated.snapshot.block);
  });

  routes.get('/machine/:did', read, async (exchange) => {
    const profile = await getProfile(ctx, requireMachineDid(exchange.parameter('did'), namespace));
    sendJson(exchange, encodeProfile(profile), blockOf(profile));
  });

  routes.get('/metadata/:token_id', { surface: 'metadata' }, async (exchange) => {
    const profile = await getProfile(ctx, requireMachineId(exchange.parameter('token_id'), 'token_id'));
    sendJson(exchange, encodeProfile(profile), blockOf(profile));
  });

  routes.get('/machines/:machine_id', read, async (exchange) => {
    const card = await getCard(ctx, requireMachineId(exchange.parameter('machine_id'), 'machine_id'));
    sendJson(exchange, encodeCard(card), card.block);
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
