/**
 * Model Context Protocol server over standard input and output: JSON-RPC 2.0, one message per line. Validates every message strictly.
 * Each request gets one response, a notification none.
 */
import { isObject, parseJson } from '../../src/domain/json/json-values.ts';
import type { Result } from '../../client/client.ts';
import { findProblem, INSTRUCTIONS, TOOLS, type ServiceReads } from './tools.ts';

/** Newest first. Batches, which only the second version has, are rejected. */
const PROTOCOL_VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The version of these tools. */
const SERVER = { name: 'svc', version: '1.0.0' };

const CODES = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, internal: -32_603 } as const;

type RequestId = string | number;
type Outcome = { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } };
type Message = Readonly<Record<string, unknown>>;

export interface McpServer {
  /** Handles a line and returns the response line, or undefined when there is none. Never throws. */
  handle(line: string): Promise<string | undefined>;
}

/** Creates the server, whose tools read through `client`. */
export function createMcpServer(client: ServiceReads): McpServer {
  return {
    async handle(line) {
      const message = parseJson(line);
      if (message === undefined) return write(null, fail('parse', 'invalid JSON'));
      if (!isObject(message) || message['jsonrpc'] !== '2.0')
        return write(null, fail('request', 'not a JSON-RPC 2.0 message'));
      const { id, method } = message;
      // A response, although this server sends no requests.
      if (method === undefined && ('result' in message || 'error' in message)) return undefined;
      if ('id' in message && !isRequestId(id)) return write(null, fail('request', 'id must be a string or an integer'));
      if (typeof method !== 'string') return write(isRequestId(id) ? id : null, fail('request', 'method is missing'));
      if (!isRequestId(id)) return undefined;
      return write(id, await serve(client, method, message['params'] ?? {}));
    },
  };
}

async function serve(client: ServiceReads, method: string, params: unknown): Promise<Outcome> {
  if (!isObject(params)) return fail('params', 'params must be an object');
  switch (method) {
    case 'initialize':
      return initialize(params);
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: listTools() } };
    case 'tools/call':
      return callTool(client, params);
    default:
      return fail('method', 'unknown method');
  }
}

/** Returns the tools as `tools/list` describes them. */
export function listTools(): object[] {
  return TOOLS.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: true, openWorldHint: true },
  }));
}

/** Agrees on the requested protocol version if it is supported, else on the newest. */
function initialize({ protocolVersion }: Message): Outcome {
  if (typeof protocolVersion !== 'string') return fail('params', 'protocolVersion is missing');
  return {
    result: {
      protocolVersion: PROTOCOL_VERSIONS.find((each) => each === protocolVersion) ?? PROTOCOL_VERSIONS[0],
      capabilities: { tools: { listChanged: false } },
      serverInfo: SERVER,
      instructions: INSTRUCTIONS,
    },
  };
}

async function callTool(client: ServiceReads, { name, arguments: args = {} }: Message): Promise<Outcome> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) return fail('params', 'unknown tool');
  const problem = findProblem(tool, args);
  if (problem !== undefined) return fail('params', problem);
  const outcome = await tool.call(client, args as Message);
  const structuredContent = toStructuredContent(outcome);
  return {
    result: {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
      isError: !outcome.ok,
    },
  };
}

function toStructuredContent(result: Result<object>): object {
  if (!result.ok) return { error: result.error };
  const { value, block } = result;
  return { answer: value, ...(block && { block: { number: String(block.number), age_seconds: block.ageSeconds } }) };
}

function write(id: RequestId | null, outcome: Outcome): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
}

function fail(kind: keyof typeof CODES, message: string): Outcome {
  return { error: { code: CODES[kind], message } };
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
