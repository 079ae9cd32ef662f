/**
 * The AsyncAPI document of a running service passes the official parser, and the inspector of the Model Context Protocol reads the service over
 * both transports.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { SVC } from '../../testing/harness/run-svc.ts';
import { rule } from '../conformance/rule.ts';
import { findMachine } from '../service/fetch-checked.ts';
import { PROTOCOL_TOOLS, runTool } from './tools.ts';

const baseUrl = inject('baseUrl');
const { id } = findMachine(inject('fixtures').machines, 'rated-b');

const PARSER = pathToFileURL(join(PROTOCOL_TOOLS, 'node_modules/@asyncapi/parser/cjs/index.js')).href;
const PARSING = `
import { readFileSync } from 'node:fs';
import { Parser } from '${PARSER}';
const { document, diagnostics } = await new Parser().parse(readFileSync('asyncapi.json', 'utf8'));
const operations = document?.operations().all().map((operation) => operation.id());
console.log(JSON.stringify({ version: document?.version(), operations, diagnostics }));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'protocols-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('has an AsyncAPI document that the official parser accepts without a diagnostic', async () => {
  rule('changes.asyncapi');
  writeFileSync(join(folder, 'asyncapi.json'), await (await fetch(`${baseUrl}/asyncapi.json`)).text());
  writeFileSync(join(folder, 'parse.mjs'), PARSING);
  const { stdout } = runTool(folder, process.execPath, ['parse.mjs']);
  const expected = { version: '3.1.0', operations: ['sendChange', 'sendWebhook'], diagnostics: [] };
  expect(JSON.parse(stdout)).toEqual(expected);
});

it.each([
  ['standard input and output', [process.execPath, SVC, 'mcp', '--base-url', baseUrl]],
  ['HTTP', [`${baseUrl}/mcp`]],
])('lists and calls tools with the inspector over %s', (_, target) => {
  rule('mcp.official-client');
  const inspect = (...args: readonly string[]) =>
    JSON.parse(
      runTool(folder, 'mcp-inspector', ['--cli', '--connect-timeout', '300000', ...target, ...args]).stdout,
    ) as object;
  const { tools } = inspect('--method', 'tools/list', '--strict') as { readonly tools: readonly object[] };
  expect(tools).toHaveLength(11);
  const called = inspect('--method', 'tools/call', '--tool-name', 'get_rating', '--tool-arg', `machine="${id}"`);
  expect(called).toMatchObject({ structuredContent: { answer: { machine_id: id, mcr: 'B' } } });
});
