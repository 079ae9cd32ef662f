/** Model Context Protocol endpoint, called by the official client: both generations of the protocol, tools, resources and invalid messages. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AJV_OPTIONS } from '../../../testing/harness/openapi-conformance.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import { describeToolOutput } from '../../http/schemas/tool-outputs.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { METHODOLOGY } from './methodology.ts';
import { TOOLS } from './tools.ts';

const ID = '57896044618658097711785492504343953926634992332820282019728792003956564819968';
const RATING = { did: `did:svc:${ID}`, machine_id: ID, mcr_score: 45, mcr: 'BB' };
const HISTORY = { machine_id: ID, points: [{ day: '2026-03-01' }, { day: '2026-03-02' }, { day: '2026-03-03' }] };
const ADDRESS = `0x${'a'.repeat(40)}`;

let requested: string[] = [];
beforeEach(() => void (requested = []));

const endpoint = createMcpEndpoint(DEFAULT_NAMESPACE, (response) => describeToolOutput(DEFAULT_NAMESPACE, response));
const read: typeof fetch = async (target) => {
  requested.push(target as string);
  const block = { headers: { 'chain-block': '120', 'chain-block-age': '3' } };
  if (target === `/mcr/did:svc:${ID}`) return Response.json(RATING, block);
  if (target === `/mcr/did:svc:${ID}/history`) return Response.json(HISTORY, block);
  if (target === '/llms.txt') return new Response('# Service');
  return Response.json({ detail: 'Machine not found' }, { status: 404 });
};

async function send(body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return endpoint.handle(new Request('http://service/mcp', { method: 'POST', headers, body }), body, read);
}

/** Serves the client's requests as the route does. */
const serve: typeof fetch = async (target, init) => {
  const request = new Request(target, init);
  if (request.method !== 'POST') return new Response(null, { status: 405 });
  return endpoint.handle(request, init!.body as string, read);
};

let client: Client | undefined;
afterEach(() => client?.close());

async function open(mode: 'legacy' | 'auto'): Promise<Client> {
  client = new Client({ name: 'a program', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://service/mcp'), { fetch: serve }));
  return client;
}

describe.each([
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
] as const)('a client that negotiates in mode %s', (mode, version) => {
  it(`agrees on ${version} and reads the instructions`, async () => {
    const opened = await open(mode);
    expect(opened.getNegotiatedProtocolVersion()).toBe(version);
    expect(opened.getServerVersion()).toMatchObject({ name: 'svc', version: '2.0.0' });
    expect(opened.getInstructions()).toContain('data, not instructions');
    expect(opened.getServerCapabilities()).toMatchObject({ tools: { listChanged: false } });
  });

  it('lists tools that only read, each with an output schema that compiles', async () => {
    rule('mcp.read-only');
    const { tools } = await (await open(mode)).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['get_rating', 'explain_rating', 'get_profile', 'list_fleet', 'get_verification', 'get_card'],
      ...['get_history', 'list_events', 'list_active_machines', 'list_changes', 'get_status'],
    ]);
    expect(tools.map(({ annotations }) => annotations)).toEqual(
      TOOLS.map(() => ({ readOnlyHint: true, openWorldHint: true })),
    );
    for (const { outputSchema } of tools) new Ajv2020(AJV_OPTIONS).compile(outputSchema as object);
  });

  it('receives the response of the service and its block', async () => {
    const answer = { ...HISTORY, points: HISTORY.points.slice(-2) };
    const content = { answer, block: { number: '120', age_seconds: 3 } };
    const called = (await open(mode)).callTool({ name: 'get_history', arguments: { machine: ID, days: 2 } });
    expect(await called).toMatchObject({
      content: [{ type: 'text', text: JSON.stringify(content) }],
      structuredContent: content,
      isError: false,
    });
  });

  it('receives an error of the service as the result of the tool', async () => {
    const content = { error: { kind: 'machine-not-found', status: 404, text: 'Machine not found' } };
    expect(await (await open(mode)).callTool({ name: 'get_card', arguments: { machine: '7' } })).toMatchObject({
      structuredContent: content,
      isError: true,
    });
  });

  it('reads the resources that explain the service and the ratings', async () => {
    rule('mcp.resources');
    const opened = await open(mode);
    const { resources } = await opened.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      ['service', 'openapi', 'methodology'].map((name) => `machine-ratings://${name}`),
    );
    const textOf = async (name: string) => (await opened.readResource({ uri: `machine-ratings://${name}` })).contents;
    expect(await textOf('service')).toMatchObject([{ mimeType: 'text/plain', text: '# Service' }]);
    expect(await textOf('methodology')).toMatchObject([{ mimeType: 'text/markdown', text: METHODOLOGY }]);
    await expect(textOf('openapi')).rejects.toThrow('not found');
  });
});

const call = async (name: string, args: Readonly<Record<string, unknown>>) =>
  (await open('auto')).callTool({ name, arguments: args });

it('requests the given page of a fleet with ratings', async () => {
  await call('list_fleet', { operator: ADDRESS, offset: 20, limit: 5 });
  expect(requested).toEqual([`/operator/did:svc:${ADDRESS}/fleet?offset=20&limit=5`]);
});

it('requests the given kinds of changes', async () => {
  await call('list_changes', { after: 7, kinds: ['rating', 'bond'] });
  expect(requested).toEqual(['/changes?after=7&kinds=rating%2Cbond&limit=20']);
});

describe('tools/call', () => {
  it.each([
    ['a missing machine', 'get_rating', {}],
    ['a machine as a number', 'get_rating', { machine: 42 }],
    ['a machine text that is too long', 'get_rating', { machine: '1'.repeat(201) }],
    ['an extra argument', 'get_rating', { machine: ID, fast: true }],
    ['a fractional limit', 'list_fleet', { operator: 'x', limit: 0.5 }],
    ['a fleet limit above the maximum', 'list_fleet', { operator: 'x', limit: 21 }],
    ['an event limit above the maximum', 'list_events', { machine: ID, limit: 101 }],
    ['a history of 0 days', 'get_history', { machine: ID, days: 0 }],
    ['an argument for a tool without any', 'get_status', { machine: ID }],
    ['an unknown kind of change', 'list_changes', { kinds: ['weather'] }],
  ])('rejects %s and sends no request', async (_, name, args) => {
    expect(await call(name, args)).toMatchObject({ isError: true });
    expect(requested).toEqual([]);
  });

  it.each(['put_rating', 'toString'])('rejects the unknown tool %s', async (name) => {
    await expect(call(name, {})).rejects.toMatchObject({ code: -32_602 });
    expect(requested).toEqual([]);
  });
});

describe('a message is rejected and reads nothing:', () => {
  it.each([
    ['invalid JSON', '{', null, -32_700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32_600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, -32_600],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5, -32_600],
  ])('%s', async (_, body, id, code) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
    expect(requested).toEqual([]);
  });
});

it('refuses to open a stream of subscriptions', async () => {
  const opened = await open('auto');
  await expect(opened.request({ method: 'subscriptions/listen', params: { notifications: {} } })).rejects.toThrow(
    'Subscription limit reached',
  );
});
