/** `GET /identifiers/{did}` (decisions 4): the DID document of a machine, or with `Accept: application/did-resolution` the result of its resolution. */
import { getDidFacts } from '../../../actions/did-document.ts';
import type { Namespace } from '../../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import type { Media } from '../../images/svg-media.ts';
import { machineDid } from '../../schemas/json-schema.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { judgeMediaType, type RawHeaders } from '../../server/accept-header.ts';
import { encodeJson } from '../../server/json-encoding.ts';
import { sendMedia } from '../../server/response.ts';
import type { Routes } from '../../server/route-table.ts';
import { DID_DOCUMENT_TYPE, DID_RESOLUTION_TYPE, toDidDocument, toDidResolution } from '../../wire/did-document.ts';
import { RATING_FAULTS } from '../machine-faults.ts';
import { requireMachineDid } from '../parameters.ts';

const VARYING = { Vary: 'Accept' };
const DOCUMENT_MEDIA: Media = { type: DID_DOCUMENT_TYPE, headers: VARYING };
const RESOLUTION_MEDIA: Media = { type: DID_RESOLUTION_TYPE, headers: VARYING };

export function identifiersRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace } = ctx;
  const description = describeIdentifiers(namespace);

  routes.get('/identifiers/:did', { profile: 'read', description }, async (request) => {
    const facts = await getDidFacts(ctx, requireMachineDid(request.parameter('did'), namespace));
    const isResolution = prefersResolution(request.request.rawHeaders);
    if (isResolution) sendMedia(request, encodeJson(toDidResolution(facts, namespace)), RESOLUTION_MEDIA, facts.block);
    else sendMedia(request, encodeJson(toDidDocument(facts, namespace)), DOCUMENT_MEDIA, facts.block);
  });
}

/** The client names the result of the resolution, and does not prefer the document. */
function prefersResolution(headers: RawHeaders): boolean {
  const resolution = judgeMediaType(headers, DID_RESOLUTION_TYPE);
  const { weight } = judgeMediaType(headers, DID_DOCUMENT_TYPE);
  return resolution.isNamed && resolution.weight > 0 && resolution.weight >= weight;
}

function describeIdentifiers(namespace: Namespace): RouteDescription {
  return {
    operationId: 'resolveDid',
    summary: "Get a machine's DID document, or the result of its resolution as the Accept header asks.",
    parameters: { did: machineDid(namespace) },
    responses: { 200: 'DidDocument' },
    media: DOCUMENT_MEDIA,
    otherMedia: { [DID_RESOLUTION_TYPE]: 'DidResolution' },
    faults: ['MachineDidMalformed', ...RATING_FAULTS],
    caching: 'revalidated',
    block: 'always',
  };
}
