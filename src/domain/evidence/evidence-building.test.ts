/** Evidence built by a provider equals the published attempts byte for byte; invalid challenges are not signed. */
import { p256 } from '@noble/curves/nist.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { createMainChainKey } from '../../../testing/fixtures/signing-keys.ts';
import { parseRecoverableSignature } from '../signatures/signature-parsing.ts';
import { findChipSignature, parseChipSignature } from './chip-signature.ts';
import {
  buildEvidence,
  EvidenceBuildError,
  prepareChipProof,
  prepareControllerProof,
  type EvidenceBuildProblem,
} from './evidence-building.ts';
import { signAsChip } from './software-chip.ts';
import {
  attempts,
  fromBase64,
  pki,
  requestCases,
  vectorNamespace,
  type VectorAttempt,
} from '../../../testing/fixtures/evidence-vectors.ts';

const NOW = requestCases.world.now;
const DER = fromBase64(pki.leaf.derBase64);
type Named = VectorAttempt & { readonly nativeSignatureHex: string };
const leafOf = (attempt: VectorAttempt) => ({ der: DER, publicKey: hexToBytes(attempt.publicKeyHex) });

function build(attempt: Named, nowSeconds = NOW) {
  const chip = prepareChipProof(attempt.challenge, leafOf(attempt), vectorNamespace, nowSeconds);
  const rs = parseChipSignature(hexToBytes(attempt.nativeSignatureHex))!;
  const controller = prepareControllerProof(chip, rs, vectorNamespace, nowSeconds);
  const signature = parseRecoverableSignature(`0x${attempt.controllerSignatureHex}`)!;
  return { chip, controller, evidence: buildEvidence(controller, signature, vectorNamespace, nowSeconds) };
}

describe.each(Object.entries(attempts as unknown as Record<string, Named>))('attempt %s', (_name, attempt) => {
  const { chip, controller, evidence } = build(attempt);

  it('is reproduced: prehash, message, body and receipt', () => {
    expect(chip.prehash).toEqual(hexToBytes(attempt.prehashHex));
    expect(controller.chipSignature).toBe(`0x${attempt.chipSignatureHex}`);
    expect(new TextDecoder().decode(controller.message)).toBe(attempt.controllerMessageText);
    expect(new TextDecoder().decode(evidence.body)).toBe(attempt.bodyText);
    expect(evidence.evidenceHash).toBe(`0x${attempt.evidenceHashHex}`);
    expect(evidence.receiptId).toBe(attempt.receipt.receiptId);
  });
});

it('signs the message with a wallet as in the attempt', () => {
  const { controller } = build(attempts.first as Named);
  const wallet = createMainChainKey(hexToBytes(pki.accounts.controller.privateKeyHex));
  expect(wallet.sign(controller.message)).toBe(`0x${attempts.first.controllerSignatureHex}`);
});

function problemOf(run: () => unknown): EvidenceBuildProblem | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof EvidenceBuildError) return error.problem;
    throw error;
  }
}

describe('a challenge', () => {
  const first = attempts.first as Named;
  const { challenge } = first;
  const prepare = (value: unknown, now = NOW) =>
    problemOf(() => prepareChipProof(value, leafOf(first), vectorNamespace, now));

  it.each<[name: string, value: unknown]>([
    ['is no object', null],
    ['is a text', JSON.stringify(challenge)],
    ['lacks a member', { ...challenge, verifier: undefined }],
    ['has a further member', { ...challenge, chip: 'x' }],
    [
      'inherits a member',
      Object.assign(Object.create({ nonce: challenge['nonce'] }), { ...challenge, nonce: undefined }),
    ],
    ['has a number', { ...challenge, expiresAt: NOW + 10 }],
    ['has a leading zero', { ...challenge, machineId: '01' }],
    ['has an address in other letters', { ...challenge, didController: challenge['didController']!.toLowerCase() }],
    ['has a short nonce', { ...challenge, nonce: '0x00' }],
    ['has something before its nonce', { ...challenge, nonce: `x${challenge['nonce']}` }],
    ['has something behind its nonce', { ...challenge, nonce: `${challenge['nonce']}0` }],
    ['has a chain of no number', { ...challenge, chainId: 'x' }],
    ['has something before its chain', { ...challenge, chainId: 'x1' }],
    ['has something behind its chain', { ...challenge, chainId: '1x' }],
    ['has chain 0', { ...challenge, chainId: '0' }],
    ['has no address', { ...challenge, didController: 'x' }],
    ['has the zero address', { ...challenge, didController: `0x${'0'.repeat(40)}` }],
    ['has an end that is written otherwise', { ...challenge, expiresAt: `+${challenge['expiresAt']}` }],
    ['has an end that is no safe number', { ...challenge, expiresAt: '9007199254740993' }],
    ['has an empty DID', { ...challenge, machineDid: '' }],
    ['has an empty profile', { ...challenge, profile: '' }],
    ['has an empty protocol', { ...challenge, protocol: '' }],
    ['has an empty verifier', { ...challenge, verifier: '' }],
    ['has a nonce in capitals', { ...challenge, nonce: challenge['nonce']!.toUpperCase() }],
  ])('is rejected when it %s', (_name, value) => {
    expect(prepare(value)).toBe('malformed-challenge');
  });

  it.each<[name: string, change: object]>([
    ['verifier', { verifier: 'other.verify' }],
    ['protocol', { protocol: 'svc.verify.chip-proof/2' }],
    ['profile', { profile: 'other/1' }],
    ['DID', { machineDid: 'did:svc:1' }],
  ])('is rejected as of another deployment with another %s', (_name, change) => {
    expect(prepare({ ...challenge, ...change })).toBe('wrong-deployment');
  });

  it('must have between 0 and 300 seconds left at each of the three stages', () => {
    const end = Number(challenge['expiresAt']);
    expect(prepare(challenge, end - 300)).toBeUndefined();
    expect(prepare(challenge, end - 300.001)).toBe('lifetime-too-long');
    expect(prepare(challenge, end - 0.001)).toBeUndefined();
    expect(prepare(challenge, end)).toBe('challenge-expired');
    expect(prepare(challenge, Number.NaN)).toBe('challenge-expired');

    const { chip, controller } = build(first);
    const rs = parseChipSignature(hexToBytes(first.nativeSignatureHex))!;
    expect(problemOf(() => prepareControllerProof(chip, rs, vectorNamespace, end))).toBe('challenge-expired');
    const signature = parseRecoverableSignature(`0x${first.controllerSignatureHex}`)!;
    expect(problemOf(() => buildEvidence(controller, signature, vectorNamespace, end))).toBe('challenge-expired');
  });
});

describe('the response of a chip', () => {
  const first = attempts.first as Named;
  const { chip } = build(first);
  const answer = first.nativeSignatureHex;

  it.each<[name: string, hex: string]>([
    ['is empty', ''],
    ['has a SEQUENCE around it', `3045${answer}`],
    ['has something after it', `${answer}00`],
    ['has one number', answer.slice(0, 70)],
    ['has a negative number', '0201ff020101'],
    ['has a padded number', '02020001020101'],
    ['has a zero', '020100020101'],
    ['has a number of the order', '022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551020101'],
    ['breaks off', answer.slice(0, -2)],
    ['has an endless length', '0280020101'],
  ])('is rejected when it %s', (_name, hex) => {
    expect(parseChipSignature(hexToBytes(hex))).toBeUndefined();
  });

  it('must verify with the key of the leaf', () => {
    const other = parseChipSignature(hexToBytes('020101020101'))!;
    expect(problemOf(() => prepareControllerProof(chip, other, vectorNamespace, NOW))).toBe('chip-signature-invalid');
  });
});

it('encodes a leaf of any length without padding', () => {
  const { challenge, controllerSignatureHex } = attempts.first as Named;
  const secret = new Uint8Array(32).fill(7);
  const publicKey = p256.getPublicKey(secret, false);
  const signature = parseRecoverableSignature(`0x${controllerSignatureHex}`)!;
  for (const length of [1, 2, 3, 4]) {
    const der = new Uint8Array(length).fill(0xfb);
    const chip = prepareChipProof(challenge, { der, publicKey }, vectorNamespace, NOW);
    const controller = prepareControllerProof(chip, signAsChip(secret, chip.prehash), vectorNamespace, NOW);
    const { body } = buildEvidence(controller, signature, vectorNamespace, NOW);
    const { certificate } = JSON.parse(new TextDecoder().decode(body)) as { certificate: Record<string, string> };
    expect(certificate['leafDerBase64url']).toBe(Buffer.from(der).toString('base64url'));
  }
});

it.each<[problem: EvidenceBuildProblem, message: string]>([
  ['malformed-challenge', 'not a challenge'],
  ['wrong-deployment', 'of another deployment'],
  ['challenge-expired', 'expired'],
  ['lifetime-too-long', 'too long a lifetime'],
  ['chip-signature-invalid', 'chip signature does not verify'],
])('throws an error with the code %s and its message', (problem, message) => {
  const failure = new EvidenceBuildError(problem);
  expect([failure.name, failure.problem, failure.message]).toEqual(['EvidenceBuildError', problem, message]);
});

it('accepts three output formats of a signing command, only for this prehash', () => {
  const first = attempts.first as Named;
  const { chip } = build(first);
  const native = first.nativeSignatureHex;
  const forms = [native, `30${(native.length / 2).toString(16)}${native}`, first.chipSignatureHex];
  for (const form of forms) {
    const find = (prehash: Uint8Array) => findChipSignature(hexToBytes(form), chip.leaf.publicKey, prehash);
    expect(find(chip.prehash)).toEqual(hexToBytes(first.chipSignatureHex));
    expect(find(chip.prehash.toReversed())).toBeUndefined();
  }
});
