/** MCP server `svc mcp` as a process: requests and responses as lines, and its exit. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { SVC } from '../../../testing/harness/run-svc.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const json = async (path: string) => (await fetchChecked(baseUrl + path)).json();

interface Reply {
  readonly id: unknown;
  readonly result?: { readonly [name: string]: unknown; readonly structuredContent?: ToolResult };
  readonly error?: { readonly code: number; readonly message: string };
}
interface ToolResult {
  readonly answer?: unknown;
  readonly block?: unknown;
  readonly error?: { readonly kind: string };
}

let server: ChildProcessWithoutNullStreams;
let lines: AsyncIterator<string>;
let lastId = 0;

beforeAll(async () => {
  server = spawn(process.execPath, [SVC, 'mcp', '--base-url', baseUrl]);
  lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const clientInfo = { name: 'a program', version: '1' };
  const initialized = await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  expect(initialized.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'svc' } });
  sendLine(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
});
afterAll(() => void server.kill());

const sendLine = (line: string) => server.stdin.write(`${line}\n`);

async function readReply(): Promise<Reply> {
  const { value } = await lines.next();
  return JSON.parse(String(value)) as Reply;
}

async function request(method: string, params?: object): Promise<Reply> {
  lastId += 1;
  sendLine(JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }));
  const reply = await readReply();
  expect(reply.id).toBe(lastId);
  return reply;
}

async function call(name: string, args: object = {}) {
  const { result, error } = await request('tools/call', { name, arguments: args });
  expect(error).toBeUndefined();
  const { structuredContent, content, isError } = result!;
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  return { isError, ...structuredContent };
}

const { id, did, owner } = machineOf('visibility-onchain');

it('lists exactly the tools that this suite calls', async () => {
  rule('mcp.read-only');
  const { result } = await request('tools/list');
  const named = (result!['tools'] as { readonly name: string }[]).map(({ name }) => name);
  expect(named.toSorted()).toEqual(
    [...READS.map(([name]) => name), 'get_history', 'list_fleet', 'get_status'].toSorted(),
  );
});

const READS: readonly [string, object, string][] = [
  ['get_rating', { machine: id }, `/mcr/${did}`],
  ['get_card', { machine: did }, `/machines/${id}`],
  ['list_events', { machine: id, limit: 2 }, `/machines/${id}/events?limit=2`],
  ['get_verification', { machine: id }, `/v1/verify/machines/${id}`],
  ['explain_rating', { machine: id }, `/mcr/${did}/explanation`],
  ['get_profile', { machine: id }, `/machine/${did}`],
];

describe('a tool returns the response of the service:', () => {
  it.each(READS.slice(0, 4))('%s', async (name, args, path) => {
    expect(await call(name, args)).toMatchObject({ isError: false, answer: await json(path) });
  });

  it('explain_rating', async () => {
    const { answer } = await call('explain_rating', { machine: id });
    expect(answer).toMatchObject({ ...(await json(`/mcr/${did}`)), model: 'mcr/2', inputs: expect.any(Object) });
  });

  it('get_profile', async () => {
    const { svcos, ...top } = await json(`/machine/${did}`);
    expect((await call('get_profile', { machine: id })).answer).toEqual({ ...top, facts: svcos });
  });

  it('get_history, limited to the requested days', async () => {
    const { points, ...rest } = (await json(`/mcr/${did}/history`)) as { readonly points: readonly object[] };
    const { answer } = await call('get_history', { machine: id, days: 3 });
    expect(answer).toEqual({ ...rest, points: points.slice(-3) });
  });

  it('list_fleet', async () => {
    const { machines: listed } = await json(`/operator/did:svc:${owner}/machines?limit=1`);
    expect((await call('list_fleet', { operator: owner, limit: 1 })).answer).toMatchObject({ machines: listed });
  });

  it('get_status', async () => {
    expect((await call('get_status')).answer).toMatchObject({ status: 'fresh', operator_index: { ready: true } });
  });
});

describe('a tool reports an error of the service:', () => {
  it.each([
    ['get_rating', { machine: '12345' }, 'machine-not-found'],
    ['get_rating', { machine: '0042' }, 'invalid-argument'],
    ['get_history', { machine: machineOf('relocating').id }, 'machine-relocating'],
    ['list_events', { machine: machineOf('visibility-private').id }, 'event-data-private'],
    ['get_card', { machine: machineOf('homed-elsewhere').id }, 'machine-homed-elsewhere'],
    ['get_verification', { machine: machineOf('alt-rated').id }, 'verify-read-unavailable'],
  ])('%s %j: %s', async (name, args, kind) => {
    expect(await call(name, args)).toMatchObject({ isError: true, error: { kind } });
  });
});

describe('an invalid line is rejected and the next request works:', () => {
  it.each([
    ['no JSON', '{"jsonrpc":', { id: null, error: { code: -32_700 } }],
    ['no text', '\u0000\u0007', { id: null, error: { code: -32_700 } }],
    ['a batch', '[]', { id: null, error: { code: -32_600 } }],
    ['no method', '{"jsonrpc":"2.0","id":"x"}', { id: 'x', error: { code: -32_600 } }],
    ['an unknown method', '{"jsonrpc":"2.0","id":"x","method":"tools/write"}', { id: 'x', error: { code: -32_601 } }],
    [
      'an unknown tool',
      '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"set_rating","arguments":{}}}',
      { id: 'x', error: { code: -32_602, message: 'unknown tool' } },
    ],
    [
      'an id as a number',
      '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"get_rating","arguments":{"machine":42}}}',
      { id: 'x', error: { code: -32_602, message: expect.stringContaining('machine must be of type string') } },
    ],
  ])('%s', async (_, line, expected) => {
    sendLine(line);
    expect(await readReply()).toMatchObject(expected);
    expect((await request('ping')).result).toEqual({});
  });

  it('ignores an empty line and joins a line that arrives in pieces', async () => {
    sendLine('');
    server.stdin.write('{"jsonrpc":"2.0","id":"p",');
    sendLine('"method":"ping"}');
    expect(await readReply()).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  });
});

it('responds to pending requests when its input ends, and exits with 0', async () => {
  const closed = once(server, 'close') as Promise<[number | null]>;
  server.stdin.end(
    `${JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'tools/call', params: { name: 'get_status' } })}\n`,
  );
  expect(await readReply()).toMatchObject({ id: 'last', result: { isError: false } });
  expect((await lines.next()).done).toBe(true);
  expect(await closed).toEqual([0, null]);
});
