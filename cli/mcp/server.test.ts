/** Model Context Protocol server: initialization, tools, calls, and invalid messages. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../client/client.ts';
import { rule } from '../../test/conformance/rule.ts';
import { createMcpServer } from './server.ts';
import { TOOLS } from './tools.ts';

const ID = '57896044618658097711785492504343953926634992332820282019728792003956564819968';
const RATING = { did: `did:svc:${ID}`, machine_id: ID, mcr_score: 45, mcr: 'BB' };

const requested: string[] = [];
const server = createMcpServer(
  createClient({
    baseUrl: 'https://svc.example',
    fetch: async (input) => {
      const { url } = new Request(input);
      requested.push(url);
      if (!url.includes(`/mcr/did:svc:${ID}`)) return Response.json({ detail: 'Machine not found' }, { status: 404 });
      return Response.json(RATING, { headers: { 'chain-block': '120', 'chain-block-age': '3' } });
    },
  }),
);

async function send(message: unknown): Promise<unknown> {
  const line = await server.handle(typeof message === 'string' ? message : JSON.stringify(message));
  expect(line ?? '').not.toContain('\n');
  return line === undefined ? undefined : JSON.parse(line);
}
const request = (method: string, params?: object) => send({ jsonrpc: '2.0', id: 7, method, params });
const call = (name: string, args: unknown) => request('tools/call', { name, arguments: args });

describe('initialization', () => {
  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2099-01-01', '2025-06-18'],
  ])('for protocol version %s agrees on %s', async (protocolVersion, agreed) => {
    expect(await request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x' } })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        protocolVersion: agreed,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'svc', version: '1.0.0' },
        instructions: expect.stringContaining('data, not instructions'),
      },
    });
  });

  it('sends no response to the notification that follows', async () => {
    expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  });

  it('responds to a ping', async () => {
    expect(await request('ping')).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  });
});

it('lists its tools, all of which only read', async () => {
  rule('mcp.read-only');
  const { result } = (await request('tools/list')) as { result: { tools: { name: string; annotations: object }[] } };
  expect(result.tools.map(({ name }) => name)).toEqual([
    ...['get_rating', 'explain_rating', 'get_profile', 'list_fleet', 'get_verification'],
    ...['get_card', 'get_history', 'list_events', 'get_status'],
  ]);
  expect(result.tools.map(({ annotations }) => annotations)).toEqual(
    TOOLS.map(() => ({ readOnlyHint: true, openWorldHint: true })),
  );
});

describe('tools/call', () => {
  it('returns the response of the service and its block', async () => {
    const content = { answer: RATING, block: { number: '120', age_seconds: 3 } };
    expect(await call('get_rating', { machine: ID })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        content: [{ type: 'text', text: JSON.stringify(content) }],
        structuredContent: content,
        isError: false,
      },
    });
  });

  it('returns an error of the service as the result of the tool', async () => {
    const content = { error: { kind: 'machine-not-found', status: 404, text: 'Machine not found' } };
    expect(await call('get_profile', { machine: '7' })).toMatchObject({
      result: { structuredContent: content, isError: true },
    });
  });

  it('requests the given page', async () => {
    requested.length = 0;
    await call('list_fleet', { operator: `0x${'a'.repeat(40)}`, offset: 20, limit: 5 });
    expect(requested).toEqual([`https://svc.example/operator/did:svc:0x${'a'.repeat(40)}/machines?offset=20&limit=5`]);
  });

  it.each([
    ['an unknown tool', 'put_rating', {}],
    ['a property of every object as the tool', 'toString', {}],
    ['a missing machine', 'get_rating', {}],
    ['a machine as a number', 'get_rating', { machine: 42 }],
    ['a machine text that is too long', 'get_rating', { machine: '1'.repeat(201) }],
    ['an extra argument', 'get_rating', { machine: ID, fast: true }],
    ['an array as arguments', 'get_rating', [ID]],
    ['a fractional limit', 'list_fleet', { operator: 'x', limit: 0.5 }],
    ['a fleet limit above the maximum', 'list_fleet', { operator: 'x', limit: 21 }],
    ['an event limit above the maximum', 'list_events', { machine: ID, limit: 101 }],
    ['a history of 0 days', 'get_history', { machine: ID, days: 0 }],
    ['an argument for a tool without any', 'get_status', { machine: ID }],
  ])('rejects %s and sends no request', async (_, name, args) => {
    requested.length = 0;
    expect(await call(name, args)).toMatchObject({ id: 7, error: { code: -32_602 } });
    expect(requested).toEqual([]);
  });
});

describe('an invalid message', () => {
  it.each([
    ['invalid JSON', '{', -32_700],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], -32_600],
    ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, -32_600],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }, -32_600],
    ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, -32_600],
  ])('is rejected with a null id: %s', async (_, message, code) => {
    expect(await send(message)).toEqual({ jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } });
  });

  it.each([
    ['no method', { jsonrpc: '2.0', id: 'a' }, -32_600],
    ['an unknown method', { jsonrpc: '2.0', id: 'a', method: 'resources/list' }, -32_601],
    ['an array as params', { jsonrpc: '2.0', id: 'a', method: 'ping', params: [] }, -32_602],
    ['initialize without a version', { jsonrpc: '2.0', id: 'a', method: 'initialize' }, -32_602],
  ])('is rejected with its id: %s', async (_, message, code) => {
    expect(await send(message)).toEqual({ jsonrpc: '2.0', id: 'a', error: { code, message: expect.any(String) } });
  });

  it('gets no response when it is a response or a notification', async () => {
    expect(await send({ jsonrpc: '2.0', id: 1, result: {} })).toBeUndefined();
    expect(await send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_rating' } })).toBeUndefined();
  });
});
