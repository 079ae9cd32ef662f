/** The official client of the Model Context Protocol, over standard input and output (`svc mcp`) and over HTTP (`/mcp`). */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { SVC } from '../../../testing/harness/run-svc.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const json = async (path: string) => (await fetchChecked(baseUrl + path)).json();
const { id, did } = machineOf('visibility-onchain');

interface ToolOutput {
  readonly isError: unknown;
  readonly answer?: unknown;
}

const READS: readonly [string, object, string][] = [
  ['get_rating', { machine: id }, `/mcr/${did}`],
  ['get_card', { machine: did }, `/machines/${id}`],
  ['list_events', { machine: id, limit: 2 }, `/machines/${id}/events?limit=2`],
  ['get_verification', { machine: id }, `/v1/verify/machines/${id}`],
  ['explain_rating', { machine: id }, `/mcr/${did}/explanation`],
  ['get_profile', { machine: id }, `/machine/${did}`],
];

const TRANSPORTS: readonly [string, () => Transport][] = [
  ['svc mcp', () => new StdioClientTransport({ command: process.execPath, args: [SVC, 'mcp', '--base-url', baseUrl] })],
  ['/mcp', () => new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`))],
];
const MODES = ['legacy', 'auto'] as const;

describe.each(TRANSPORTS.flatMap(([name, connect]) => MODES.map((mode) => [name, mode, connect] as const)))(
  '%s, for a client that negotiates in mode %s:',
  (_, mode, connect) => {
    let client: Client;
    beforeAll(async () => {
      client = new Client({ name: 'a program', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(connect());
      // The client compares results with the output schemas of the tools that it has listed.
      await client.listTools();
    });
    afterAll(() => client.close());

    async function call(name: string, args: object = {}): Promise<ToolOutput> {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...args } });
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
      return { isError, ...(structuredContent as object) };
    }

    it('lists exactly the tools that this suite calls', async () => {
      rule('mcp.read-only');
      const { tools } = await client.listTools();
      const called = [
        ...READS.map(([name]) => name),
        'get_history',
        'list_fleet',
        'list_active_machines',
        'list_changes',
        'get_status',
      ];
      expect(tools.map(({ name }) => name).toSorted()).toEqual(called.toSorted());
    });

    it.each(READS.slice(0, 4))('%s returns the response of the service', async (name, args, path) => {
      rule('mcp.official-client');
      expect(await call(name, args)).toMatchObject({ isError: false, answer: await json(path) });
    });

    it('explain_rating returns the response of the service', async () => {
      const { answer } = await call('explain_rating', { machine: id });
      expect(answer).toMatchObject({ ...(await json(`/mcr/${did}`)), model: 'mcr/2', inputs: expect.any(Object) });
    });

    it('get_profile returns the response of the service', async () => {
      const { svcos, ...top } = await json(`/machine/${did}`);
      expect((await call('get_profile', { machine: id })).answer).toEqual({ ...top, facts: svcos });
    });

    it('get_history returns the requested days', async () => {
      const { points, ...rest } = (await json(`/mcr/${did}/history`)) as { readonly points: readonly object[] };
      const { answer } = await call('get_history', { machine: id, days: 3 });
      expect(answer).toEqual({ ...rest, points: points.slice(-3) });
    });

    it('list_fleet rates alt-chain machines', async () => {
      const { id: rated } = machineOf('alt-rated');
      const { svcos } = await json(`/machine/did:svc:${rated}`);
      const { operator } = svcos as { readonly operator: string };
      const { answer } = await call('list_fleet', { operator });
      const { mcr } = await json(`/mcr/did:svc:${rated}`);
      expect(['NR', 'Provisioned']).not.toContain(mcr);
      const { machines: listed } = answer as { readonly machines: readonly object[] };
      expect(listed).toContainEqual(expect.objectContaining({ machine_id: rated, mcr }));
      expect(listed).toEqual((await json(`/operator/${operator}/fleet?limit=20`))['machines']);
    });

    it('list_active_machines, list_changes and get_status describe the deployment', async () => {
      expect((await call('list_active_machines')).answer).toMatchObject({ unreadable: 0 });
      expect((await call('list_changes', { limit: 1 })).answer).toMatchObject({ oldest_after: 0 });
      expect((await call('get_status')).answer).toMatchObject({ status: 'fresh', operator_index: { ready: true } });
    });

    it.each([
      ['get_rating', { machine: '12345' }, 'machine-not-found'],
      ['get_rating', { machine: '0042' }, 'invalid-argument'],
      ['get_history', { machine: machineOf('relocating').id }, 'machine-relocating'],
      ['list_events', { machine: machineOf('visibility-private').id }, 'event-data-private'],
      ['get_card', { machine: machineOf('homed-elsewhere').id }, 'machine-homed-elsewhere'],
      ['get_verification', { machine: machineOf('alt-rated').id }, 'verify-read-unavailable'],
    ])('%s %j reports the error %s', async (name, args, kind) => {
      expect(await call(name, args)).toMatchObject({ isError: true, error: { kind } });
    });

    it('has resources that describe the service', async () => {
      rule('mcp.resources');
      const textOf = async (name: string) =>
        (await client.readResource({ uri: `machine-ratings://${name}` })).contents[0] as { readonly text: string };
      expect((await textOf('service')).text).toContain('## Routes');
      expect(JSON.parse((await textOf('openapi')).text)).toMatchObject({ openapi: '3.1.0' });
      expect((await textOf('methodology')).text).toContain('# The rating, `mcr/2`');
    });
  },
);

const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 'first', method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a shell', version: '1' } },
};

describe('svc mcp', () => {
  it('responds to pending requests when its input ends, and exits with 0', () => {
    const status = { jsonrpc: '2.0', id: 'last', method: 'tools/call', params: { name: 'get_status', arguments: {} } };
    const input = [INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' }, status];
    const { stdout, status: exitCode } = spawnSync(process.execPath, [SVC, 'mcp', '--base-url', baseUrl], {
      input: `${input.map((message) => JSON.stringify(message)).join('\n')}\n`,
      encoding: 'utf8',
    });
    const responses = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(responses).toMatchObject([{ id: 'first' }, { id: 'last', result: { isError: false } }]);
    expect(exitCode).toBe(0);
  });

  it('ignores an invalid line and joins a line that arrives in pieces', async () => {
    const server = spawn(process.execPath, [SVC, 'mcp', '--base-url', baseUrl], { stdio: ['pipe', 'pipe', 'ignore'] });
    const closed = once(server, 'close');
    const text = JSON.stringify(INITIALIZE);
    server.stdin.write(`\u0000\u0007\n{"jsonrpc":\n\n${text.slice(0, 30)}`);
    server.stdin.end(`${text.slice(30)}\n`);
    const [output] = await Promise.all([server.stdout.toArray(), closed]);
    expect(JSON.parse(Buffer.concat(output as Buffer[]).toString())).toMatchObject({
      id: 'first',
      result: { protocolVersion: '2025-06-18' },
    });
  });
});
