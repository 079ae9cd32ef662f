/** Signals of a supervisor: graceful shutdown on SIGTERM, and reload of tokens and certificates on SIGHUP. */
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { startReplica, type Replica } from '../../../testing/harness/replica.ts';
import { fetchChecked } from '../fetch-checked.ts';

let folder: string;
let replica: Replica;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopping-'));
  writeFileSync(join(folder, 'tokens'), FIRST);
  copyFileSync(inject('indexedDatabase'), join(folder, 'svc.db'));
  const env: Record<string, string> = { ...inject('devnetEnv') };
  delete env['ONBOARDING_TOKENS'];
  replica = await startReplica({
    ...env,
    ONBOARDING_TOKENS_FILE: join(folder, 'tokens'),
    DATABASE_URL: `sqlite:${join(folder, 'svc.db')}`,
    LOG_LEVEL: 'info',
  });
  await replica.until('svc_ready', 1);
});
afterEach(async () => {
  await replica.kill();
  rmSync(folder, { recursive: true });
});

const FIRST = 'first-token';
const SECOND = 'second-token';

async function openConnection(): Promise<Socket> {
  const { hostname, port } = new URL(replica.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const challenge = async (token: string) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetchChecked(`${replica.url}/v1/verify/chip/challenge`, { method: 'POST', headers, body: '{}' }))
    .status;
};

it('becomes unready on SIGTERM, responds to pending and new requests, and exits with 0', async () => {
  const before = await openConnection();
  before.write(`POST /v1/verify/chip/challenge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${FIRST}\r\n`);
  before.write('Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
  replica.signal('SIGTERM');
  let ready = await fetch(`${replica.url}/ready`);
  while (ready.status !== 503) ready = await fetch(`${replica.url}/ready`);
  expect(ready.headers.get('connection')).toBe('close');
  expect((await fetch(`${replica.url}/health`)).status).toBe(200);
  before.write('}');
  const [response] = (await once(before, 'data')) as [Buffer];
  expect(response.toString().split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request');
  expect(await replica.ended).toBe(0);
});

it('exits with 0 despite open connections with incomplete requests', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, openConnection));
  for (const socket of sockets) socket.write('GET /health HTTP/1.1\r\nHost: x\r\n');
  replica.signal('SIGTERM');
  expect(await replica.ended).toBe(0);
});

it('reloads tokens on SIGHUP and keeps serving', async () => {
  expect([await challenge(FIRST), await challenge(SECOND)]).toEqual([400, 401]);
  writeFileSync(join(folder, 'tokens'), SECOND);
  replica.signal('SIGHUP');
  await replica.untilLine(/trust files reloaded/);
  expect([await challenge(FIRST), await challenge(SECOND)]).toEqual([401, 400]);
});

it('retains its tokens when the new configuration has a problem, and logs the problem without the value', async () => {
  writeFileSync(join(folder, 'tokens'), 'not a token');
  replica.signal('SIGHUP');
  const line = await replica.untilLine(/configuration not reloaded/);
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    problem: 'ONBOARDING_TOKENS: must be tokens of 1 to 512 visible ASCII characters, separated by commas',
  });
  expect(replica.lines.join('\n')).not.toContain('not a token');
  expect([await challenge(FIRST), await challenge(SECOND)]).toEqual([400, 401]);
});
