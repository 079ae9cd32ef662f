/** Onboarding client with accepted, lost, refused and wrong responses. The document comes from the published vectors. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { attempts, vectorNamespace } from '../../testing/fixtures/evidence-vectors.ts';
import { CommandFailed } from '../exit-codes.ts';
import { submitEvidence } from './onboarding-client.ts';

const { bodyText, receipt } = attempts.first;
const derived = Object.fromEntries(Object.entries(receipt).filter(([name]) => name !== 'receivedAt'));
const BODY = Uint8Array.from(Buffer.from(bodyText));

type Scripted = { readonly status: number; readonly body: object } | 'no response';
const ACCEPTED: Scripted = { status: 202, body: receipt };
const refusalOf = (status: number, code: string): Scripted => ({ status, body: { detail: { code, message: 'no' } } });

let server: Server;
let baseUrl: string;
let script: Scripted[];
let received: string[];

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (await request.setEncoding('utf8').toArray()).join('');
  received.push(`${request.method} ${request.url} ${request.headers.authorization} ${text === bodyText}`);
  const next = script.shift()!;
  if (next === 'no response') return void request.socket.destroy();
  response.writeHead(next.status, { 'content-type': 'application/json' }).end(JSON.stringify(next.body));
}

beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
});
afterAll(() => {
  vi.restoreAllMocks();
  server.close();
});

async function submit(...responses: readonly Scripted[]): Promise<unknown> {
  script = [...responses];
  try {
    return await submitEvidence({ baseUrl, token: 'a-token' }, BODY, vectorNamespace);
  } catch (error) {
    if (error instanceof CommandFailed) return [error.exitCode, error.message.replace(baseUrl, 'URL')];
    throw error;
  }
}

const SENT = 'POST /v1/verify/chip/evidence Bearer a-token true';
const ALREADY = refusalOf(409, 'EVIDENCE_ALREADY_ACCEPTED');

it.each<[name: string, responses: readonly Scripted[], outcome: unknown]>([
  ['receipt of an accepted document', [ACCEPTED], receipt],
  ['derived receipt of a document that was already accepted', [ALREADY], derived],
  ['derived receipt when the response was lost', ['no response', ALREADY], derived],
  ['receipt when the request was lost', ['no response', ACCEPTED], receipt],
  [
    'failure when both requests are lost',
    ['no response', 'no response'],
    [3, 'the service at URL does not respond; start one with svc demo, or name another with --base-url'],
  ],
  [
    'refusal of an expired challenge',
    [refusalOf(409, 'CHALLENGE_EXPIRED')],
    [1, '/v1/verify/chip/evidence: 409 {"code":"CHALLENGE_EXPIRED","message":"no"}'],
  ],
  [
    'failure for the receipt of another document',
    [{ status: 202, body: { ...receipt, machineId: '7' } }],
    [4, 'accepted, but the receipt does not match the document: machineId is "7"'],
  ],
  [
    'failure for a receipt without a time',
    [{ status: 202, body: derived }],
    [4, 'accepted, but the receipt does not match the document: receivedAt is missing'],
  ],
])('returns the %s', async (_name, responses, outcome) => {
  expect(await submit(...responses)).toEqual(outcome);
  expect(received).toEqual(responses.map(() => SENT));
});

it('does not send a document that is not canonical', async () => {
  const changed = Uint8Array.from(Buffer.from(`${bodyText}\n`));
  const sending = submitEvidence({ baseUrl, token: 'a-token' }, changed, vectorNamespace);
  await expect(sending).rejects.toMatchObject({ exitCode: 2 });
  expect(received).toEqual([]);
});
