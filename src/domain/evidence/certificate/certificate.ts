/** X.509 structure, parsed from strict DER (RFC 5280, 4.1; evidence 7, row 1). `leaf-profile.ts` validates the values. */
import { bytesToHex } from '@noble/hashes/utils.js';
import {
  contextConstructed,
  contextPrimitive,
  derReadable,
  isBitString,
  parseDer,
  requireDer,
  TAG,
  toLatin1,
  type DerElement,
} from './der.ts';
import { DerFields, fieldsOf, readList, type BitString } from './der-fields.ts';
import { readName } from './distinguished-name.ts';

export interface AlgorithmIdentifier {
  /** Hex, as in `object-identifiers.ts`. */
  readonly algorithm: string;
  /** DER. */
  readonly parameters: Uint8Array | undefined;
}

/** A time as it is written. */
export interface CertificateTime {
  readonly type: 'UTCTime' | 'GeneralizedTime';
  readonly text: string;
}

export interface Extension {
  /** Hex, as in `object-identifiers.ts`. */
  readonly id: string;
  readonly isCritical: boolean;
  /** DER of the extension's own type. */
  readonly value: Uint8Array;
}

export interface PublicKeyInfo {
  /** DER of the whole. */
  readonly encoded: Uint8Array;
  readonly algorithm: AlgorithmIdentifier;
  readonly key: BitString;
}

export interface Certificate {
  readonly der: Uint8Array;
  /** DER of the part that is signed. */
  readonly signedPart: Uint8Array;
  readonly isVersion3: boolean;
  /** Content octets, at least one; the first bit is the sign. */
  readonly serial: Uint8Array;
  readonly innerAlgorithm: AlgorithmIdentifier;
  readonly outerAlgorithm: AlgorithmIdentifier;
  /** DER, as names are compared. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly notBefore: CertificateTime;
  readonly notAfter: CertificateTime;
  readonly publicKey: PublicKeyInfo;
  /** At least one. */
  readonly extensions: readonly Extension[];
  readonly signature: BitString;
}

const VERSION = contextConstructed(0);
const ISSUER_UNIQUE_ID = contextPrimitive(1);
const SUBJECT_UNIQUE_ID = contextPrimitive(2);
const EXTENSIONS = contextConstructed(3);

const VERSION_1 = '00';
const VERSION_3 = '02';

/** Parses a certificate; returns undefined for anything but the strict DER of one certificate with extensions. */
export function parseCertificate(der: Uint8Array): Certificate | undefined {
  return derReadable(() => {
    const certificate = fieldsOf(parseDer(der));
    const signedElement = certificate.take(TAG.sequence);
    const outerAlgorithm = readAlgorithm(certificate.sequence());
    const signature = certificate.bitString();
    certificate.finish();
    return {
      der,
      signedPart: signedElement.encoded,
      outerAlgorithm,
      signature,
      ...readSignedPart(fieldsOf(signedElement)),
    };
  });
}

function readSignedPart(fields: DerFields): Omit<Certificate, 'der' | 'signedPart' | 'outerAlgorithm' | 'signature'> {
  const isVersion3 = readIsVersion3(fields);
  const serial = fields.take(TAG.integer).content;
  const innerAlgorithm = readAlgorithm(fields.sequence());
  const issuer = readName(fields.takeAny());
  const validity = fields.sequence();
  const notBefore = readTime(validity);
  const notAfter = readTime(validity);
  validity.finish();
  const subject = readName(fields.takeAny());
  const publicKey = readPublicKey(fields.take(TAG.sequence));
  skipUniqueId(fields, ISSUER_UNIQUE_ID);
  skipUniqueId(fields, SUBJECT_UNIQUE_ID);
  const extensions = readExtensions(fields);
  fields.finish();
  return { isVersion3, serial, innerAlgorithm, issuer, notBefore, notAfter, subject, publicKey, extensions };
}

/** Rejects an explicit version 1: a default value is not encoded. */
function readIsVersion3(fields: DerFields): boolean {
  const tagged = fields.takeIf(VERSION);
  if (tagged === undefined) return false;
  const explicit = new DerFields(tagged.children);
  const version = bytesToHex(explicit.take(TAG.integer).content);
  explicit.finish();
  requireDer(version !== VERSION_1);
  return version === VERSION_3;
}

function readAlgorithm(fields: DerFields): AlgorithmIdentifier {
  const algorithm = fields.objectIdentifier();
  const parameters = fields.isAtEnd ? undefined : fields.takeAny().encoded;
  fields.finish();
  return { algorithm, parameters };
}

function readTime(fields: DerFields): CertificateTime {
  const element = fields.takeAny();
  requireDer(element.tag === TAG.utcTime || element.tag === TAG.generalizedTime);
  return {
    type: element.tag === TAG.utcTime ? 'UTCTime' : 'GeneralizedTime',
    text: toLatin1(element.content),
  };
}

function readPublicKey(element: DerElement): PublicKeyInfo {
  const fields = fieldsOf(element);
  const algorithm = readAlgorithm(fields.sequence());
  const key = fields.bitString();
  fields.finish();
  return { encoded: element.encoded, algorithm, key };
}

function skipUniqueId(fields: DerFields, tag: number): void {
  const id = fields.takeIf(tag);
  requireDer(id === undefined || isBitString(id.content));
}

function readExtensions(fields: DerFields): readonly Extension[] {
  const explicit = new DerFields(fields.take(EXTENSIONS).children);
  const extensions = readList(explicit.take(TAG.sequence), (element) => {
    const extension = fieldsOf(element);
    const id = extension.objectIdentifier();
    const isCritical = extension.flag();
    const value = extension.take(TAG.octetString).content;
    extension.finish();
    return { id, isCritical, value };
  });
  explicit.finish();
  return extensions;
}
