/** Leaf certificates judged by two other parsers: OpenSSL, and @peculiar/x509 with the signatures of WebCrypto. */
import './no-metadata.ts';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as PeculiarCertificate,
} from '@peculiar/x509';
import { webcrypto, X509Certificate } from 'node:crypto';
import { VECTOR_NOW } from '../../testing/fixtures/forged-certificate.ts';
import { fromBase64, pki } from '../../testing/fixtures/evidence-vectors.ts';

export interface Opinion {
  /** DER of the key. */
  readonly key: string;
  /** Issued and signed by the intermediate, for an end entity, valid now. */
  readonly isGood: boolean;
}

const INTERMEDIATE = new X509Certificate(fromBase64(pki.intermediate.derBase64));
const ISSUER_NAME = new PeculiarCertificate(Uint8Array.from(INTERMEDIATE.raw)).subjectName.toString();
const NOW = new Date(VECTOR_NOW * 1000);
const ISSUING_KEY = await webcrypto.subtle.importKey(
  'spki',
  INTERMEDIATE.publicKey.export({ format: 'der', type: 'spki' }),
  { name: 'ECDSA', namedCurve: 'P-384' },
  true,
  ['verify'],
);

/** Returns the verdict of OpenSSL. Throws when it cannot parse the leaf. */
export function judgeByOpenssl(der: Uint8Array): Opinion {
  const read = new X509Certificate(der);
  const isGood = Buffer.from(der).equals(read.raw) && isAcceptable(read) && read.verify(INTERMEDIATE.publicKey);
  return { key: read.publicKey.export({ format: 'der', type: 'spki' }).toString('hex'), isGood };
}

/** Returns the verdict of OpenSSL without the costly signature check; false when it cannot parse the leaf. */
export function isAcceptableToOpenssl(der: Uint8Array): boolean {
  try {
    return isAcceptable(new X509Certificate(der));
  } catch {
    return false;
  }
}

function isAcceptable(read: X509Certificate): boolean {
  return read.checkIssued(INTERMEDIATE) && !read.ca && read.validFromDate <= NOW && NOW <= read.validToDate;
}

/** Returns the verdict of @peculiar/x509. Throws when it cannot parse the leaf. */
export async function judgeByPeculiar(der: Uint8Array): Promise<Opinion> {
  const read = new PeculiarCertificate(Uint8Array.from(der));
  const isSigned = await read.verify({ publicKey: ISSUING_KEY, signatureOnly: true }, webcrypto);
  const isGood =
    isSigned &&
    read.issuerName.toString() === ISSUER_NAME &&
    read.getExtension(BasicConstraintsExtension)?.ca === false &&
    read.getExtension(KeyUsagesExtension)?.usages === KeyUsageFlags.digitalSignature &&
    read.notBefore <= NOW &&
    NOW <= read.notAfter;
  return { key: Buffer.from(read.publicKey.rawData).toString('hex'), isGood };
}
