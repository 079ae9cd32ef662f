/**
 * What does a body of the evidence route say, and is every member in its form? (evidence 5, step 6 of evidence 8; http-facts 10.2.)
 * Form only: whether a value is the right one is judged by later steps.
 */
import { canonicalBytes } from '../json/canonical-json.ts';
import { formatAddress, parseAddress, parseMachineId, ZERO_ADDRESS } from '../identifiers/identifiers.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { parseExactObject, type ExactShape, type ExactObject, type TextForm } from './exact-object.ts';

export const MAX_EVIDENCE_BYTES = 16_384;
export const MAX_TRANSCRIPT_BYTES = 4_096;

/** The document, its transcript, and the leaf are the deepest it goes. */
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

/** Bits that stand for nothing must be zero, so that the same bytes have one text. */
const base64url: TextForm = (text) =>
  BASE64URL.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;

/** Namespace words are any text here: another word than ours is unsupported, not malformed. */
const TRANSCRIPT = {
  certificateFingerprintSha256: hash,
  chainId,
  didController: checksummedAddress,
  expiresAt: decimal,
  machineDid: anyText, // compared as a whole with what the machine id makes it
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

/** What chip and controller sign: the nine texts of the challenge, and the fingerprint of the leaf. */
export type Transcript = ExactObject<typeof TRANSCRIPT>;
export type EvidenceDocument = ExactObject<typeof DOCUMENT>;

/** Undefined for anything but one JSON object in UTF-8 of exactly the members, each in its form. */
export function parseEvidenceDocument(body: Uint8Array): EvidenceDocument | undefined {
  if (body.length > MAX_EVIDENCE_BYTES) return undefined;
  const { value } = parseStrictJson(body, DOCUMENT_DEPTH);
  const document = value === undefined ? undefined : parseExactObject(value, DOCUMENT);
  if (document === undefined || canonicalBytes(document.transcript).length > MAX_TRANSCRIPT_BYTES) return undefined;
  return document;
}
