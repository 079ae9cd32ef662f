/** `POST /mcp`: the reads of a tool are those of its caller, within its limits, and alt-chain machines are rated. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, it } from 'vitest';
import { rule } from '../../../../test/conformance/rule.ts';
import { buildApp, type AppOptions } from '../../../app.ts';
import { createMcpEndpoint } from '../../../adapters/mcp/mcp-endpoint.ts';
import { DEFAULT_NAMESPACE } from '../../../domain/identifiers/namespace.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { eventLog, NOW, openAltService, OPERATOR, revenueAt } from '../../../../testing/harness/alt-chain.ts';
import { createStubCtx } from '../../../../testing/fakes/stub-ctx.ts';
import { describeToolOutput } from '../../schemas/tool-outputs.ts';

type App = Awaited<ReturnType<typeof buildApp>>;

const mcp = createMcpEndpoint(DEFAULT_NAMESPACE, (response) => describeToolOutput(DEFAULT_NAMESPACE, response));

let app: App | undefined;
afterEach(() => app?.close());

async function open(parts: Partial<Ctx> = {}, options: AppOptions = {}): Promise<App> {
  return (app = await buildApp(createStubCtx({ mcp, ...parts }), options));
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function post(to: App, body: object | string, headers: Readonly<Record<string, string>> = {}) {
  return to.inject({ method: 'POST', url: '/mcp', headers: { ...HEADERS, ...headers }, payload: body });
}

/** Calls a tool as a client of the protocol's first generation does, and returns its result. */
async function call(to: App, name: string, args: object, headers?: Readonly<Record<string, string>>) {
  const { body } = await post(
    to,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    headers,
  );
  const [, data] = /^data: (.+)$/m.exec(body)!;
  return (JSON.parse(data!) as { readonly result: { readonly structuredContent: Readonly<Record<string, unknown>> } })
    .result.structuredContent;
}

it('lists a fleet with the ratings of its alt-chain machines', async () => {
  rule('mcp.official-client');
  const days = Array.from({ length: 120 }, (_, day) => revenueAt(day, NOW - (120 - day) * 86_400, 100_000));
  const service = await openAltService({ machines: [{ log: eventLog(120), indexed: days }] });
  try {
    await open(service.ctx, { rateLimits: 'off' });
    const { answer, block } = await call(app!, 'list_fleet', { operator: OPERATOR });
    expect(answer).toMatchObject({
      machines: [{ machine_id: '1', home_chain: 5, mcr: expect.stringMatching(/^[AB]/) }],
    });
    expect(block).toEqual({ number: '120340', age_seconds: 3 });
  } finally {
    await service.close();
  }
});

it('counts a message, and the read that it causes, in the limits of the caller', async () => {
  rule('mcp.limits');
  await open({}, { trustedProxies: ['127.0.0.1'] });
  const caller = { 'x-forwarded-for': '192.0.2.1' };
  for (let count = 0; count < 90; count++) await app!.inject({ url: '/llms.txt', headers: caller });
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'machine-ratings://service' } };
  expect((await post(app!, read, caller)).body).toContain('not found');
  expect((await post(app!, read, { 'x-forwarded-for': '192.0.2.2' })).body).toContain('# Machine Rating');
  const statuses: number[] = [];
  for (let count = 0; count < 90; count++) statuses.push((await post(app!, '{', caller)).statusCode);
  expect([statuses.indexOf(429), statuses[0]]).toEqual([89, 400]);
});

it('refuses a message above 16 KiB with 413, and other methods with 405', async () => {
  await open();
  const { statusCode, body } = await post(app!, `"${'x'.repeat(16_384)}"`);
  expect([statusCode, JSON.parse(body)]).toEqual([413, { detail: expect.any(String) }]);
  for (const method of ['GET', 'DELETE'] as const) {
    const refused = await app!.inject({ method, url: '/mcp' });
    expect([refused.statusCode, refused.headers['allow']]).toEqual([405, 'POST']);
  }
});

/** Headers that a page may send to another origin without asking (Fetch, "CORS-safelisted request-header"); JSON is not a safelisted type. */
const SAFE_HEADERS = ['accept', 'accept-language', 'content-language', 'range'];

it.each(['legacy', 'auto'] as const)(
  'allows pages of other origins every header that the official client sends in mode %s',
  async (mode) => {
    rule('mcp.browsers');
    await open({}, { rateLimits: 'off' });
    const sent = new Set<string>();
    const send: typeof fetch = async (_target, init) => {
      const request = new Request('http://service/mcp', init);
      const headers = Object.fromEntries(request.headers);
      for (const name of Object.keys(headers)) sent.add(name);
      const method = request.method as 'POST';
      const response = await app!.inject({ method, url: '/mcp', headers, payload: await request.text() });
      const { statusCode: status, headers: received, body } = response;
      return new Response(status === 202 ? null : body, { status, headers: received as Record<string, string> });
    };
    const client = new Client({ name: 'a page', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL('http://service/mcp'), { fetch: send }));
    await client.callTool({ name: 'get_rating', arguments: { machine: '42' } });
    await client.close();
    expect(sent).toContain('mcp-protocol-version');

    const preflight = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    const { statusCode, headers } = await app!.inject({ method: 'OPTIONS', url: '/mcp', headers: preflight });
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(headers['access-control-allow-methods']).toContain('POST');
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ');
    expect([...sent].filter((name) => !SAFE_HEADERS.includes(name) && !allowed.includes(name))).toEqual([]);
  },
);

it('lets pages of other origins read every response', async () => {
  rule('mcp.browsers');
  await open();
  const read = { 'access-control-allow-origin': '*' };
  expect((await post(app!, { jsonrpc: '2.0', id: 1, method: 'ping' })).headers).toMatchObject(read);
  expect((await post(app!, '{')).headers).toMatchObject(read);
  expect((await app!.inject({ method: 'GET', url: '/mcp' })).headers).toMatchObject(read);
});

it('responds to a notification with 202 and without a body', async () => {
  await open();
  const { statusCode, body, headers } = await post(app!, { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect([statusCode, body, headers['content-type'], headers['content-length']]).toEqual([202, '', undefined, '0']);
});

it('refuses another media type with 415', async () => {
  await open();
  expect((await post(app!, '{}', { 'content-type': 'text/plain' })).statusCode).toBe(415);
});

it('is not served with additions off', async () => {
  rule('additions.off');
  await open({ additions: 'off' });
  expect((await post(app!, { jsonrpc: '2.0', id: 1, method: 'ping' })).statusCode).toBe(404);
});
