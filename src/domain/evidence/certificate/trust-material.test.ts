import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fromBase64, pki, toPinned, vectorTrust } from '../../../../testing/fixtures/evidence-vectors.ts';
import { toHex } from '../signed-bytes.ts';
import { parseCertificateFile } from './certificate-file.ts';
import {
  bits,
  identifier,
  implicit,
  integer,
  octets,
  sequence,
  tagged,
  TRUE,
  utcTime,
} from '../../../../devnet/chips/der-writer.ts';
import {
  extension,
  forgeCertificate,
  nameOf,
  publicKeyOf,
  type CertificateParts,
} from '../../../../testing/fixtures/forged-certificate.ts';
import { EXTENSION, OID } from './object-identifiers.ts';
import { parseTrustMaterial, type PinnedFile } from './trust-material.ts';

const ROOT = toPinned(pki.root);
const INTERMEDIATE = toPinned(pki.intermediate);

describe('the published chain', () => {
  it('is trusted, as DER and as PEM', () => {
    const pem = (file: 'root' | 'intermediate') => ({ content: Buffer.from(pki[file].pem), sha256: pki[file].sha256 });
    const { trust } = parseTrustMaterial({ root: pem('root'), intermediate: pem('intermediate') });
    expect(Buffer.from(trust!.root.der).toString('base64')).toBe(pki.root.derBase64);
    expect(Buffer.from(trust!.intermediate.der).toString('base64')).toBe(pki.intermediate.derBase64);
    expect(toHex(trust!.issuingKeyId)).toBe(toHex(vectorTrust.issuingKeyId));
    expect(trust!.issuingKey.equals(vectorTrust.issuingKey)).toBe(true);
  });

  it.each<[name: string, files: { root?: PinnedFile; intermediate?: PinnedFile }, problems: string[]]>([
    ['another root', { root: { ...ROOT, sha256: '0'.repeat(64) } }, ['root: is not the certificate with the configured SHA-256']], // prettier-ignore
    [
      'no file that can be read',
      { root: { ...ROOT, content: new Uint8Array() }, intermediate: { ...INTERMEDIATE, content: Buffer.from('-----BEGIN X-----') } },
      ['root: is not the certificate with the configured SHA-256', 'intermediate: must be DER, or PEM with one certificate'],
    ], // prettier-ignore
    ['bytes that are no certificate', { root: pinned(Buffer.from('3000', 'hex')) }, ['root: must be the strict DER of one certificate']], // prettier-ignore
    ['a byte behind the certificate', { root: pinned(Buffer.concat([ROOT.content, Buffer.of(0)])) }, ['root: must be the strict DER of one certificate']], // prettier-ignore
    [
      'both exchanged',
      { root: INTERMEDIATE, intermediate: ROOT },
      [
        'root: must have a P-521 key',
        'root: must be issued by itself',
        'intermediate: must have a P-384 key',
        'intermediate: must be issued by the root',
        'intermediate: must be a CA with path length 0',
      ],
    ],
    ['the leaf for an intermediate', { intermediate: toPinned(pki.leaf) }, [
      'intermediate: must have a P-384 key',
      'intermediate: must be signed with ECDSA-SHA512',
      'intermediate: must be issued by the root',
      'intermediate: must be a CA with path length 0',
      'intermediate: must be allowed to sign certificates',
    ]], // prettier-ignore
  ])('is rejected with %s', (_name, files, problems) => {
    expect(parseTrustMaterial({ root: ROOT, intermediate: INTERMEDIATE, ...files })).toStrictEqual({ problems });
  });

  it('trusts the configured sibling', () => {
    const sibling = toPinned(pki.siblingIntermediate);
    expect(parseTrustMaterial({ root: ROOT, intermediate: sibling }).problems).toBeUndefined();
  });
});

describe('a generated chain', () => {
  const rootKey = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
  const caKey = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
  const algorithm = (id: string) => ({
    innerAlgorithm: sequence(identifier(id)),
    outerAlgorithm: sequence(identifier(id)),
  });
  const common = {
    ...algorithm(OID.ecdsaWithSha512),
    hash: 'sha512',
    issuer: nameOf('root'),
    signer: rootKey,
  } as const;

  const ca = (pathLength: number | undefined, flag = TRUE) =>
    extension(EXTENSION.basicConstraints, sequence(flag, pathLength === undefined ? new Uint8Array() : integer(pathLength)), TRUE); // prettier-ignore
  const usage = (octet: number) => extension(EXTENSION.keyUsage, bits(Uint8Array.of(octet), 1), TRUE);
  const keyId = extension(EXTENSION.subjectKeyIdentifier, octets(Uint8Array.of(1, 2, 3)));
  const SIGNS = usage(0x06);

  const root = (changes: Partial<CertificateParts> = {}) =>
    make({
      ...common,
      subject: nameOf('root'),
      publicKey: publicKeyOf(rootKey),
      extensions: [ca(undefined)],
      ...changes,
    });
  const intermediate = (changes: Partial<CertificateParts> = {}) =>
    make({ ...common, subject: nameOf('ca'), publicKey: publicKeyOf(caKey), extensions: [ca(0), SIGNS, keyId], ...changes }); // prettier-ignore

  it('is trusted', () => {
    const { trust, problems } = parseTrustMaterial({ root: root(), intermediate: intermediate() });
    expect(problems).toBeUndefined();
    expect(trust!.issuingKeyId).toStrictEqual(Uint8Array.of(1, 2, 3));
  });

  const VERSION_2 = tagged(0, integer(1));
  const NO_DAY = utcTime('230230000000Z');

  it.each<[problem: string, changes: Partial<CertificateParts>]>([
    ['root: must be a version 3 certificate', { version: VERSION_2 }],
    ['root: must have a P-521 key', { publicKey: offCurve(publicKeyOf(rootKey)) }],
    ['root: must have a P-521 key', { publicKey: publicKeyOf(generateKeyPairSync('ed25519').privateKey) }],
    ['root: must have a P-521 key', { publicKey: publicKeyOf(generateKeyPairSync('x25519').privateKey) }],
    ['root: must be signed with ECDSA-SHA512', { ...algorithm(OID.ecdsaWithSha384), hash: 'sha384' }],
    ['root: must be signed with ECDSA-SHA512', { innerAlgorithm: sequence(identifier(OID.ecdsaWithSha384)) }],
    ['root: must be signed with ECDSA-SHA512', { outerAlgorithm: sequence(identifier(OID.ecdsaWithSha384)) }],
    ['root: must have readable dates', { notAfter: NO_DAY }],
    ['root: must be issued by itself', { subject: nameOf('other'), issuer: nameOf('root') }],
    ['root: must be issued by itself', { signer: otherKey }],
  ])('is rejected: %s', (problem, changes) => {
    expect(problemsOf(root(changes), intermediate())).toContain(problem);
  });

  it.each<[problem: string, changes: Partial<CertificateParts>]>([
    ['intermediate: must be a version 3 certificate', { version: VERSION_2 }],
    ['intermediate: must have a P-384 key', { publicKey: publicKeyOf(rootKey) }],
    ['intermediate: must have a P-384 key', { publicKey: offCurve(publicKeyOf(caKey)) }],
    ['intermediate: must be signed with ECDSA-SHA512', { ...algorithm(OID.ecdsaWithSha384), hash: 'sha384' }],
    ['intermediate: must have readable dates', { notBefore: NO_DAY }],
    ['intermediate: must be issued by the root', { issuer: nameOf('other') }],
    ['intermediate: must be issued by the root', { signer: otherKey }],
    ['intermediate: must be a CA with path length 0', { extensions: [ca(undefined), SIGNS, keyId] }],
    ['intermediate: must be a CA with path length 0', { extensions: [ca(1), SIGNS, keyId] }],
    ['intermediate: must be a CA with path length 0', { extensions: [ca(0, new Uint8Array()), SIGNS, keyId] }],
    ['intermediate: must be a CA with path length 0', { extensions: [SIGNS, keyId] }],
    ['intermediate: must be allowed to sign certificates', { extensions: [ca(0), usage(0x02), keyId] }],
    ['intermediate: must be allowed to sign certificates', { extensions: [ca(0), keyId] }],
    ['intermediate: must have a subject key identifier', { extensions: [ca(0), SIGNS] }],
  ])('is rejected: %s', (problem, changes) => {
    const problems = problemsOf(root(), intermediate(changes));
    expect(problems).toContain(problem);
    const alsoUnsigned = 'intermediate: must be issued by the root';
    expect(problems.filter((each) => each !== problem && each !== alsoUnsigned)).toStrictEqual([]);
  });

  it('must have extensions in strict DER', () => {
    const twice = intermediate({ extensions: [ca(0), SIGNS, keyId, keyId] });
    expect(problemsOf(root(), twice)).toStrictEqual(['intermediate: must be the strict DER of one certificate']);
    const untyped = intermediate({ extensions: [ca(0), SIGNS, extension(EXTENSION.subjectKeyIdentifier, implicit(0, Uint8Array.of(1)))] }); // prettier-ignore
    expect(problemsOf(root(), untyped)).toStrictEqual(['intermediate: must be the strict DER of one certificate']);
  });
});

describe('a file', () => {
  const { pem, derBase64 } = pki.leaf;
  const der = fromBase64(derBase64);
  const read = (text: string) => parseCertificateFile(Buffer.from(text));

  it.each([
    ['PEM', pem],
    ['PEM with the line ends of another system', pem.replaceAll('\n', '\r\n')],
    ['PEM with a text in front and behind', `Certificate:\n  Data\n${pem}\nnote`],
    ['PEM without a last line end', pem.trimEnd()],
  ])('is accepted as %s', (_name, text) => {
    expect(Uint8Array.from(read(text)!)).toStrictEqual(der);
  });

  it('is returned unvalidated as DER', () => {
    expect(parseCertificateFile(der)).toStrictEqual(der);
    expect(parseCertificateFile(new Uint8Array())).toStrictEqual(new Uint8Array());
  });

  it.each([
    ['two certificates', `${pem}${pem}`],
    ['a key', pki.leaf.privateKeyPkcs8Pem],
    ['PEM that does not end', pem.slice(0, -10)],
    ['letters that are no base64', pem.replace('\nMII', '\nM*I')],
    ['base64 that is cut', pem.replace(/.\n-----END/, '\n-----END')],
  ])('is rejected: %s', (_name, text) => {
    expect(read(text)).toBeUndefined();
  });
});

function make(parts: Partial<CertificateParts> & { signer: KeyObject }): PinnedFile {
  return pinned(forgeCertificate(parts));
}

function pinned(content: Uint8Array): PinnedFile {
  return { content, sha256: createHash('sha256').update(content).digest('hex') };
}

function problemsOf(root: PinnedFile, intermediate: PinnedFile): readonly string[] {
  return parseTrustMaterial({ root, intermediate }).problems ?? [];
}

function offCurve(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.from(publicKey, (octet, at) => (at === publicKey.length - 1 ? octet ^ 1 : octet));
}
