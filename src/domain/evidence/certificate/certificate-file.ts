/** Certificate files: one certificate as DER or PEM, detected by the content (evidence 1). */

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE-----/g;
const PEM_START = '-----BEGIN ';

/** Returns the DER, unvalidated; undefined for PEM that is not one block of base64. Text around the block is ignored. */
export function parseCertificateFile(content: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(content).toString('latin1');
  if (!text.includes(PEM_START)) return content;
  const blocks = Array.from(text.matchAll(PEM_BLOCK), ([, lines = '']) => lines.replaceAll(/[\r\n]/g, ''));
  const [base64, ...others] = blocks;
  if (base64 === undefined || others.length > 0) return undefined;
  const der = Buffer.from(base64, 'base64');
  return der.toString('base64') === base64 ? der : undefined;
}
