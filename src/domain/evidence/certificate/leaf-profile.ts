/**
 * Leaf certificate profile: validates the certificate of a chip (evidence 7). Sixteen rows in the order of the specification,
 * each with its outcome; the first that fails decides. Nothing is fetched, and revocation is not evaluated.
 */
import { verify } from 'node:crypto';
import type { Namespace } from '../../identifiers/namespace.ts';
import { isOnP256, P256_POINT_BYTES } from '../p256.ts';
import type { CertificateRefusalKind } from '../refusal.ts';
import { parseCertificateTime } from './certificate-time.ts';
import { parseCertificate, type Certificate } from './certificate.ts';
import {
  KEY_USAGE,
  parseKnownExtensions,
  type AccessDescription,
  type DistributionPoint,
  type KnownExtensions,
} from './extensions.ts';
import { EXTENSION, isEcKeyOn, isPlainAlgorithm, OID } from './object-identifiers.ts';
import type { TrustMaterial } from './trust-material.ts';

export const MAX_LEAF_BYTES = 1_300;
const MAX_SERIAL_OCTETS = 20;
const UNCOMPRESSED = 0x04;

/** What a leaf is validated against. `nowSeconds` in whole Unix seconds. */
export interface LeafRules {
  readonly trust: TrustMaterial;
  readonly namespace: Pick<Namespace, 'leaf_ca_issuers_uri' | 'leaf_crl_uri'>;
  readonly nowSeconds: number;
}

/** One row of the profile. */
export interface ProfileRow {
  readonly name: string;
  readonly outcome: CertificateRefusalKind;
}

export type LeafVerdict =
  | { readonly certificate: Certificate; readonly failed?: never }
  | { readonly failed: ProfileRow; readonly certificate?: never };

interface Check<T> extends ProfileRow {
  readonly holds: (subject: T, rules: LeafRules) => boolean;
}

interface Leaf {
  readonly certificate: Certificate;
  readonly extensions: KnownExtensions;
}

/** Row 1: needs the bytes only. */
const ENCODING: ProfileRow = { name: 'encoding', outcome: 'CertificateInvalid' };

/** Rows 2 to 7: need the structure. */
const FIELD_ROWS: readonly Check<Certificate>[] = [
  {
    name: 'serial',
    outcome: 'CertificateInvalid',
    holds: ({ serial }) => serial.length <= MAX_SERIAL_OCTETS && serial[0]! < 0x80 && serial.some((octet) => octet > 0),
  },
  {
    name: 'version',
    outcome: 'CertificateUnsupported',
    holds: ({ isVersion3 }) => isVersion3,
  },
  {
    name: 'algorithms',
    outcome: 'CertificateUnsupported',
    holds: ({ innerAlgorithm, outerAlgorithm, publicKey }) =>
      isPlainAlgorithm(innerAlgorithm, OID.ecdsaWithSha384) &&
      isPlainAlgorithm(outerAlgorithm, OID.ecdsaWithSha384) &&
      isEcKeyOn(publicKey.algorithm, OID.p256),
  },
  {
    name: 'key and signature bits',
    outcome: 'CertificateUnsupported',
    holds: ({ publicKey: { key }, signature }) =>
      key.unusedBits === 0 &&
      signature.unusedBits === 0 &&
      key.bytes.length === P256_POINT_BYTES &&
      key.bytes[0] === UNCOMPRESSED,
  },
  {
    name: 'point on the curve',
    outcome: 'CertificateInvalid',
    holds: ({ publicKey }) => isOnP256(publicKey.key.bytes),
  },
  {
    name: 'dates',
    outcome: 'CertificateInvalid',
    holds: ({ notBefore, notAfter }) =>
      parseCertificateTime(notBefore) !== undefined && parseCertificateTime(notAfter) !== undefined,
  },
];

/** Row 8: decodes the extensions that the later rows read. */
const EXTENSION_TYPES: ProfileRow = { name: 'extension types', outcome: 'CertificateInvalid' };

/** Whether each allowed extension must be critical (true) or must not be (false). No other extension is allowed. */
const CRITICALITY: ReadonlyMap<string, boolean> = new Map([
  [EXTENSION.basicConstraints, true],
  [EXTENSION.keyUsage, true],
  [EXTENSION.authorityKeyIdentifier, false],
  [EXTENSION.subjectKeyIdentifier, false],
  [EXTENSION.certificatePolicies, false],
  [EXTENSION.authorityInfoAccess, false],
  [EXTENSION.crlDistributionPoints, false],
]);

/** Rows 9 to 16: need the extensions too. */
const LEAF_ROWS: readonly Check<Leaf>[] = [
  {
    name: 'allowed extensions',
    outcome: 'CertificateUnsupported',
    holds: ({ certificate }) =>
      certificate.extensions.every(({ id, isCritical }) => CRITICALITY.get(id) === isCritical),
  },
  {
    name: 'authority information access',
    outcome: 'CertificateUnsupported',
    holds: ({ extensions: { authorityInfoAccess } }, { namespace }) =>
      authorityInfoAccess === undefined || isOnlyIssuerAt(authorityInfoAccess, namespace.leaf_ca_issuers_uri),
  },
  {
    name: 'CRL distribution point',
    outcome: 'CertificateUnsupported',
    holds: ({ extensions: { crlDistributionPoints } }, { namespace }) =>
      crlDistributionPoints === undefined || isOnlyPointAt(crlDistributionPoints, namespace.leaf_crl_uri),
  },
  {
    name: 'required extensions',
    outcome: 'CertificateInvalid',
    holds: ({ extensions: { basicConstraints, keyUsage, authorityKeyIdentifier } }) =>
      basicConstraints !== undefined &&
      keyUsage !== undefined &&
      authorityKeyIdentifier !== undefined &&
      (basicConstraints.isCa || basicConstraints.pathLength === undefined) &&
      !keyUsage.has(KEY_USAGE.encipherOnly),
  },
  {
    name: 'end entity for digital signatures',
    outcome: 'CertificateUnsupported',
    holds: ({ extensions: { basicConstraints, keyUsage } }) =>
      basicConstraints?.isCa === false && keyUsage?.size === 1 && keyUsage.has(KEY_USAGE.digitalSignature),
  },
  {
    name: 'authority key identifier',
    outcome: 'CertificateUntrusted',
    holds: ({ extensions }, { trust }) => namesIntermediate(extensions, trust),
  },
  {
    name: 'validity',
    outcome: 'CertificateInvalid',
    // Each certificate separately: a genuine leaf is valid from some days before its intermediate.
    holds: ({ certificate }, { trust, nowSeconds }) =>
      [certificate, trust.intermediate, trust.root].every((each) => isValidAt(each, nowSeconds)),
  },
  {
    name: 'issued by the intermediate',
    outcome: 'CertificateUntrusted',
    holds: ({ certificate }, { trust }) =>
      areEqual(certificate.issuer, trust.intermediate.subject) &&
      verify('sha384', certificate.signedPart, trust.issuingKey, certificate.signature.bytes),
  },
];

/** The rows in order; the position in the list, from 1, is the number in the specification. */
export const PROFILE_ROWS: readonly ProfileRow[] = [ENCODING, ...FIELD_ROWS, EXTENSION_TYPES, ...LEAF_ROWS];

/** Validates a leaf. Total: every byte string has a verdict. */
export function judgeLeaf(der: Uint8Array, rules: LeafRules): LeafVerdict {
  const certificate = der.length <= MAX_LEAF_BYTES ? parseCertificate(der) : undefined;
  if (certificate === undefined) return { failed: ENCODING };
  const failedField = FIELD_ROWS.find((row) => !row.holds(certificate, rules));
  if (failedField !== undefined) return { failed: failedField };
  const extensions = parseKnownExtensions(certificate.extensions);
  if (extensions === undefined) return { failed: EXTENSION_TYPES };
  const failedRow = LEAF_ROWS.find((row) => !row.holds({ certificate, extensions }, rules));
  return failedRow === undefined ? { certificate } : { failed: failedRow };
}

function isOnlyIssuerAt([access, ...others]: readonly AccessDescription[], uri: string): boolean {
  if (access === undefined || others.length > 0) return false;
  const { method, location } = access;
  return method === OID.caIssuers && location.form === 'uri' && location.text === uri;
}

function isOnlyPointAt([point, ...others]: readonly DistributionPoint[], uri: string): boolean {
  if (point === undefined || others.length > 0 || point.hasReasons || point.hasIssuer) return false;
  const [name, ...moreNames] = point.fullName ?? [];
  return moreNames.length === 0 && name?.form === 'uri' && name.text === uri;
}

/** Compares the key id and, where present, issuer and serial with those of the intermediate, whose issuer is the root. */
function namesIntermediate({ authorityKeyIdentifier }: KnownExtensions, trust: TrustMaterial): boolean {
  const { keyId, certificate } = authorityKeyIdentifier ?? {};
  if (keyId === undefined || !areEqual(keyId, trust.issuingKeyId)) return false;
  if (certificate === undefined) return true;
  const [issuer, ...otherNames] = certificate.issuer;
  return (
    otherNames.length === 0 &&
    issuer?.form === 'directory' &&
    areEqual(issuer.name, trust.intermediate.issuer) &&
    areEqual(certificate.serial, trust.intermediate.serial)
  );
}

/** Compares with the validity period; both ends are inside. */
function isValidAt({ notBefore, notAfter }: Certificate, nowSeconds: number): boolean {
  const start = parseCertificateTime(notBefore);
  const end = parseCertificateTime(notAfter);
  return start !== undefined && end !== undefined && start <= nowSeconds && nowSeconds <= end;
}

function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
