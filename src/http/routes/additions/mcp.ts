/**
 * `POST /mcp` (docs/decisions/client.md): Model Context Protocol over streamable HTTP, read-only and without sessions. The reads of a tool are requests of
 * the same caller: they pass its limits, and their responses are those of the routes.
 */
import type { Ctx } from '../../../ports/ctx.ts';
import { readBody } from '../../server/request-body.ts';
import type { RequestContext } from '../../server/request-context.ts';
import { sendForeign } from '../../server/response.ts';
import type { Routes } from '../../server/route-table.ts';

const MAX_MESSAGE_BYTES = 16_384;

/** Registers nothing without `ctx.mcp`. */
export function mcpRoutes(routes: Routes, { mcp, publicUrl }: Ctx): void {
  if (mcp === undefined) return;
  routes.post('/mcp', { profile: 'read' }, async (context) => {
    const body = String(await readBody(context, MAX_MESSAGE_BYTES));
    const message = new Request(`${publicUrl}/mcp`, { method: 'POST', headers: toHeaders(context), body });
    const read: typeof fetch = async (target) => {
      const { status, headers, text } = await context.route.services.readWithin(context.request, target as string);
      return new Response(text, { status, headers });
    };
    const response = await mcp.handle(message, body, read);
    sendForeign(context, response.status, response.headers.get('content-type'), await response.text());
  });
}

function toHeaders({ request: { headers } }: RequestContext): Headers {
  const single = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Headers(single);
}
