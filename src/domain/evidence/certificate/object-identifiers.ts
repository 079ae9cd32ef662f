/** Object identifiers of the certificate profile's algorithms and extensions, as hex of their DER content (evidence 7). */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { AlgorithmIdentifier } from './certificate.ts';
import { TAG } from './der.ts';

export const OID = {
  ecPublicKey: oid('1.2.840.10045.2.1'),
  p256: oid('1.2.840.10045.3.1.7'),
  p384: oid('1.3.132.0.34'),
  p521: oid('1.3.132.0.35'),
  ecdsaWithSha384: oid('1.2.840.10045.4.3.3'),
  ecdsaWithSha512: oid('1.2.840.10045.4.3.4'),
  caIssuers: oid('1.3.6.1.5.5.7.48.2'),
} as const;

export const EXTENSION = {
  subjectKeyIdentifier: oid('2.5.29.14'),
  keyUsage: oid('2.5.29.15'),
  basicConstraints: oid('2.5.29.19'),
  crlDistributionPoints: oid('2.5.29.31'),
  certificatePolicies: oid('2.5.29.32'),
  authorityKeyIdentifier: oid('2.5.29.35'),
  authorityInfoAccess: oid('1.3.6.1.5.5.7.1.1'),
} as const;

/** Returns whether it is this algorithm without parameters; an explicit NULL is rejected. */
export function isPlainAlgorithm({ algorithm, parameters }: AlgorithmIdentifier, id: string): boolean {
  return algorithm === id && parameters === undefined;
}

/** Returns whether it is an EC key on this named curve; explicit curve parameters are rejected. */
export function isEcKeyOn({ algorithm, parameters }: AlgorithmIdentifier, curve: string): boolean {
  if (algorithm !== OID.ecPublicKey || parameters === undefined) return false;
  return bytesToHex(parameters) === `${toByte(TAG.objectIdentifier)}${toByte(curve.length / 2)}${curve}`;
}

function toByte(number: number): string {
  return bytesToHex(Uint8Array.of(number));
}

/** Encodes a dotted identifier: the first two arcs share a number; numbers are groups of seven bits, all but the last marked. */
export function oid(dotted: string): string {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return [40 * first + second, ...rest].map(formatArc).join('');
}

function formatArc(arc: number): string {
  const groups = [arc & 0x7f];
  for (let rest = arc >> 7; rest > 0; rest >>= 7) groups.unshift(0x80 | (rest & 0x7f));
  return bytesToHex(Uint8Array.from(groups));
}
