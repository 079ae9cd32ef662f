/** Does a provider's document arrive as it was built, and does a lost answer not lose the receipt? Against the published attempt. */
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
  parseChipAnswer,
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

/** A service that gives these answers in turn; an `Error` is none. */
function answering(...answers: readonly Canned[]) {
  const sent: Sent[] = [];
  const stub = async (url: string | URL | Request, { method, headers, body }: RequestInit = {}) => {
    const authorization = new Headers(headers).get('authorization');
    sent.push({ url: String(url), method, authorization, body: await new Response(body).text() });
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
  const rs = parseChipAnswer(hexToBytes(first.nativeSignatureHex))!;
  const controller = prepareControllerProof(chip, rs, vectorNamespace, NOW);
  const signature = parseRecoverableSignature(`0x${first.controllerSignatureHex}`)!;
  return buildEvidence(controller, signature, vectorNamespace, NOW);
}

const evidence = build();
const { evidenceHash, receiptId } = evidence;
const RECEIPT = first.receipt;
const REPEATED = { detail: { code: 'EVIDENCE_ALREADY_ACCEPTED', message: 'This evidence was accepted before.' } };

it('asks for a challenge with the token and the id alone', async () => {
  const { connection, sent } = answering([201, first.challenge]);
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

describe('evidence', () => {
  const submit = async (...answers: readonly Canned[]) => {
    const { connection, sent } = answering(...answers);
    let repeats = 0;
    const answer = await submitEvidence(connection, evidence, { token: TOKEN, onRepeat: () => repeats++ });
    return { answer, sent, repeats };
  };
  const lost = new Error('socket hang up');

  it('is sent byte for byte, and answered with its receipt', async () => {
    const { answer, sent, repeats } = await submit([202, RECEIPT]);
    expect([answer, repeats]).toEqual([{ ok: true, value: { receiptId, evidenceHash, receipt: RECEIPT } }, 0]);
    expect(sent.map(({ body }) => body)).toEqual([first.bodyText]);
  });

  it('whose answer is lost is sent once more, and was accepted', async () => {
    const { answer, sent, repeats } = await submit(lost, [409, REPEATED]);
    expect([answer, repeats]).toEqual([{ ok: true, value: { receiptId, evidenceHash } }, 1]);
    expect(sent.map(({ body }) => body)).toEqual([first.bodyText, first.bodyText]);
  });

  it('that is never answered is not sent a third time', async () => {
    const { answer, sent } = await submit(lost, lost);
    expect([answer, sent.length]).toEqual([{ ok: false, error: { kind: 'unreachable', text: 'no answer' } }, 2]);
  });

  it('that is refused is not sent again', async () => {
    const detail = { code: 'CHIP_PROOF_INVALID', message: 'The proof of the chip is not valid.' };
    const { answer, sent } = await submit([422, { detail }]);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'chip-proof-invalid', status: 422 } });
    expect(sent.length).toBe(1);
  });

  it('has no receipt of another document', async () => {
    const { answer } = await submit([202, { ...RECEIPT, receiptId: `0x${'0'.repeat(64)}` }]);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'foreign-answer', status: 202 } });
  });
});

it('no error tells the token', async () => {
  const { connection } = answering(new Error(TOKEN), new Error(TOKEN));
  expect(JSON.stringify(await submitEvidence(connection, evidence, { token: TOKEN }))).not.toContain(TOKEN);
});
