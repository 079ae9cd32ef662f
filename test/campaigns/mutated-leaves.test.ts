/**
 * Does any change of a certificate get past us that other readers refuse? `RUNS` (1,000,000) mutated leaves from `SEED`, half of them signed anew by the
 * intermediate, so that only the profile can refuse them. Whatever we accept, OpenSSL and @peculiar/x509 are asked about.
 */
import './no-metadata.ts';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as PeculiarCertificate,
} from '@peculiar/x509';
import { sign, webcrypto, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../sim/random.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import { bits, sequence } from '../../src/domain/evidence/certificate/der-writer.ts';
import {
  ECDSA_SHA384,
  INTERMEDIATE_KEY,
  VECTOR_NOW,
} from '../../src/domain/evidence/certificate/forged-certificate.ts';
import { judgeLeaf } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import { fromBase64, leafCases, pki, vectorRules } from '../../src/domain/evidence/evidence-vectors.ts';

const RUNS = Number(process.env['RUNS'] ?? 1_000_000);
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const MAX_CHANGES = 3;

const leaves = leafCases.cases.map(({ derBase64 }) => fromBase64(derBase64)).filter((der) => der.length > 0);
const signedParts = leaves.flatMap((der) => parseCertificate(der)?.signedPart ?? []);
const INTERMEDIATE = new X509Certificate(fromBase64(pki.intermediate.derBase64));
const NOW = new Date(VECTOR_NOW * 1000);
let issuingKey: webcrypto.CryptoKey;

const tally = new Map<string, number>();
const note = (word: string) => void tally.set(word, (tally.get(word) ?? 0) + 1);
beforeAll(async () => {
  const spki = INTERMEDIATE.publicKey.export({ format: 'der', type: 'spki' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-384' };
  issuingKey = await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']);
});
afterAll(() => {
  process.stdout.write(`SEED=${SEED} ${JSON.stringify(Object.fromEntries([...tally].sort()))}\n`);
});

describe(`SEED=${SEED} RUNS=${RUNS}`, () => {
  it('leaves', async () => {
    const random = new Random(SEED);
    for (let run = 0; run < RUNS; run++) {
      const isSignedAnew = random.chance(0.5);
      const der = isSignedAnew
        ? signAnew(mutate(random, random.pick(signedParts)))
        : mutate(random, random.pick(leaves));
      const { failed, certificate } = judgeLeaf(der, { ...vectorRules, nowSeconds: VECTOR_NOW });
      note(failed === undefined ? 'accepted' : failed.name);
      if (failed !== undefined) continue;
      const key = Buffer.from(certificate.publicKey.encoded).toString('hex');
      const hex = Buffer.from(der).toString('hex');
      expect(readWithOpenssl(der), hex).toEqual({ key, isGood: true });
      expect(await readWithPeculiar(der), hex).toEqual({ key, isGood: true });
    }
    expect(tally.get('accepted')).toBeGreaterThan(0);
  });
});

function readWithOpenssl(der: Uint8Array) {
  const read = new X509Certificate(der);
  const isGood =
    Buffer.from(der).equals(read.raw) &&
    read.checkIssued(INTERMEDIATE) &&
    read.verify(INTERMEDIATE.publicKey) &&
    !read.ca &&
    read.validFromDate <= NOW &&
    NOW <= read.validToDate;
  return { key: read.publicKey.export({ format: 'der', type: 'spki' }).toString('hex'), isGood };
}

async function readWithPeculiar(der: Uint8Array) {
  const read = new PeculiarCertificate(Uint8Array.from(der));
  const isSigned = await read.verify(
    { publicKey: issuingKey, signatureOnly: true },
    webcrypto as typeof globalThis.crypto,
  );
  const isGood =
    isSigned &&
    read.issuerName.toString() === new PeculiarCertificate(Uint8Array.from(INTERMEDIATE.raw)).subjectName.toString() &&
    read.getExtension(BasicConstraintsExtension)?.ca === false &&
    read.getExtension(KeyUsagesExtension)?.usages === KeyUsageFlags.digitalSignature &&
    read.notBefore <= NOW &&
    NOW <= read.notAfter;
  return { key: Buffer.from(read.publicKey.rawData).toString('hex'), isGood };
}

/** Bytes are replaced, left out, or put in. */
function mutate(random: Random, bytes: Uint8Array): Uint8Array {
  let mutated = Buffer.from(bytes);
  for (let changes = random.integer(0, MAX_CHANGES); changes > 0; changes--) {
    const at = random.integer(0, mutated.length - 1);
    const removed = random.pick([0, 1, 1, 1, 2]);
    const added = Buffer.from(random.hex(random.pick([0, 1, 1, 1, 2])), 'hex');
    mutated = Buffer.concat([mutated.subarray(0, at), added, mutated.subarray(at + removed)]);
  }
  return mutated;
}

function signAnew(signedPart: Uint8Array): Uint8Array {
  return sequence(signedPart, ECDSA_SHA384, bits(Uint8Array.from(sign('sha384', signedPart, INTERMEDIATE_KEY))));
}
