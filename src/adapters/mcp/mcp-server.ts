/**
 * Model Context Protocol server, by the official SDK: the tools, and resources that explain the service and its ratings. The transport is
 * that of the caller. Read-only.
 */
import {
  fromJsonSchema,
  McpServer,
  ResourceNotFoundError,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
} from '@modelcontextprotocol/server';
import type { Client, Result } from '../../../client/client.ts';
import { METHODOLOGY } from './methodology.ts';
import { describeTools, INSTRUCTIONS, TOOLS, type ObjectSchema } from './tools.ts';

/** The version of these tools. */
const SERVER = { name: 'svc', title: 'Machine ratings', version: '2.0.0' };

type Schema = ReturnType<typeof fromJsonSchema<Readonly<Record<string, unknown>>>>;

/** Documents of the service that are resources, by name. */
const DOCUMENTS = [
  ['service', '/llms.txt', 'text/plain', 'What the service offers: its routes, identifiers, units and errors.'],
  ['openapi', '/openapi.json', 'application/json', 'The OpenAPI document: every route, member and error.'],
] as const;

/** Returns a function that creates servers, one for each connection or request, whose tools read through the given client. */
export function createMcpServers(describeOutput: (response: string) => ObjectSchema): (client: Client) => McpServer {
  const described = describeTools(describeOutput).map(({ inputSchema, outputSchema, ...tool }, at) => ({
    ...tool,
    call: TOOLS[at]!.call,
    inputSchema: toSchema(inputSchema),
    // Tests of the service compare its responses with these schemas.
    outputSchema: toSchema(outputSchema, ACCEPTS_ALL),
  }));
  return (client) => {
    const server = new McpServer(SERVER, {
      instructions: INSTRUCTIONS,
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
    });
    for (const { name, call, ...tool } of described) {
      server.registerTool(name, tool, async (args) => toToolResult(await call(client, args)));
    }
    for (const [name, path, mimeType, description] of DOCUMENTS) {
      server.registerResource(name, resourceUri(name), { description, mimeType }, async ({ href: uri }) => ({
        contents: [{ uri, mimeType, text: await readText(client, path, uri) }],
      }));
    }
    const rating = { description: 'How machines are rated: every factor, limit and term.', mimeType: 'text/markdown' };
    server.registerResource('methodology', resourceUri('methodology'), rating, ({ href: uri }) => ({
      contents: [{ uri, mimeType: rating.mimeType, text: METHODOLOGY }],
    }));
    return server;
  };
}

function resourceUri(name: string): string {
  return `machine-ratings://${name}`;
}

const ACCEPTS_ALL: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (data) => ({ valid: true, data: data as T & {}, errorMessage: undefined });
  },
};

function toSchema(schema: object, validator?: jsonSchemaValidator): Schema {
  return fromJsonSchema(schema as JsonSchemaType, validator);
}

/** An error of the service is a result, so that a model sees it. */
function toToolResult(result: Result<object>) {
  const structuredContent = toStructuredContent(result);
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }],
    structuredContent,
    isError: !result.ok,
  };
}

function toStructuredContent(result: Result<object>): Record<string, unknown> {
  if (!result.ok) return { error: result.error };
  const { value, block } = result;
  return { answer: value, ...(block && { block: { number: String(block.number), age_seconds: block.ageSeconds } }) };
}

async function readText({ connection: { baseUrl, fetch, timeoutMilliseconds } }: Client, path: string, uri: string) {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const response = await fetch(baseUrl + path, { redirect: 'error', credentials: 'omit', signal });
  if (response.status !== 200) throw new ResourceNotFoundError(uri);
  return response.text();
}
