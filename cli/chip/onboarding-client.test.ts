/** What does a provider learn when an answer is lost, wrong, or a refusal? The document is a published attempt. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { attempts, vectorNamespace } from '../../testing/fixtures/evidence-vectors.ts';
import { CommandFailed } from '../exit-codes.ts';
import { submitEvidence } from './onboarding-client.ts';

const { bodyText, receipt } = attempts.first;
const follows = Object.fromEntries(Object.entries(receipt).filter(([name]) => name !== 'receivedAt'));
const BODY = Uint8Array.from(Buffer.from(bodyText));

type Scripted = { readonly status: number; readonly body: object } | 'no answer';
const ACCEPTED: Scripted = { status: 202, body: receipt };
const refusalOf = (status: number, code: string): Scripted => ({ status, body: { detail: { code, message: 'no' } } });

let server: Server;
let baseUrl: string;
let script: Scripted[];
let received: string[];

beforeAll(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  server = createServer(async (request, response) => {
    const text = (await request.setEncoding('utf8').toArray()).join('');
    received.push(`${request.method} ${request.url} ${request.headers.authorization} ${text === bodyText}`);
    const answer = script.shift()!;
    if (answer === 'no answer') return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  }).listen(0, '127.0.0.1');
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

async function submit(...answers: readonly Scripted[]): Promise<unknown> {
  script = [...answers];
  try {
    return await submitEvidence({ baseUrl, token: 'a-token' }, BODY, vectorNamespace);
  } catch (error) {
    if (error instanceof CommandFailed) return [error.exitCode, error.message.replace(baseUrl, 'URL')];
    throw error;
  }
}

const SENT = 'POST /v1/verify/chip/evidence Bearer a-token true';
const ALREADY = refusalOf(409, 'EVIDENCE_ALREADY_ACCEPTED');

it.each<[name: string, answers: readonly Scripted[], outcome: unknown]>([
  ['is accepted', [ACCEPTED], receipt],
  ['was accepted before', [ALREADY], follows],
  ['was accepted, and the answer lost', ['no answer', ALREADY], follows],
  ['was lost on its way', ['no answer', ACCEPTED], receipt],
  [
    'is lost twice',
    ['no answer', 'no answer'],
    [3, 'the service at URL does not answer; svc demo starts one here, --base-url names another'],
  ],
  [
    'is late',
    [refusalOf(409, 'CHALLENGE_EXPIRED')],
    [1, '/v1/verify/chip/evidence: 409 {"code":"CHALLENGE_EXPIRED","message":"no"}'],
  ],
  [
    'gets the receipt of another',
    [{ status: 202, body: { ...receipt, machineId: '7' } }],
    [4, 'accepted, but the receipt is not this document\'s: machineId is "7"'],
  ],
  [
    'gets a receipt without a time',
    [{ status: 202, body: follows }],
    [4, "accepted, but the receipt is not this document's: receivedAt is nothing"],
  ],
])('a document that %s', async (_name, answers, outcome) => {
  expect(await submit(...answers)).toEqual(outcome);
  expect(received).toEqual(answers.map(() => SENT));
});

it('what is no document is not sent', async () => {
  const changed = Uint8Array.from(Buffer.from(`${bodyText}\n`));
  const sending = submitEvidence({ baseUrl, token: 'a-token' }, changed, vectorNamespace);
  await expect(sending).rejects.toMatchObject({ exitCode: 2 });
  expect(received).toEqual([]);
});
