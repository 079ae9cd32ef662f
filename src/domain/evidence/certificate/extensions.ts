/**
 * Certificate extensions: decodes each extension that the profile knows as its own type (RFC 5280, 4.2; evidence 7, row 8).
 * Unknown extensions are not decoded.
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Extension } from './certificate.ts';
import {
  contextConstructed,
  contextPrimitive,
  derReadable,
  isBitString,
  isInteger,
  parseDer,
  requireDer,
  TAG,
  type DerElement,
} from './der.ts';
import { DerFields, fieldsOf, readList, toBitString, type BitString } from './der-fields.ts';
import { checkRelativeName } from './distinguished-name.ts';
import { readGeneralName, readGeneralNames, type GeneralName } from './general-names.ts';
import { EXTENSION } from './object-identifiers.ts';

export interface BasicConstraints {
  readonly isCa: boolean;
  /** Undefined: unlimited, or not a CA. */
  readonly pathLength: bigint | undefined;
}

/** Bit numbers as in RFC 5280. */
export type KeyUsage = ReadonlySet<number>;

export interface AuthorityKeyIdentifier {
  readonly keyId: Uint8Array | undefined;
  /** Issuer and serial of the authority's own certificate. */
  readonly certificate: { readonly issuer: readonly GeneralName[]; readonly serial: Uint8Array } | undefined;
}

export interface AccessDescription {
  /** Hex, as in `object-identifiers.ts`. */
  readonly method: string;
  readonly location: GeneralName;
}

export interface DistributionPoint {
  /** Undefined: none, or relative to an issuer. */
  readonly fullName: readonly GeneralName[] | undefined;
  readonly hasReasons: boolean;
  readonly hasIssuer: boolean;
}

/** Decoded extensions; undefined where the certificate has no such extension. */
export interface KnownExtensions {
  readonly basicConstraints: BasicConstraints | undefined;
  readonly keyUsage: KeyUsage | undefined;
  readonly authorityKeyIdentifier: AuthorityKeyIdentifier | undefined;
  readonly subjectKeyIdentifier: Uint8Array | undefined;
  readonly authorityInfoAccess: readonly AccessDescription[] | undefined;
  readonly crlDistributionPoints: readonly DistributionPoint[] | undefined;
}

export const KEY_USAGE = { digitalSignature: 0, keyCertSign: 5, encipherOnly: 7 } as const;

/** Decodes the known extensions; returns undefined when an extension is repeated or a known one is not of its type. */
export function parseKnownExtensions(extensions: readonly Extension[]): KnownExtensions | undefined {
  const values = new Map(extensions.map(({ id, value }) => [id, value]));
  if (values.size !== extensions.length) return undefined;
  const read = <T>(id: string, readValue: (element: DerElement) => T): T | undefined => {
    const value = values.get(id);
    return value === undefined ? undefined : readValue(parseDer(value));
  };
  return derReadable(() => {
    read(EXTENSION.certificatePolicies, checkPolicies);
    return {
      basicConstraints: read(EXTENSION.basicConstraints, readBasicConstraints),
      keyUsage: read(EXTENSION.keyUsage, readKeyUsage),
      authorityKeyIdentifier: read(EXTENSION.authorityKeyIdentifier, readAuthorityKeyIdentifier),
      subjectKeyIdentifier: read(EXTENSION.subjectKeyIdentifier, readOctets),
      authorityInfoAccess: read(EXTENSION.authorityInfoAccess, readAccessDescriptions),
      crlDistributionPoints: read(EXTENSION.crlDistributionPoints, readDistributionPoints),
    };
  });
}

function readOctets(element: DerElement): Uint8Array {
  requireDer(element.tag === TAG.octetString);
  return element.content;
}

function readBasicConstraints(element: DerElement): BasicConstraints {
  const fields = fieldsOf(element);
  const isCa = fields.flag();
  const length = fields.takeIf(TAG.integer)?.content;
  fields.finish();
  requireDer(length === undefined || length[0]! < 0x80);
  return { isCa, pathLength: length && BigInt(`0x${bytesToHex(length)}`) };
}

/** Reads a named bit list: trailing zero bits are not encoded, so the last bit is a one. */
function readKeyUsage(element: DerElement): KeyUsage {
  requireDer(element.tag === TAG.bitString);
  const bits = toBitString(element.content);
  requireDer(isNamedBitList(bits));
  const set = new Set<number>();
  bits.bytes.forEach((octet, index) => {
    for (let bit = 0; bit < 8; bit++) if ((octet & (0x80 >> bit)) !== 0) set.add(8 * index + bit);
  });
  return set;
}

function isNamedBitList({ bytes, unusedBits }: BitString): boolean {
  return bytes.length === 0 || (bytes.at(-1)! & (1 << unusedBits)) !== 0;
}

/** Requires issuer and serial to be present together or not at all. */
function readAuthorityKeyIdentifier(element: DerElement): AuthorityKeyIdentifier {
  const fields = fieldsOf(element);
  const keyId = fields.takeIf(contextPrimitive(0))?.content;
  const names = fields.takeIf(contextConstructed(1));
  const issuer = names && readGeneralNames(names);
  const serial = fields.takeIf(contextPrimitive(2))?.content;
  fields.finish();
  requireDer((issuer === undefined) === (serial === undefined) && (serial === undefined || isInteger(serial)));
  return { keyId, certificate: issuer && serial && { issuer, serial } };
}

function readAccessDescriptions(element: DerElement): readonly AccessDescription[] {
  requireDer(element.tag === TAG.sequence);
  return readList(element, (description) => {
    const fields = fieldsOf(description);
    const method = fields.objectIdentifier();
    const location = readGeneralName(fields.takeAny());
    fields.finish();
    return { method, location };
  });
}

function readDistributionPoints(element: DerElement): readonly DistributionPoint[] {
  requireDer(element.tag === TAG.sequence);
  return readList(element, (point) => {
    const fields = fieldsOf(point);
    const name = fields.takeIf(contextConstructed(0));
    const fullName = name && readDistributionPointName(name);
    const reasons = fields.takeIf(contextPrimitive(1))?.content;
    requireDer(reasons === undefined || (isBitString(reasons) && isNamedBitList(toBitString(reasons))));
    const issuer = fields.takeIf(contextConstructed(2));
    if (issuer !== undefined) readGeneralNames(issuer);
    fields.finish();
    return { fullName, hasReasons: reasons !== undefined, hasIssuer: issuer !== undefined };
  });
}

/** Reads a full name, or one relative to the issuer's (undefined); the choice is wrapped in its tag. */
function readDistributionPointName(element: DerElement): readonly GeneralName[] | undefined {
  const explicit = new DerFields(element.children);
  const fullName = explicit.takeIf(contextConstructed(0));
  const names = fullName === undefined ? undefined : readGeneralNames(fullName);
  if (fullName === undefined) checkRelativeName(explicit.take(contextConstructed(1)));
  explicit.finish();
  return names;
}

/** Checks the structure only; policies are not compared. */
function checkPolicies(element: DerElement): void {
  requireDer(element.tag === TAG.sequence);
  readList(element, (policy) => {
    const fields = fieldsOf(policy);
    fields.objectIdentifier();
    const qualifiers = fields.takeIf(TAG.sequence);
    if (qualifiers !== undefined) readList(qualifiers, checkQualifier);
    fields.finish();
  });
}

/** Checks for an identifier and a value of any type. */
function checkQualifier(element: DerElement): void {
  const fields = fieldsOf(element);
  fields.objectIdentifier();
  fields.takeAny();
  fields.finish();
}
