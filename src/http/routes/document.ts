/** `GET /openapi.json`: the service described by itself (decisions 4). */
import type { Ctx } from '../../ports/ctx.ts';
import { sendJson } from '../answer.ts';
import { encodeJson, type EncodedJson } from '../json-encoding.ts';
import { createDocument, type RouteDescription } from '../openapi.ts';
import type { Routes } from '../route-table.ts';

const OPENAPI: RouteDescription = {
  operationId: 'getOpenapi',
  summary: 'This document.',
  answers: { 200: 'OpenapiDocument' },
  faults: [],
  caching: 'revalidated',
  block: 'never',
};

export function documentRoutes(routes: Routes, ctx: Ctx): void {
  let encoded: EncodedJson | undefined;

  routes.get('/openapi.json', { surface: 'page', description: OPENAPI }, (exchange) => {
    encoded ??= encodeJson(createDocument(routes.described, ctx.namespace, ctx.publicUrl));
    sendJson(exchange, encoded);
  });
}
