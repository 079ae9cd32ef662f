/** Any bytes get a verdict, and only certificates that OpenSSL accepts too are accepted. */
import { p384 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { sign, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../../testing/arbitraries/property-runs.ts';
import { fromBase64, leafCases, pki, vectorRules, vectorTrust } from '../../../../testing/fixtures/evidence-vectors.ts';
import { parseCertificate } from './certificate.ts';
import { bits, element, pair, sequence, set } from '../../../../devnet/chips/der-writer.ts';
import {
  ECDSA_SHA384,
  forgeCertificate,
  INTERMEDIATE_KEY,
  VECTOR_NOW,
} from '../../../../testing/fixtures/forged-certificate.ts';
import { judgeLeaf, PROFILE_ROWS, type LeafVerdict } from './leaf-profile.ts';
import { oid } from './object-identifiers.ts';

const RUNS = { ...PROPERTY_RUNS, numRuns: 5 * PROPERTY_RUNS.numRuns };
const INTERMEDIATE = new X509Certificate(fromBase64(pki.intermediate.derBase64));
const ISSUING_POINT = vectorTrust.intermediate.publicKey.key.bytes;

const judge = (der: Uint8Array): LeafVerdict => judgeLeaf(der, { ...vectorRules, nowSeconds: VECTOR_NOW });
const leaves = leafCases.cases.map(({ derBase64 }) => fromBase64(derBase64)).filter((der) => der.length > 0);
const signedParts = leaves.flatMap((der) => parseCertificate(der)?.signedPart ?? []);

/** Replacement of some bytes by others. */
interface Change {
  readonly at: number;
  readonly removed: number;
  readonly added: Uint8Array;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(2_000),
  removed: fc.constantFrom(0, 1, 1, 1, 2),
  added: fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 1 }), fc.uint8Array({ maxLength: 3 })),
});

function apply(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  return changes.reduce((each, { at, removed, added }) => {
    const start = at % each.length;
    return Uint8Array.from([...each.subarray(0, start), ...added, ...each.subarray(start + removed)]);
  }, bytes);
}

/** Signs again, so that only the other rows can reject it. */
function signAnew(signedPart: Uint8Array): Uint8Array {
  return sequence(signedPart, ECDSA_SHA384, bits(Uint8Array.from(sign('sha384', signedPart, INTERMEDIATE_KEY))));
}

function expectSoundVerdict(der: Uint8Array): void {
  const { failed, certificate } = judge(der);
  if (failed !== undefined) {
    expect(PROFILE_ROWS).toContain(failed);
    return;
  }
  const other = new X509Certificate(der);
  expect({
    bytes: Buffer.from(other.raw).equals(certificate.der),
    issued: other.checkIssued(INTERMEDIATE),
    signed: other.verify(INTERMEDIATE.publicKey),
    chained: INTERMEDIATE.verify(new X509Certificate(fromBase64(pki.root.derBase64)).publicKey),
    ca: other.ca,
    begun: other.validFromDate.getTime() / 1000 <= VECTOR_NOW,
    ended: other.validToDate.getTime() / 1000 < VECTOR_NOW,
    key: other.publicKey.export({ format: 'der', type: 'spki' }).equals(certificate.publicKey.encoded),
  }).toStrictEqual({
    bytes: true,
    issued: true,
    signed: true,
    chained: true,
    ca: false,
    begun: true,
    ended: false,
    key: true,
  });
}

describe(`certificates (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  it('of random bytes get a verdict', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 1_400 }), expectSoundVerdict), PROPERTY_RUNS);
  });

  it('truncated anywhere are rejected', () => {
    const genuine = fromBase64(pki.leaf.derBase64);
    for (let length = 0; length < genuine.length; length++) {
      expect(judge(genuine.subarray(0, length)).failed?.name, `cut to ${length} bytes`).toBe('encoding');
    }
  });

  it('with changed bytes get a verdict', () => {
    fc.assert(
      fc.property(fc.constantFrom(...leaves), fc.array(change, { minLength: 1, maxLength: 4 }), (leaf, changes) => {
        expectSoundVerdict(apply(leaf, changes));
      }),
      RUNS,
    );
  });

  it('with changed bytes, signed again, get a verdict', () => {
    fc.assert(
      fc.property(fc.constantFrom(...signedParts), fc.array(change, { maxLength: 2 }), (signedPart, changes) => {
        expectSoundVerdict(signAnew(apply(signedPart, changes)));
      }),
      RUNS,
    );
  });

  it('with a name of any value get a verdict', () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.array(fc.constantFrom(0x00, 0x04, 0x10, 0x11, 0x41, 0xd8, 0xdc, 0xe0, 0xff), { maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.nat(0x3f), content, (tag, octets) => {
        const value = element(tag, Uint8Array.from(octets));
        expectSoundVerdict(forgeCertificate({ subject: sequence(set(pair(oid('2.5.4.3'), value))) }));
      }),
      RUNS,
    );
  });

  it('with any single bit changed are rejected', () => {
    const genuine = fromBase64(pki.leaf.derBase64);
    for (let bit = 0; bit < 8 * genuine.length; bit++) {
      const changed = Uint8Array.from(genuine);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(judge(changed).failed, `bit ${bit}`).toBeDefined();
    }
  });

  it('verify alike in another implementation', () => {
    const genuine = parseCertificate(fromBase64(pki.leaf.derBase64))!;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 1 }), fc.boolean(), (changes, isSigned) => {
        const signature = isSigned
          ? Uint8Array.from(sign('sha384', genuine.signedPart, INTERMEDIATE_KEY))
          : apply(genuine.signature.bytes, changes);
        const der = sequence(genuine.signedPart, ECDSA_SHA384, bits(signature));
        expect(judge(der).failed === undefined).toBe(verifiesElsewhere(signature, genuine.signedPart));
      }),
      PROPERTY_RUNS,
    );
  });
});

function verifiesElsewhere(signature: Uint8Array, message: Uint8Array): boolean {
  try {
    return p384.verify(signature, message, ISSUING_POINT, { format: 'der', lowS: false });
  } catch {
    return false;
  }
}
