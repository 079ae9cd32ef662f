/** Test support: what do two other readers of certificates say about a leaf? OpenSSL, and @peculiar/x509 with the signatures of WebCrypto. */
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

/** Throws for what OpenSSL cannot read. */
export function askOpenssl(der: Uint8Array): Opinion {
  const read = new X509Certificate(der);
  const isGood = Buffer.from(der).equals(read.raw) && isInOrder(read) && read.verify(INTERMEDIATE.publicKey);
  return { key: read.publicKey.export({ format: 'der', type: 'spki' }).toString('hex'), isGood };
}

/** All but the signature, which costs most. False for what cannot be read. */
export function isInOrderForOpenssl(der: Uint8Array): boolean {
  try {
    return isInOrder(new X509Certificate(der));
  } catch {
    return false;
  }
}

function isInOrder(read: X509Certificate): boolean {
  return read.checkIssued(INTERMEDIATE) && !read.ca && read.validFromDate <= NOW && NOW <= read.validToDate;
}

/** Throws for what it cannot read. */
export async function askPeculiar(der: Uint8Array): Promise<Opinion> {
  const read = new PeculiarCertificate(Uint8Array.from(der));
  const isSigned = await read.verify(
    { publicKey: ISSUING_KEY, signatureOnly: true },
    webcrypto as typeof globalThis.crypto,
  );
  const isGood =
    isSigned &&
    read.issuerName.toString() === ISSUER_NAME &&
    read.getExtension(BasicConstraintsExtension)?.ca === false &&
    read.getExtension(KeyUsagesExtension)?.usages === KeyUsageFlags.digitalSignature &&
    read.notBefore <= NOW &&
    NOW <= read.notAfter;
  return { key: Buffer.from(read.publicKey.rawData).toString('hex'), isGood };
}
