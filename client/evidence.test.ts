/** Submission of evidence, compared with the published vectors: the document is sent as built, and a lost response loses no receipt. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import {
  attempts,
  fromBase64,
  pki,
  requestCases,
  vectorNamespace,
  type VectorAttempt,
} from '../testing/fixtures/evidence-vectors.ts';
import { connect } from './client.ts';
import {
  buildEvidence,
  issueChallenge,
  parseChipSignature,
  parseRecoverableSignature,
  prepareChipProof,
  prepareControllerProof,
  submitEvidence,
} from './evidence.ts';

const first = attempts.first as VectorAttempt & { readonly nativeSignatureHex: string };
const NOW = requestCases.world.now;
const TOKEN = 'onboarding-token-of-a-test';

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly authorization: string | null;
  readonly body: string;
}

type Canned = readonly [status: number, body: object] | Error;

/** Creates a service that returns these responses in turn; an `Error` is a lost response. */
function respondingWith(...answers: readonly Canned[]) {
  const sent: Sent[] = [];
  const stub = async (input: string | URL | Request, { method, headers, body }: RequestInit = {}) => {
    const authorization = new Headers(headers).get('authorization');
    sent.push({ url: new Request(input).url, method, authorization, body: await new Response(body).text() });
    const answer = answers[sent.length - 1]!;
    if (answer instanceof Error) throw answer;
    return Response.json(answer[1], { status: answer[0] });
  };
  const connection = connect({ baseUrl: 'https://svc.example', namespace: vectorNamespace, fetch: stub });
  return { connection, sent };
}

function build() {
  const leaf = { der: fromBase64(pki.leaf.derBase64), publicKey: hexToBytes(first.publicKeyHex) };
  const chip = prepareChipProof(first.challenge, leaf, vectorNamespace, NOW);
  const rs = parseChipSignature(hexToBytes(first.nativeSignatureHex))!;
  const controller = prepareControllerProof(chip, rs, vectorNamespace, NOW);
  const signature = parseRecoverableSignature(`0x${first.controllerSignatureHex}`)!;
  return buildEvidence(controller, signature, vectorNamespace, NOW);
}

const evidence = build();
const { evidenceHash, receiptId } = evidence;
const RECEIPT = first.receipt;
const REPEATED = { detail: { code: 'EVIDENCE_ALREADY_ACCEPTED', message: 'This evidence was accepted before.' } };

it('requests a challenge with the token and the id only', async () => {
  const { connection, sent } = respondingWith([201, first.challenge]);
  const machineId = first.challenge['machineId']!;
  expect(await issueChallenge(connection, BigInt(machineId), { token: TOKEN })).toEqual({
    ok: true,
    value: first.challenge,
  });
  expect(sent).toEqual([
    {
      url: 'https://svc.example/v1/verify/chip/challenge',
      method: 'POST',
      authorization: `Bearer ${TOKEN}`,
      body: JSON.stringify({ machineId }),
    },
  ]);
});

describe('submitEvidence', () => {
  const submit = async (...answers: readonly Canned[]) => {
    const { connection, sent } = respondingWith(...answers);
    let repeats = 0;
    const answer = await submitEvidence(connection, evidence, { token: TOKEN, onRepeat: () => repeats++ });
    return { answer, sent, repeats };
  };
  const lost = new Error('socket hang up');

  it('sends the document byte for byte and returns its receipt', async () => {
    const { answer, sent, repeats } = await submit([202, RECEIPT]);
    expect([answer, repeats]).toEqual([{ ok: true, value: { receiptId, evidenceHash, receipt: RECEIPT } }, 0]);
    expect(sent.map(({ body }) => body)).toEqual([first.bodyText]);
  });

  it('sends the document again after a lost response and recognizes its acceptance', async () => {
    const { answer, sent, repeats } = await submit(lost, [409, REPEATED]);
    expect([answer, repeats]).toEqual([{ ok: true, value: { receiptId, evidenceHash } }, 1]);
    expect(sent.map(({ body }) => body)).toEqual([first.bodyText, first.bodyText]);
  });

  it('gives no third attempt to a document without a response', async () => {
    const { answer, sent } = await submit(lost, lost);
    expect([answer, sent.length]).toEqual([{ ok: false, error: { kind: 'unreachable', text: 'no response' } }, 2]);
  });

  it('does not repeat a rejected document', async () => {
    const detail = { code: 'CHIP_PROOF_INVALID', message: 'The proof of the chip is not valid.' };
    const { answer, sent } = await submit([422, { detail }]);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'chip-proof-invalid', status: 422 } });
    expect(sent.length).toBe(1);
  });

  it('rejects the receipt of another document', async () => {
    const { answer } = await submit([202, { ...RECEIPT, receiptId: `0x${'0'.repeat(64)}` }]);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'unexpected-response', status: 202 } });
  });
});

it('never includes the token in an error', async () => {
  const { connection } = respondingWith(new Error(TOKEN), new Error(TOKEN));
  expect(JSON.stringify(await submitEvidence(connection, evidence, { token: TOKEN }))).not.toContain(TOKEN);
});
