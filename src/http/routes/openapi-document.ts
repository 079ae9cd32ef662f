/** `GET /openapi.json`: the OpenAPI document, generated from the registered routes (decisions 4). */
import type { Ctx } from '../../ports/ctx.ts';
import { sendCacheableJson } from '../server/response.ts';
import { encodeJson, type EncodedJson } from '../server/json-encoding.ts';
import { createDocument, type RouteDescription } from '../schemas/openapi.ts';
import type { Routes } from '../server/route-table.ts';

const OPENAPI: RouteDescription = {
  operationId: 'getOpenapi',
  summary: 'Get this document.',
  responses: { 200: 'OpenapiDocument' },
  faults: [],
  caching: 'revalidated',
  block: 'never',
};

export function openapiRoutes(routes: Routes, ctx: Ctx): void {
  let encoded: EncodedJson | undefined;

  routes.get('/openapi.json', { profile: 'page', description: OPENAPI }, (request) => {
    encoded ??= encodeJson(createDocument(routes.described, ctx.namespace, ctx.publicUrl));
    sendCacheableJson(request, encoded);
  });
}
