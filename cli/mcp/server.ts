/**
 * How does a language model's program speak with `svc mcp`? The Model Context Protocol over standard input and output: JSON-RPC 2.0, one message a
 * line. Strict about what it reads; every request gets one answer, and a notification none.
 */
import type { Answer, Client } from '../../client/client.ts';
import { findProblem, INSTRUCTIONS, TOOLS } from './tools.ts';

/** Newest first. A batch, which only the second has, is refused. */
const PROTOCOL_VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The version of these tools. */
const SERVER = { name: 'svc', version: '1.0.0' };

const CODES = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602, internal: -32_603 } as const;

type RequestId = string | number;
type Outcome = { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } };
type Message = Readonly<Record<string, unknown>>;

export interface McpServer {
  /** The line to write; undefined: none. Never throws. */
  answer(line: string): Promise<string | undefined>;
}

export function createMcpServer(client: Client): McpServer {
  return {
    async answer(line) {
      const message = parseJson(line);
      if (message === undefined) return write(null, fail('parse', 'not JSON'));
      if (!isObject(message) || message['jsonrpc'] !== '2.0') return write(null, fail('request', 'not JSON-RPC 2.0'));
      const { id, method } = message;
      // The answer to a request of ours: there are none.
      if (method === undefined && ('result' in message || 'error' in message)) return undefined;
      if ('id' in message && !isRequestId(id)) return write(null, fail('request', 'id must be a text or an integer'));
      if (typeof method !== 'string') return write(isRequestId(id) ? id : null, fail('request', 'a method is missing'));
      if (!isRequestId(id)) return undefined;
      return write(id, await serve(client, method, message['params'] ?? {}));
    },
  };
}

async function serve(client: Client, method: string, params: unknown): Promise<Outcome> {
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
      return fail('method', 'there is no such method');
  }
}

/** As models see them. */
export function listTools(): object[] {
  return TOOLS.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: true, openWorldHint: true },
  }));
}

/** The version that is asked for where it is known, else the newest. */
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

async function callTool(client: Client, { name, arguments: args = {} }: Message): Promise<Outcome> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) return fail('params', 'there is no such tool');
  const problem = findProblem(tool, args);
  if (problem !== undefined) return fail('params', problem);
  const answer = await tool.call(client, args as Message);
  const told = toTold(answer);
  return {
    result: { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: told, isError: !answer.ok },
  };
}

function toTold(answer: Answer<object>): object {
  if (!answer.ok) return { error: answer.error };
  const { value, block } = answer;
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

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
