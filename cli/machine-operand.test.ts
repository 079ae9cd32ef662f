/** Machine argument of commands: a decimal id means the machine of the deployment, whatever its DID method is. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAIN } from '../testing/fixtures/sample-environment.ts';
import { runSvc } from '../testing/harness/run-svc.ts';
import { CommandFailed } from './exit-codes.ts';
import { parseMachineOperand } from './machine-operand.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';

const ACCOUNT = '0x8105660af15a4eb54fa0571bc84dfbec0294a99a';
const OWNER = 'FMUEmtxhU46GzhKF4FW9MLJdQWiLgjiXP9TYRWSrqTpV';
const NAMESPACE = { ...DEFAULT_NAMESPACE, did_method: 'acme' };
const PROFILE = { name: 'Machine #42', facts: { did: 'did:acme:42', owner: OWNER } };

let folder: string;
let server: Server;
let env: Record<string, string>;
let requested: string[];

/** A service whose DID method is `acme`. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'operand-'));
  const file = join(folder, 'namespace.json');
  writeFileSync(file, JSON.stringify({ did_method: NAMESPACE.did_method }));
  const documents: Readonly<Record<string, object>> = {
    '/mcr/did:acme:42': { did: 'did:acme:42', mcr: 'BB', mcr_score: 45 },
    '/machine/did:acme:42': PROFILE,
    '/metadata/42': PROFILE,
    '/metadata/7': { name: 'Machine #7' },
  };
  server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requested.push(path);
    const document = documents[path];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { detail: 'Machine not found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = { ...MAIN, NAMESPACE_FILE: file, SVC_BASE_URL: baseUrl };
});
beforeEach(() => {
  requested = [];
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

describe('parseMachineOperand', () => {
  it.each(['42', 'did:acme:42'])('parses %s', (text) => {
    expect(parseMachineOperand(text, NAMESPACE)).toBe(42n);
  });

  it.each(['', '0', '042', '0x2a', 'did:svc:42', 'did:acme:042'])('refuses %j', (text) => {
    expect(() => parseMachineOperand(text, NAMESPACE)).toThrow(
      new CommandFailed('usage', `${JSON.stringify(text)} is not a machine id or DID`),
    );
  });
});

describe('svc machine', () => {
  const baseUrl = () => ({ SVC_BASE_URL: env['SVC_BASE_URL']! });

  it.each(['42', 'did:acme:42'])('shows %s without the namespace of the service', async (id) => {
    const { code, stdout } = await runSvc(['machine', id], { env: baseUrl() });
    expect([code, stdout]).toEqual([0, expect.stringContaining('did:acme:42')]);
  });

  it('refuses a profile without a DID', async () => {
    expect(await runSvc(['machine', '7'], { env: baseUrl() })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: the profile of 7 names no DID\n',
    });
  });
});

it.each(['42', 'did:acme:42'])('svc replay %s requests the DID of the configured namespace', async (id) => {
  expect(await runSvc(['replay', id], { env })).toMatchObject({ code: 1, stdout: '' });
  expect(requested).toEqual(['/mcr/did:acme:42/explanation']);
});

it.each(['42', 'did:acme:42'])('svc payout proof %s names the DID of the configured namespace', async (id) => {
  const { stdout } = await runSvc(['payout', 'proof', id, ACCOUNT], { env });
  expect(stdout).toContain('machine: did:acme:42\n');
  expect(requested).toEqual(['/machine/did:acme:42']);
});

it.each([
  ['monetize', '--opt-in', '--show', 'x'],
  ['chip', 'challenge', 'x'],
  ['replay', 'x'],
  ['payout', 'proof', 'x', ACCOUNT],
  ['decisions', 'export', 'x'],
  ['attest', 'revoke', 'x'],
  ['attest', 'list', '--machine', 'x'],
])('svc %s %s refuses another text', async (...words) => {
  expect(await runSvc(words, { env })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'svc: "x" is not a machine id or DID\n',
  });
});
