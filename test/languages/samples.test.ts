/** The programs that the reference shows for every operation: Go accepts and formats them, Python compiles them, and they send what they show. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  fillPath,
  listGroups,
  sampleOf,
  type ApiDocument,
  type CurlRequest,
  type Operation,
} from '../../explorer/reference/api-document.ts';
import { formatSample } from '../../explorer/reference/request-samples.ts';
import { rule } from '../conformance/rule.ts';
import { findMachine } from '../service/fetch-checked.ts';
import { runTool } from './tools.ts';

const baseUrl = inject('baseUrl');
const { did, id, owner } = findMachine(inject('fixtures').machines, 'rated-b');
const CANDIDATES = [did, id, owner];

let folder: string;
let requests: readonly (readonly [id: string, request: CurlRequest])[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'samples-'));
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as ApiDocument;
  const operations = listGroups(document).flatMap(([, listed]) => listed);
  requests = operations.map((operation) => [operation.id, toRequest(document, operation)]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function toRequest(document: ApiDocument, operation: Operation): CurlRequest {
  const values = operation.parameters
    .filter(({ in: place }) => place === 'path')
    .map(({ name, schema }) => [name, String(sampleOf(document, schema, CANDIDATES))]);
  const path = fillPath(operation, Object.fromEntries(values) as Record<string, string>);
  if (path === undefined) throw new Error(`no path of ${operation.id}`);
  const { method, body, needsToken } = operation;
  return {
    ...{ method, url: baseUrl + path, hasToken: needsToken },
    ...(body && { body: JSON.stringify(sampleOf(document, body, CANDIDATES)) }),
  };
}

it('are programs in Go that gofmt does not change and go vet accepts', () => {
  rule('documents.samples');
  const target = join(folder, 'go');
  for (const [name, request] of requests) {
    mkdirSync(join(target, name), { recursive: true });
    writeFileSync(join(target, name, 'main.go'), `${formatSample('Go', request)}\n`);
  }
  const version = /^go .+$/m.exec(readFileSync(join(import.meta.dirname, '../../clients/go/go.mod'), 'utf8'))![0];
  writeFileSync(join(target, 'go.mod'), `module samples\n\n${version}\n`);
  expect(runTool(target, 'gofmt', ['-l', '.']).stdout).toBe('');
  runTool(target, 'go', ['vet', './...']);
  expect(runTool(target, 'go', ['run', './getRating']).stdout).toMatch(/^200 \{"did":/);
  const variables = { SVC_ONBOARDING_TOKEN: 'wrong' };
  expect(runTool(target, 'go', ['run', './issueChipChallenge'], variables).stdout).toMatch(/^401 /);
});

it('are programs in Python that compile', () => {
  rule('documents.samples');
  const target = join(folder, 'python');
  mkdirSync(target);
  for (const [name, request] of requests) writeFileSync(join(target, `${name}.py`), formatSample('Python', request));
  runTool(target, 'python', ['-W', 'error', '-m', 'compileall', '-q', '.']);
  expect(runTool(target, 'python', ['getRating.py']).stdout).toMatch(/^200 \{"did":/);
});
