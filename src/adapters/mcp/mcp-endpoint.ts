/**
 * Model Context Protocol over streamable HTTP, without sessions: every message is served by a new server, whose tools read through the caller's
 * own requests. The SDK is loaded with the first message.
 */
import { createClient } from '../../../client/client.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { parseJson } from '../../domain/json/json-values.ts';
import type { McpEndpoint } from '../../ports/presentation.ts';
import type { ObjectSchema } from './tools.ts';

/** Creates the endpoint. `describeOutput` returns the schema of what a tool with this response returns. */
export function createMcpEndpoint(
  namespace: Namespace,
  describeOutput: (response: string) => ObjectSchema,
): McpEndpoint {
  let loaded: ReturnType<typeof load> | undefined;
  const load = async () => {
    const [{ createMcpServers }, { createMcpHandler }] = await Promise.all([
      import('./mcp-server.ts'),
      import('@modelcontextprotocol/server'),
    ]);
    return { createServer: createMcpServers(describeOutput), createMcpHandler };
  };
  return {
    async handle(request, body, read) {
      // One message is one request of the rate limit.
      const message = parseJson(body);
      if (Array.isArray(message)) return refuse('batches are not supported');
      const { createServer, createMcpHandler } = await (loaded ??= load());
      const client = createClient({ baseUrl: '', namespace, fetch: read });
      // Nothing here changes, so there is nothing to subscribe to.
      const handler = createMcpHandler(() => createServer(client), { maxSubscriptions: 0, keepAliveMs: 0 });
      return handler.fetch(request, message === undefined ? {} : { parsedBody: message });
    },
  };
}

function refuse(message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } }, { status: 400 });
}
