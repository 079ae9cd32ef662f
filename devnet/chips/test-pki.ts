/**
 * Test PKI: a root, an intermediate and leaves as the certificate profile requires (evidence 7), for the devnet and for staging. The
 * root key is discarded; the intermediate key issues further leaves.
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { parseCertificateFile } from '../../src/domain/evidence/certificate/certificate-file.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import * as der from './der-writer.ts';
import { parseKnownExtensions } from '../../src/domain/evidence/certificate/extensions.ts';
import { EXTENSION, OID, oid } from '../../src/domain/evidence/certificate/object-identifiers.ts';
import type { Namespace } from '../../src/domain/identifiers/namespace.ts';

/** All members are PEM. */
export interface TestAuthority {
  readonly root: string;
  readonly intermediate: string;
  /** PKCS #8. */
  readonly intermediateKey: string;
}

/** All members are PEM. */
export interface TestChip {
  readonly certificate: string;
  /** PKCS #8. */
  readonly key: string;
}

/** Common fields of the certificates of one issuer. */
interface Issuer {
  readonly name: Uint8Array;
  readonly keyId: Uint8Array;
  readonly key: KeyObject;
  readonly algorithm: string;
  readonly hash: 'sha384' | 'sha512';
}

interface Subject {
  readonly name: Uint8Array;
  readonly publicKey: Uint8Array;
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
  readonly extensions: readonly Uint8Array[];
}

const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 365 * DAY_SECONDS;
const KEY_ID_BYTES = 20;
const SERIAL_BYTES = 16;
/** First year that UTCTime cannot represent. */
const GENERALIZED_FROM = '2050';

const SIGNS_CERTIFICATES = der.bits(Uint8Array.of(0x06), 1);
const SIGNS_DIGITALLY = der.bits(Uint8Array.of(0x80), 7);

/** Creates a root and an intermediate. `now` in Unix seconds. */
export function createTestAuthority(now: number): TestAuthority {
  const root = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  const intermediate = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const rootName = toName('Test root of chips');
  const rootKeyId = toKeyId(root.publicKey);
  const issuer: Issuer = {
    name: rootName,
    keyId: rootKeyId,
    key: root.privateKey,
    algorithm: OID.ecdsaWithSha512,
    hash: 'sha512',
  };
  return {
    root: toPem(
      issue(issuer, {
        name: rootName,
        publicKey: toKeyInfo(root.publicKey),
        from: now - YEAR_SECONDS,
        to: now + 20 * YEAR_SECONDS,
        extensions: [...toAuthorityExtensions(rootKeyId, der.TRUE)],
      }),
    ),
    intermediate: toPem(
      issue(issuer, {
        name: toName('Test intermediate of chips'),
        publicKey: toKeyInfo(intermediate.publicKey),
        from: now - DAY_SECONDS,
        to: now + 15 * YEAR_SECONDS,
        extensions: [
          ...toAuthorityExtensions(toKeyId(intermediate.publicKey), der.TRUE, der.integer(0)),
          toReference(rootKeyId),
        ],
      }),
    ),
    intermediateKey: toKeyPem(intermediate.privateKey),
  };
}

/** Issues a chip certificate with a new key. As with real chips, the leaf is older than its intermediate. Throws for a foreign authority. */
export function issueTestChip(
  { intermediate, intermediateKey }: Pick<TestAuthority, 'intermediate' | 'intermediateKey'>,
  namespace: Pick<Namespace, 'leaf_ca_issuers_uri' | 'leaf_crl_uri'>,
  now: number,
): TestChip {
  const parent = parseCertificate(parseCertificateFile(Buffer.from(intermediate)) ?? new Uint8Array());
  const keyId = parent && parseKnownExtensions(parent.extensions)?.subjectKeyIdentifier;
  if (parent === undefined || keyId === undefined)
    throw new Error('the intermediate is not a certificate with a subject key identifier');
  const chip = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer: Issuer = {
    name: parent.subject,
    keyId,
    key: createPrivateKey(intermediateKey),
    algorithm: OID.ecdsaWithSha384,
    hash: 'sha384',
  };
  const leaf = issue(issuer, {
    name: toName(`Test chip ${randomBytes(4).toString('hex')}`),
    publicKey: toKeyInfo(chip.publicKey),
    from: now - 3 * DAY_SECONDS,
    to: now + 10 * YEAR_SECONDS,
    extensions: toLeafExtensions(namespace, keyId),
  });
  return { certificate: toPem(leaf), key: toKeyPem(chip.privateKey) };
}

function toLeafExtensions(
  { leaf_ca_issuers_uri, leaf_crl_uri }: Pick<Namespace, 'leaf_ca_issuers_uri' | 'leaf_crl_uri'>,
  issuingKeyId: Uint8Array,
): readonly Uint8Array[] {
  const access = der.sequence(der.sequence(der.identifier(OID.caIssuers), der.uri(leaf_ca_issuers_uri)));
  const points = der.sequence(der.sequence(der.tagged(0, der.tagged(0, der.uri(leaf_crl_uri)))));
  const policies = der.sequence(der.sequence(der.identifier(oid('1.3.6.1.4.1.99999.1'))));
  return [
    toExtension(EXTENSION.authorityInfoAccess, access),
    toExtension(EXTENSION.keyUsage, SIGNS_DIGITALLY, der.TRUE),
    toExtension(EXTENSION.basicConstraints, der.sequence(), der.TRUE),
    toExtension(EXTENSION.crlDistributionPoints, points),
    toExtension(EXTENSION.certificatePolicies, policies),
    toReference(issuingKeyId),
  ];
}

function toAuthorityExtensions(keyId: Uint8Array, ...constraints: readonly Uint8Array[]): readonly Uint8Array[] {
  return [
    toExtension(EXTENSION.keyUsage, SIGNS_CERTIFICATES, der.TRUE),
    toExtension(EXTENSION.basicConstraints, der.sequence(...constraints), der.TRUE),
    toExtension(EXTENSION.subjectKeyIdentifier, der.octets(keyId)),
  ];
}

function toReference(keyId: Uint8Array): Uint8Array {
  return toExtension(EXTENSION.authorityKeyIdentifier, der.sequence(der.implicit(0, keyId)));
}

function toExtension(id: string, value: Uint8Array, criticality: Uint8Array = new Uint8Array()): Uint8Array {
  return der.sequence(der.identifier(id), criticality, der.octets(value));
}

function issue({ name, key, algorithm, hash }: Issuer, subject: Subject): Uint8Array {
  const signature = der.sequence(der.identifier(algorithm));
  const signedPart = der.sequence(
    der.tagged(0, der.integer(2)),
    der.integer(createSerial()),
    signature,
    name,
    der.sequence(toTime(subject.from), toTime(subject.to)),
    subject.name,
    subject.publicKey,
    der.tagged(3, der.sequence(...subject.extensions)),
  );
  return der.sequence(signedPart, signature, der.bits(sign(hash, signedPart, key)));
}

/** Returns a random positive serial in the shortest form. */
function createSerial(): Uint8Array {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  return serial;
}

function toName(commonName: string): Uint8Array {
  return der.sequence(der.set(der.pair(oid('2.5.4.3'), der.text(commonName))));
}

function toTime(unixSeconds: number): Uint8Array {
  const text = new Date(unixSeconds * 1000).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return text < GENERALIZED_FROM ? der.utcTime(text.slice(2)) : der.generalizedTime(text);
}

function toKeyInfo(key: KeyObject): Uint8Array {
  return key.export({ format: 'der', type: 'spki' });
}

function toKeyId(key: KeyObject): Uint8Array {
  return createHash('sha256').update(toKeyInfo(key)).digest().subarray(0, KEY_ID_BYTES);
}

function toKeyPem(key: KeyObject): string {
  return String(key.export({ format: 'pem', type: 'pkcs8' }));
}

function toPem(certificate: Uint8Array): string {
  const lines = Buffer.from(certificate)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
