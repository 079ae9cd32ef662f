import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { canonicalBytes } from '../json/canonical-json.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { hashPersonalMessage } from '../signatures/personal-message.ts';
import { attempts, vectorNamespace, type VectorAttempt } from '../../../testing/fixtures/evidence-vectors.ts';
import {
  chipPreimage,
  chipPrehash,
  chipRefOf,
  controllerMessage,
  evidenceHashOf,
  fingerprintOf,
  fromHex,
  nonceHashOf,
  receiptIdOf,
  toHex,
  transcriptBytes,
} from './signed-bytes.ts';

/** Computes every byte string of section 6 from the document of an attempt alone. */
function describeAttempt({ evidence }: VectorAttempt): string {
  const { transcript, certificate, proof, controllerProof } = evidence;
  const signed = transcriptBytes(transcript);
  const preimage = chipPreimage(signed, vectorNamespace);
  const message = controllerMessage(signed, proof.chipSignature, vectorNamespace);
  const body = canonicalBytes(evidence);
  const hash = evidenceHashOf(body);
  return [
    `T (${signed.length} bytes) = ${utf8(signed)}`,
    `SHA-256(T)     ${bytesToHex(sha256(signed))}`,
    `prefix         ${bytesToHex(preimage.subarray(0, -signed.length))} (${preimage.length} bytes with T)`,
    `prehash        ${bytesToHex(chipPrehash(signed, vectorNamespace))}`,
    `chipSignature  ${proof.chipSignature.slice(2)}`,
    `M (${message.length} bytes) ${utf8(message)}`,
    `digest         ${bytesToHex(hashPersonalMessage(message))}`,
    `signature      ${controllerProof.signature.slice(2)}`,
    `public key     ${certificate.publicKey.slice(2)}`,
    `chipRef        ${chipRefOf(fromHex(certificate.publicKey)).slice(2)}`,
    `evidence       ${body.length} bytes`,
    `evidence hash  ${hash.slice(2)}`,
    `receipt id     ${receiptIdOf(hash, vectorNamespace).slice(2)}`,
    `SHA-256(nonce) ${nonceHashOf(transcript.nonce).slice(2)}`,
  ].join('\n');
}

it('reproduces the worked example (evidence 6.4)', () => {
  rule('evidence.two-signatures');
  expect(describeAttempt(attempts.first)).toBe(
    `T (585 bytes) = {"certificateFingerprintSha256":"0x747e9ef7fc1335f30a947e9c5e34eb8f2179a41061314a4fd5d51fdf96af674f",\
"chainId":"31337","didController":"0x00a555a5A14535fc5BC6158db663f7433E74bfED","expiresAt":"1800000300",\
"machineDid":"did:svc:89350908712967475431870180087874041421682312546316148027441151704494887437771",\
"machineId":"89350908712967475431870180087874041421682312546316148027441151704494887437771",\
"nonce":"0xd879aaedffbb89671efcf9bcfd13c893404ff425615b48e2b4bcaab80a1b39ad",\
"profile":"chipvendor-trustchip-express-ca306/1","protocol":"svc.verify.chip-proof/1","verifier":"svc.verify"}
SHA-256(T)     5f995aeb9620ddd12cba2d0d9277d29517232a669d6a94441de397ddd4735aa2
prefix         7376632e7665726966792e636869702d70726f6f662f3100 (609 bytes with T)
prehash        488a445852a36bc180e6153ba5da51d383eca8f2273a90524168082bab2d0c01
chipSignature  b9628e257fd7205b6fba9c95a3f0679d22597748b3395ef84d865646d8a2c518\
19643ca896676b001cb28660117ea7a9b4bb5491ef5d5ca343aeff5808edd359
M (278 bytes) {"chipSignature":"0xb9628e257fd7205b6fba9c95a3f0679d22597748b3395ef84d865646d8a2c518\
19643ca896676b001cb28660117ea7a9b4bb5491ef5d5ca343aeff5808edd359","proof":"svc.verify.controller-proof/1",\
"transcriptSha256":"0x5f995aeb9620ddd12cba2d0d9277d29517232a669d6a94441de397ddd4735aa2"}
digest         7fe35fbdee6e802caebe923026fc7b39a20c48f4ee4c529b673e25696cefad85
signature      d0e5d03537fc8784bf234944a27314e1bf779cc691e3fb3c41a302adb2b262d0\
1f5a77c497611b75d834c0a36fa3ec11c4a2dd4f26fe1fbd47e0be8ad9c89fd81b
public key     04d92fb82b6a6c2da364c99265785812c155a7029a3f6f5225afc8c7ec3aec39b5\
eae49291c96d9c5817bd2c998b2b0672154f01f1443f94ea01004489ebf14212
chipRef        b429ce7f01357d7e3c010167c5b042de44db95f5aa2be293c3e596d09705e537
evidence       2420 bytes
evidence hash  fe5f8d87aa306bc45cbab15993328b2d23cac62effa3d5fa2aaf7991e1d3e776
receipt id     1bda30d9544bd5b7c459796365bd20645cf959b34e40fc6e92d0392005417161
SHA-256(nonce) 2a7de66f284149209bff6b0005506b01e8eef40ea6ce271dd2859308a3243ca9`,
  );
});

describe('the published attempts', () => {
  it.each(Object.entries(attempts))('are reproduced: %s', (_name, attempt) => {
    const { evidence } = attempt;
    const signed = transcriptBytes(attempt.transcript);
    const message = controllerMessage(signed, evidence.proof.chipSignature, vectorNamespace);
    const body = canonicalBytes(evidence);
    expect({
      transcriptCanonicalText: utf8(signed),
      transcriptCanonicalLength: signed.length,
      prehashPreimageHex: bytesToHex(chipPreimage(signed, vectorNamespace)),
      prehashHex: bytesToHex(chipPrehash(signed, vectorNamespace)),
      controllerMessageText: utf8(message),
      controllerMessageLength: message.length,
      eip191DigestHex: bytesToHex(hashPersonalMessage(message)),
      chipRefHex: chipRefOf(hexToBytes(attempt.publicKeyHex)).slice(2),
      bodyText: utf8(body),
      bodyLength: body.length,
      evidenceHashHex: evidenceHashOf(body).slice(2),
      nonceSha256: nonceHashOf(attempt.challenge['nonce']!).slice(2),
    }).toStrictEqual({
      transcriptCanonicalText: attempt.transcriptCanonicalText,
      transcriptCanonicalLength: attempt.transcriptCanonicalLength,
      prehashPreimageHex: attempt.prehashPreimageHex,
      prehashHex: attempt.prehashHex,
      controllerMessageText: attempt.controllerMessageText,
      controllerMessageLength: attempt.controllerMessageLength,
      eip191DigestHex: attempt.eip191DigestHex,
      chipRefHex: attempt.chipRefHex,
      bodyText: attempt.bodyText,
      bodyLength: attempt.bodyLength,
      evidenceHashHex: attempt.evidenceHashHex,
      nonceSha256: attempt.nonceSha256,
    });
    const leaf = Buffer.from(evidence.certificate.leafDerBase64url, 'base64url');
    expect(fingerprintOf(leaf)).toBe(attempt.transcript.certificateFingerprintSha256);
  });
});

it('converts bytes to hex and back', () => {
  expect(toHex(Uint8Array.of(0, 171))).toBe('0x00ab');
  expect(fromHex('0x00ab')).toStrictEqual(Uint8Array.of(0, 171));
  expect(() => fromHex('0x0')).toThrow(Error);
});

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
