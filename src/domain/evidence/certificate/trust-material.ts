/**
 * Trust material: the pinned root and the one intermediate under it, validated once at start (evidence 7). They are trusted
 * because the configuration pins them; another intermediate of the same root is not trusted.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { fingerprintOf } from '../signed-bytes.ts';
import { parseCertificateFile } from './certificate-file.ts';
import { parseCertificateTime } from './certificate-time.ts';
import { parseCertificate, type Certificate } from './certificate.ts';
import { KEY_USAGE, parseKnownExtensions, type KnownExtensions } from './extensions.ts';
import { isEcKeyOn, isPlainAlgorithm, OID } from './object-identifiers.ts';

/** Content of a certificate file, and the hash of the certificate that it must contain. */
export interface PinnedFile {
  /** DER or PEM. */
  readonly content: Uint8Array;
  /** SHA-256 of the DER: 64 lower-case hex digits. */
  readonly sha256: string;
}

export interface TrustMaterial {
  readonly root: Certificate;
  readonly intermediate: Certificate;
  /** Key of the intermediate, which signs leaves. */
  readonly issuingKey: KeyObject;
  /** Subject key identifier of the intermediate, which leaves refer to. */
  readonly issuingKeyId: Uint8Array;
}

export type TrustMaterialResult =
  | { readonly trust: TrustMaterial; readonly problems?: never }
  | { readonly problems: readonly string[]; readonly trust?: never };

interface Authority {
  readonly certificate: Certificate;
  readonly extensions: KnownExtensions;
  /** Undefined: the point is not on the curve. */
  readonly publicKey: KeyObject | undefined;
}

interface Chain {
  readonly root: Authority;
  readonly intermediate: Authority;
}

interface Requirement {
  readonly problem: string;
  readonly holds: (chain: Chain) => boolean;
}

const REQUIREMENTS: readonly Requirement[] = [
  { problem: 'root: must be a version 3 certificate', holds: ({ root }) => root.certificate.isVersion3 },
  { problem: 'root: must have a P-521 key', holds: ({ root }) => hasKeyOn(root, OID.p521) },
  { problem: 'root: must be signed with ECDSA-SHA512', holds: ({ root }) => isSignedWithSha512(root) },
  { problem: 'root: must have readable dates', holds: ({ root }) => hasDates(root) },
  { problem: 'root: must be issued by itself', holds: ({ root }) => isIssuedBy(root, root) },
  {
    problem: 'intermediate: must be a version 3 certificate',
    holds: ({ intermediate }) => intermediate.certificate.isVersion3,
  },
  { problem: 'intermediate: must have a P-384 key', holds: ({ intermediate }) => hasKeyOn(intermediate, OID.p384) },
  {
    problem: 'intermediate: must be signed with ECDSA-SHA512',
    holds: ({ intermediate }) => isSignedWithSha512(intermediate),
  },
  { problem: 'intermediate: must have readable dates', holds: ({ intermediate }) => hasDates(intermediate) },
  {
    problem: 'intermediate: must be issued by the root',
    holds: ({ intermediate, root }) => isIssuedBy(intermediate, root),
  },
  {
    problem: 'intermediate: must be a CA with path length 0',
    holds: ({ intermediate: { extensions } }) =>
      extensions.basicConstraints?.isCa === true && extensions.basicConstraints.pathLength === 0n,
  },
  {
    problem: 'intermediate: must be allowed to sign certificates',
    holds: ({ intermediate }) => intermediate.extensions.keyUsage?.has(KEY_USAGE.keyCertSign) === true,
  },
  {
    problem: 'intermediate: must have a subject key identifier',
    holds: ({ intermediate }) => intermediate.extensions.subjectKeyIdentifier !== undefined,
  },
];

/** Parses both certificates, or returns all problems in fixed words that contain nothing of the files. */
export function parseTrustMaterial(files: {
  readonly root: PinnedFile;
  readonly intermediate: PinnedFile;
}): TrustMaterialResult {
  const root = readAuthority(files.root);
  const intermediate = readAuthority(files.intermediate);
  if (typeof root === 'string' || typeof intermediate === 'string') {
    const problems = Object.entries({ root, intermediate }).flatMap(([name, read]) =>
      typeof read === 'string' ? [`${name}: ${read}`] : [],
    );
    return { problems };
  }
  const broken = REQUIREMENTS.filter(({ holds }) => !holds({ root, intermediate }));
  if (broken.length > 0) return { problems: broken.map(({ problem }) => problem) };
  return {
    trust: {
      root: root.certificate,
      intermediate: intermediate.certificate,
      issuingKey: intermediate.publicKey!,
      issuingKeyId: intermediate.extensions.subjectKeyIdentifier!,
    },
  };
}

/** Parses one certificate; returns the problem as a text. */
function readAuthority({ content, sha256 }: PinnedFile): Authority | string {
  const der = parseCertificateFile(content);
  if (der === undefined) return 'must be DER, or PEM with one certificate';
  if (fingerprintOf(der) !== `0x${sha256}`) return 'is not the certificate with the configured SHA-256';
  const certificate = parseCertificate(der);
  const extensions = certificate && parseKnownExtensions(certificate.extensions);
  if (certificate === undefined || extensions === undefined) return 'must be the strict DER of one certificate';
  return { certificate, extensions, publicKey: toPublicKey(certificate) };
}

function toPublicKey({ publicKey }: Certificate): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(publicKey.encoded), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function hasKeyOn({ certificate, publicKey }: Authority, curve: string): boolean {
  return publicKey !== undefined && isEcKeyOn(certificate.publicKey.algorithm, curve);
}

function isSignedWithSha512({ certificate: { innerAlgorithm, outerAlgorithm } }: Authority): boolean {
  return [innerAlgorithm, outerAlgorithm].every((algorithm) => isPlainAlgorithm(algorithm, OID.ecdsaWithSha512));
}

function hasDates({ certificate: { notBefore, notAfter } }: Authority): boolean {
  return [notBefore, notAfter].every((time) => parseCertificateTime(time) !== undefined);
}

/** Checks name and signature. */
function isIssuedBy({ certificate }: Authority, issuer: Authority): boolean {
  return (
    issuer.publicKey?.asymmetricKeyType === 'ec' &&
    Buffer.compare(certificate.issuer, issuer.certificate.subject) === 0 &&
    verify('sha512', certificate.signedPart, issuer.publicKey, certificate.signature.bytes)
  );
}
