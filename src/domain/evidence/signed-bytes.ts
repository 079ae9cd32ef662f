/**
 * Which bytes do chip and controller sign, and how are document, chip and nonce named by their hashes? (evidence 6 and 9.)
 * Existing clients compute exactly these. Hex texts are lower-case with `0x`.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalBytes } from '../json/canonical-json.ts';
import type { Namespace } from '../identifiers/namespace.ts';
import type { Transcript } from './evidence-document.ts';

/** `0x` and lower-case digits. */
export type Hex = `0x${string}`;

const SEPARATOR = Uint8Array.of(0);

/** T. */
export function transcriptBytes(transcript: Transcript): Uint8Array {
  return canonicalBytes(transcript);
}

/** What the chip signs is the SHA-256 of this: `chipPrehash`. */
export function chipPreimage(transcript: Uint8Array, namespace: Pick<Namespace, 'protocol'>): Uint8Array {
  return concatBytes(utf8ToBytes(namespace.protocol), SEPARATOR, transcript);
}

/** Signed by the chip as it is, without another hash. */
export function chipPrehash(transcript: Uint8Array, namespace: Pick<Namespace, 'protocol'>): Uint8Array {
  return sha256(chipPreimage(transcript, namespace));
}

/** M, which a wallet signs as a personal message. The transcript's hash in it is without the protocol prefix, unlike the chip's; `chipSignature` has low s. */
export function controllerMessage(
  transcript: Uint8Array,
  chipSignature: string,
  namespace: Pick<Namespace, 'controller_proof'>,
): Uint8Array {
  return canonicalBytes({
    chipSignature,
    proof: namespace.controller_proof,
    transcriptSha256: toHex(sha256(transcript)),
  });
}

/** Names a chip by the 65 bytes of its key. */
export function chipRefOf(publicKey: Uint8Array): Hex {
  return toHex(keccak_256(publicKey));
}

export function fingerprintOf(der: Uint8Array): Hex {
  return toHex(sha256(der));
}

export function evidenceHashOf(body: Uint8Array): Hex {
  return toHex(keccak_256(body));
}

/** A function of the document, so that a document has one receipt whoever computes it. */
export function receiptIdOf(evidenceHash: Hex, namespace: Pick<Namespace, 'receipt'>): Hex {
  return toHex(sha256(concatBytes(utf8ToBytes(namespace.receipt), SEPARATOR, fromHex(evidenceHash))));
}

/** All that is kept of a nonce. Throws for a text that is no hex. */
export function nonceHashOf(nonce: string): Hex {
  return toHex(sha256(fromHex(nonce)));
}

/** The bytes of a text whose form is known. Throws for any other. */
export function fromHex(text: string): Uint8Array {
  return hexToBytes(text.slice(2));
}

export function toHex(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}`;
}
