/**
 * The OpenAPI document of a running service passes a linter, and the clients that generators of three languages make of it compile and read
 * the same values from the service.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { rule } from '../conformance/rule.ts';
import { findMachine } from '../service/fetch-checked.ts';
import { runTool, TOOL_MODULES } from './tools.ts';

const SOURCES = join(import.meta.dirname, 'generated');
const baseUrl = inject('baseUrl');
const { id, owner } = findMachine(inject('fixtures').machines, 'multi-currency');
const ARGUMENTS = [baseUrl, id, owner];

let folder: string;
/** Values that every program prints, read without a client. */
let expected: object;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'generators-'));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await read('/openapi.json')));
  const [rating, explanation] = await Promise.all([read(`/mcr/did:svc:${id}`), read(`/mcr/did:svc:${id}/explanation`)]);
  const { mcr: letter, average_revenue_per_event: average } = rating as {
    readonly mcr: string;
    readonly average_revenue_per_event: number;
  };
  const [{ measure }] = (explanation as { readonly factors: [{ readonly measure: { readonly usd_cents: number } }] })
    .factors;
  expected = { letter, average, cents: measure.usd_cents, machines: 1, absent: 404 };
});
afterAll(() => rmSync(folder, { recursive: true }));

async function read(path: string): Promise<unknown> {
  return (await fetch(baseUrl + path)).json();
}

/** Copies sources of this folder into an empty folder. */
function prepare(name: string, ...files: string[]): string {
  const target = join(folder, name);
  mkdirSync(target);
  for (const file of files) copyFileSync(join(SOURCES, file), join(target, file));
  return target;
}

it('passes Redocly without an error', () => {
  rule('documents.generators');
  const target = prepare('lint', 'redocly.yaml');
  const { stdout, stderr } = runTool(target, 'redocly', ['lint', '../openapi.json', '--config', 'redocly.yaml']);
  expect(stdout + stderr).toContain('Your API description is valid');
  expect(stdout + stderr).not.toMatch(/warning|error/i);
});

it('gives a TypeScript client that compiles in strict mode and reads the service', () => {
  rule('documents.generators');
  const target = prepare('typescript', 'program.ts');
  runTool(target, 'ln', ['-s', TOOL_MODULES, 'node_modules']);
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  runTool(target, 'openapi-typescript', ['../openapi.json', '-o', 'api.d.ts']);
  const options = [
    '--strict',
    '--noUncheckedIndexedAccess',
    '--exactOptionalPropertyTypes',
    '--noEmit',
    '--skipLibCheck',
  ];
  const modules = ['--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions', '--lib', 'es2025,dom'];
  const types = ['--types', 'node', '--typeRoots', join(import.meta.dirname, '../../node_modules/@types')];
  const compiler = join(import.meta.dirname, '../../node_modules/typescript7/bin/tsc');
  runTool(target, process.execPath, [compiler, ...options, ...modules, ...types, 'program.ts', 'api.d.ts']);
  const { stdout } = runTool(target, process.execPath, ['program.ts', ...ARGUMENTS]);
  expect(JSON.parse(stdout)).toEqual(expected);
});

it('gives a Python client without a warning that reads the service', () => {
  rule('documents.generators');
  const target = prepare('python', 'python.yaml', 'program.py');
  const options = ['--config', 'python.yaml', '--output-path', 'generated', '--meta', 'none', '--fail-on-warning'];
  const { stdout, stderr } = runTool(target, 'openapi-python-client', [
    ...['generate', '--path', '../openapi.json'],
    ...options,
  ]);
  expect(stdout + stderr).not.toMatch(/warning|error/i);
  const { stdout: printed } = runTool(target, 'python', ['program.py', ...ARGUMENTS]);
  expect(JSON.parse(printed)).toEqual(expected);
});

it('gives a Go client that go vet accepts and that reads the service', () => {
  rule('documents.generators');
  const target = prepare('go', 'program.go', 'go.mod', 'go.sum');
  mkdirSync(join(target, 'service'));
  const options = ['-generate', 'types,client', '-package', 'service', '-o', 'service/client.go'];
  runTool(target, 'oapi-codegen', [...options, '../openapi.json']);
  runTool(target, 'go', ['vet', './...']);
  const { stdout } = runTool(target, 'go', ['run', '.', ...ARGUMENTS]);
  expect(JSON.parse(stdout)).toEqual(expected);
});
