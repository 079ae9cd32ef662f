/**
 * Schema of the evidence document (evidence 5, step 6 of evidence 8; http-facts 10.2).
 * Checks the form of members only; later steps check their values.
 */
import { canonicalBytes } from '../json/canonical-json.ts';
import { formatAddress, parseAddress, parseMachineId, ZERO_ADDRESS } from '../identifiers/identifiers.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { parseExactObject, type ExactShape, type ExactObject, type TextForm } from './exact-object.ts';

export const MAX_EVIDENCE_BYTES = 16_384;
export const MAX_TRANSCRIPT_BYTES = 4_096;

/** Nesting of the document: itself and its objects. */
const DOCUMENT_DEPTH = 2;
const MAX_UINT256 = 2n ** 256n - 1n;

const CANONICAL_DECIMAL = /^[1-9][0-9]*$/;
const BASE64URL = /^[A-Za-z0-9_-]*$/;

const anyText: TextForm = () => true;
const hash: TextForm = (text) => /^0x[0-9a-f]{64}$/.test(text);
const rawP256Signature: TextForm = (text) => /^0x[0-9a-f]{128}$/.test(text);
const recoverableSignature: TextForm = (text) => /^0x[0-9a-f]{130}$/.test(text);
const uncompressedPoint: TextForm = (text) => /^0x04[0-9a-f]{128}$/.test(text);
const decimal: TextForm = (text) => CANONICAL_DECIMAL.test(text);
const chainId: TextForm = (text) => text.length <= 78 && decimal(text) && BigInt(text) <= MAX_UINT256;
const machineId: TextForm = (text) => parseMachineId(text) !== undefined;

const checksummedAddress: TextForm = (text) => {
  const address = parseAddress(text);
  return address !== undefined && address !== ZERO_ADDRESS && formatAddress(address) === text;
};

/** Requires unused bits to be zero, so that the same bytes have one text. */
const base64url: TextForm = (text) =>
  BASE64URL.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;

/** Accepts any text for namespace words: another word than the configured one is unsupported, not malformed. */
const TRANSCRIPT = {
  certificateFingerprintSha256: hash,
  chainId,
  didController: checksummedAddress,
  expiresAt: decimal,
  machineDid: anyText, // compared as a whole with the DID of the machine id
  machineId,
  nonce: hash,
  profile: anyText,
  protocol: anyText,
  verifier: anyText,
} as const satisfies ExactShape;

const DOCUMENT = {
  certificate: {
    fingerprintSha256: hash,
    leafDerBase64url: base64url, // its length is the first row of the certificate profile
    publicKey: uncompressedPoint,
  },
  chipRef: hash,
  controllerProof: { scheme: anyText, signature: recoverableSignature },
  evidenceSchema: anyText,
  profile: anyText,
  proof: { chipSignature: rawP256Signature },
  revocationStatus: anyText,
  transcript: TRANSCRIPT,
  trustBundle: anyText,
} as const satisfies ExactShape;

/** Transcript that chip and controller sign: the nine texts of the challenge, and the fingerprint of the leaf. */
export type Transcript = ExactObject<typeof TRANSCRIPT>;
export type EvidenceDocument = ExactObject<typeof DOCUMENT>;

/** Parses a body; returns undefined for anything but one JSON object in UTF-8 of exactly the members, each in its form. */
export function parseEvidenceDocument(body: Uint8Array): EvidenceDocument | undefined {
  if (body.length > MAX_EVIDENCE_BYTES) return undefined;
  const { value } = parseStrictJson(body, DOCUMENT_DEPTH);
  const document = value === undefined ? undefined : parseExactObject(value, DOCUMENT);
  if (document === undefined || canonicalBytes(document.transcript).length > MAX_TRANSCRIPT_BYTES) return undefined;
  return document;
}
