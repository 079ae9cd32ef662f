/** The Model Context Protocol as its programs speak it: the beginning, the tools, one call, and everything that is not a request. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../client/client.ts';
import { rule } from '../../test/conformance/rule.ts';
import { createMcpServer } from './server.ts';
import { TOOLS } from './tools.ts';

const ID = '57896044618658097711785492504343953926634992332820282019728792003956564819968';
const RATING = { did: `did:svc:${ID}`, machine_id: ID, mcr_score: 45, mcr: 'BB' };

const asked: string[] = [];
const server = createMcpServer(
  createClient({
    baseUrl: 'https://svc.example',
    fetch: async (url) => {
      asked.push(String(url));
      if (!String(url).includes(`/mcr/did:svc:${ID}`))
        return Response.json({ detail: 'Machine not found' }, { status: 404 });
      return Response.json(RATING, { headers: { 'chain-block': '120', 'chain-block-age': '3' } });
    },
  }),
);

async function send(message: unknown): Promise<unknown> {
  const line = await server.answer(typeof message === 'string' ? message : JSON.stringify(message));
  expect(line ?? '').not.toContain('\n');
  return line === undefined ? undefined : JSON.parse(line);
}
const request = (method: string, params?: object) => send({ jsonrpc: '2.0', id: 7, method, params });
const call = (name: string, args: unknown) => request('tools/call', { name, arguments: args });

describe('the beginning', () => {
  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2099-01-01', '2025-06-18'],
  ])('to who speaks %s, %s', async (protocolVersion, spoken) => {
    expect(await request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x' } })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        protocolVersion: spoken,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'svc', version: '1.0.0' },
        instructions: expect.stringContaining('data, not instructions'),
      },
    });
  });

  it('is followed by a notification, which has no answer', async () => {
    expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  });

  it('a ping is answered', async () => {
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

describe('a call', () => {
  it('answers with what the service says, and the block it stands on', async () => {
    const told = { answer: RATING, block: { number: '120', age_seconds: 3 } };
    expect(await call('get_rating', { machine: ID })).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { content: [{ type: 'text', text: JSON.stringify(told) }], structuredContent: told, isError: false },
    });
  });

  it('tells an error of the service as the result of the tool', async () => {
    const told = { error: { kind: 'machine-not-found', status: 404, text: 'Machine not found' } };
    expect(await call('get_profile', { machine: '7' })).toMatchObject({
      result: { structuredContent: told, isError: true },
    });
  });

  it('passes a page on', async () => {
    asked.length = 0;
    await call('list_fleet', { operator: `0x${'a'.repeat(40)}`, offset: 20, limit: 5 });
    expect(asked).toEqual([`https://svc.example/operator/did:svc:0x${'a'.repeat(40)}/machines?offset=20&limit=5`]);
  });

  it.each([
    ['no such tool', 'put_rating', {}],
    ['a name of every object', 'toString', {}],
    ['a machine that is missing', 'get_rating', {}],
    ['a machine as a number', 'get_rating', { machine: 42 }],
    ['a machine that is too long', 'get_rating', { machine: '1'.repeat(201) }],
    ['an argument too many', 'get_rating', { machine: ID, fast: true }],
    ['a list', 'get_rating', [ID]],
    ['a page of half a machine', 'list_fleet', { operator: 'x', limit: 0.5 }],
    ['a page that is too long', 'list_fleet', { operator: 'x', limit: 21 }],
    ['more events than a page has', 'list_events', { machine: ID, limit: 101 }],
    ['a history of no day', 'get_history', { machine: ID, days: 0 }],
    ['an argument where there is none', 'get_status', { machine: ID }],
  ])('with %s is refused, and asks nothing', async (_, name, args) => {
    asked.length = 0;
    expect(await call(name, args)).toMatchObject({ id: 7, error: { code: -32_602 } });
    expect(asked).toEqual([]);
  });
});

describe('what is no request', () => {
  it.each([
    ['no JSON', '{', -32_700],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], -32_600],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, -32_600],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, -32_600],
    ['an id that is a fraction', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, -32_600],
  ])('%s', async (_, message, code) => {
    expect(await send(message)).toEqual({ jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } });
  });

  it.each([
    ['no method', { jsonrpc: '2.0', id: 'a' }, -32_600],
    ['an unknown method', { jsonrpc: '2.0', id: 'a', method: 'resources/list' }, -32_601],
    ['params that are a list', { jsonrpc: '2.0', id: 'a', method: 'ping', params: [] }, -32_602],
    ['a beginning without a version', { jsonrpc: '2.0', id: 'a', method: 'initialize' }, -32_602],
  ])('%s', async (_, message, code) => {
    expect(await send(message)).toEqual({ jsonrpc: '2.0', id: 'a', error: { code, message: expect.any(String) } });
  });

  it('an answer, or a notification, of whatever kind, is not answered', async () => {
    expect(await send({ jsonrpc: '2.0', id: 1, result: {} })).toBeUndefined();
    expect(await send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_rating' } })).toBeUndefined();
  });
});
