/**
 * Signed messages and identifying hashes of the evidence protocol (evidence 6 and 9). Existing clients compute exactly these bytes.
 * Hex texts are lower-case with `0x`.
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

/** Encodes T, the canonical transcript. */
export function transcriptBytes(transcript: Transcript): Uint8Array {
  return canonicalBytes(transcript);
}

/** Returns the bytes whose SHA-256, `chipPrehash`, the chip signs. */
export function chipPreimage(transcript: Uint8Array, namespace: Pick<Namespace, 'protocol'>): Uint8Array {
  return concatBytes(utf8ToBytes(namespace.protocol), SEPARATOR, transcript);
}

/** Returns the 32 bytes that the chip signs without another hash. */
export function chipPrehash(transcript: Uint8Array, namespace: Pick<Namespace, 'protocol'>): Uint8Array {
  return sha256(chipPreimage(transcript, namespace));
}

/**
 * Returns M, which a wallet signs as a personal message. Its transcript hash has no protocol prefix, unlike the chip's;
 * `chipSignature` has low s.
 */
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

/** Returns the id of a chip, from its public key (65 bytes). */
export function chipRefOf(publicKey: Uint8Array): Hex {
  return toHex(keccak_256(publicKey));
}

export function fingerprintOf(der: Uint8Array): Hex {
  return toHex(sha256(der));
}

export function evidenceHashOf(body: Uint8Array): Hex {
  return toHex(keccak_256(body));
}

/** Returns the receipt id: a function of the document, so that every caller computes the same one. */
export function receiptIdOf(evidenceHash: Hex, namespace: Pick<Namespace, 'receipt'>): Hex {
  return toHex(sha256(concatBytes(utf8ToBytes(namespace.receipt), SEPARATOR, fromHex(evidenceHash))));
}

/** Returns the hash under which a challenge is stored. Throws for a text that is not hex. */
export function nonceHashOf(nonce: string): Hex {
  return toHex(sha256(fromHex(nonce)));
}

/** Decodes a text of known form. Throws for any other. */
export function fromHex(text: string): Uint8Array {
  return hexToBytes(text.slice(2));
}

export function toHex(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}`;
}
