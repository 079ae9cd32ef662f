/**
 * Test support: certificates that are really signed, a genuine leaf but for what a test bends. Whatever is bent, all other rows of the
 * profile hold.
 */
import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import {
  fromBase64,
  pki,
  vectorNamespace,
  vectorRules,
  vectorTrust,
  type VectorCertificate,
} from '../evidence-vectors.ts';
import { parseCertificate } from './certificate.ts';
import {
  bits,
  identifier,
  implicit,
  integer,
  octets,
  pair,
  sequence,
  set,
  tagged,
  text,
  TRUE,
  uri,
  utcTime,
} from './der-writer.ts';
import { parseKnownExtensions } from './extensions.ts';
import { judgeLeaf } from './leaf-profile.ts';
import { EXTENSION, OID, oid } from './object-identifiers.ts';

export const VECTOR_NOW = 1_800_000_000;

/** Every part as DER; a list of extensions in their order. */
export interface CertificateParts {
  /** Empty: left out. */
  version: Uint8Array;
  serial: Uint8Array;
  innerAlgorithm: Uint8Array;
  outerAlgorithm: Uint8Array;
  issuer: Uint8Array;
  notBefore: Uint8Array;
  notAfter: Uint8Array;
  subject: Uint8Array;
  publicKey: Uint8Array;
  uniqueIds: Uint8Array;
  extensions: readonly Uint8Array[];
  signer: KeyObject;
  hash: 'sha256' | 'sha384' | 'sha512';
  /** Unused bits that the signature's bit string claims. */
  signatureUnusedBits: number;
}

export const CHIP_KEY = createPrivateKey(pki.leaf.privateKeyPkcs8Pem);
export const INTERMEDIATE_KEY = createPrivateKey(pki.intermediate.privateKeyPkcs8Pem);
export const SIBLING_KEY = createPrivateKey(pki.siblingIntermediate.privateKeyPkcs8Pem);
export const SIBLING_KEY_ID = keyIdOf(pki.siblingIntermediate);

export const ECDSA_SHA384 = sequence(identifier(OID.ecdsaWithSha384));
export const CHIP_PUBLIC_KEY = publicKeyOf(CHIP_KEY);
export const DIGITAL_SIGNATURE = bits(Uint8Array.of(0x80), 7);

export const EXTENSIONS = {
  access: extension(EXTENSION.authorityInfoAccess, accessTo(vectorNamespace.leaf_ca_issuers_uri)),
  keyUsage: extension(EXTENSION.keyUsage, DIGITAL_SIGNATURE, TRUE),
  basicConstraints: extension(EXTENSION.basicConstraints, sequence(), TRUE),
  policies: extension(EXTENSION.certificatePolicies, sequence(sequence(identifier(oid('1.3.6.1.4.1.99999.1'))))),
  authorityKeyId: extension(EXTENSION.authorityKeyIdentifier, sequence(implicit(0, vectorTrust.issuingKeyId))),
} as const;

/** The genuine extensions, some replaced; `undefined` leaves one out. */
export function extensionsWith(
  changes: Partial<Record<keyof typeof EXTENSIONS, Uint8Array | undefined>>,
  ...more: Uint8Array[]
): readonly Uint8Array[] {
  const list = Object.values({ ...EXTENSIONS, ...changes }).filter((each) => each !== undefined);
  return [...list, ...more];
}

export function extension(id: string, value: Uint8Array, flag: Uint8Array = new Uint8Array()): Uint8Array {
  return sequence(identifier(id), flag, octets(value));
}

export function accessTo(location: string, method: string = OID.caIssuers): Uint8Array {
  return sequence(sequence(identifier(method), uri(location)));
}

/** One point with one full name. */
export function pointAt(location: string): Uint8Array {
  return sequence(sequence(tagged(0, tagged(0, uri(location)))));
}

export function nameOf(commonName: string): Uint8Array {
  return sequence(set(pair(oid('2.5.4.3'), text(commonName))));
}

export function forgeCertificate(changes: Partial<CertificateParts> = {}): Uint8Array {
  const parts: CertificateParts = {
    version: tagged(0, integer(2)),
    serial: integer(7),
    innerAlgorithm: ECDSA_SHA384,
    outerAlgorithm: ECDSA_SHA384,
    issuer: vectorTrust.intermediate.subject,
    notBefore: utcTime('220425143608Z'),
    notAfter: utcTime('420425143608Z'),
    subject: nameOf('a chip'),
    publicKey: CHIP_PUBLIC_KEY,
    uniqueIds: new Uint8Array(),
    extensions: extensionsWith({}),
    signer: INTERMEDIATE_KEY,
    hash: 'sha384',
    signatureUnusedBits: 0,
    ...changes,
  };
  const signedPart = sequence(
    parts.version,
    parts.serial,
    parts.innerAlgorithm,
    parts.issuer,
    sequence(parts.notBefore, parts.notAfter),
    parts.subject,
    parts.publicKey,
    parts.uniqueIds,
    tagged(3, sequence(...parts.extensions)),
  );
  const signature = signWith(parts, signedPart);
  return sequence(signedPart, parts.outerAlgorithm, bits(signature, parts.signatureUnusedBits));
}

/** The row that refuses a leaf with these changes. */
export function failedRow(changes: Partial<CertificateParts>, nowSeconds = VECTOR_NOW): string | undefined {
  return judgeLeaf(forgeCertificate(changes), { ...vectorRules, nowSeconds }).failed?.name;
}

/** DER of the key that belongs to a private one. */
export function publicKeyOf(privateKey: KeyObject): Uint8Array {
  return Uint8Array.from(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }));
}

/** Signed again until the bits that are declared unused are zero, so that the bit string is DER. */
function signWith({ hash, signer, signatureUnusedBits }: CertificateParts, signedPart: Uint8Array): Uint8Array {
  for (;;) {
    const signature = sign(hash, signedPart, signer);
    if ((signature.at(-1)! & ((1 << signatureUnusedBits) - 1)) === 0) return Uint8Array.from(signature);
  }
}

function keyIdOf({ derBase64 }: VectorCertificate): Uint8Array {
  const { extensions } = parseCertificate(fromBase64(derBase64))!;
  return parseKnownExtensions(extensions)!.subjectKeyIdentifier!;
}
