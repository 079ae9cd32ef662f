/** Boundaries of the profile rows about extensions, with signed leaves that differ from a genuine one in one place. */
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { vectorRules, vectorTrust } from '../../../../testing/fixtures/evidence-vectors.ts';
import { TAG } from './der.ts';
import {
  element,
  FALSE,
  identifier,
  implicit,
  integer,
  NULL,
  octets,
  pair,
  sequence,
  tagged,
  text,
  TRUE,
  uri,
} from '../../../../devnet/chips/der-writer.ts';
import {
  accessTo,
  extension,
  EXTENSIONS,
  extensionsWith,
  failedRow,
  nameOf,
  pointAt,
  type CertificateParts,
} from '../../../../testing/fixtures/forged-certificate.ts';
import { EXTENSION, OID, oid } from './object-identifiers.ts';

const HOME = vectorRules.namespace;
const ACCEPTED = undefined;

const hex = hexToBytes;

type Row = [name: string, changes: Partial<CertificateParts>, failed: string | undefined];

describe('extensions', () => {
  const replaced = (name: keyof typeof EXTENSIONS, id: string, value: Uint8Array, flag?: Uint8Array) => ({
    extensions: extensionsWith({ [name]: extension(id, value, flag) }),
  });
  const added = (id: string, value: Uint8Array, flag?: Uint8Array) => ({
    extensions: extensionsWith({}, extension(id, value, flag)),
  });
  const constraints = (value: Uint8Array) => replaced('basicConstraints', EXTENSION.basicConstraints, value, TRUE);
  const usage = (value: string) => replaced('keyUsage', EXTENSION.keyUsage, hex(value), TRUE);
  const authority = (...parts: Uint8Array[]) =>
    replaced('authorityKeyId', EXTENSION.authorityKeyIdentifier, sequence(...parts));
  const access = (value: Uint8Array) => replaced('access', EXTENSION.authorityInfoAccess, value);
  const policies = (value: Uint8Array) => replaced('policies', EXTENSION.certificatePolicies, value);
  const points = (value: Uint8Array) => added(EXTENSION.crlDistributionPoints, value);
  const point = (...parts: Uint8Array[]) => points(sequence(sequence(...parts)));

  const keyId = implicit(0, vectorTrust.issuingKeyId);
  const rootName = tagged(4, vectorTrust.intermediate.issuer);
  const serial = implicit(2, vectorTrust.intermediate.serial);
  const crl = tagged(0, tagged(0, uri(HOME.leaf_crl_uri)));
  const issuerAt = accessTo(HOME.leaf_ca_issuers_uri).subarray(2);

  const TYPES = 'extension types';
  const ACCESS = 'authority information access';
  const POINT = 'CRL distribution point';
  const REQUIRED = 'required extensions';
  const USAGE = 'end entity for digital signatures';
  const AUTHORITY = 'authority key identifier';

  it.each<Row>([
    ['a key identifier of its own', added(EXTENSION.subjectKeyIdentifier, octets(hex('00'))), ACCEPTED],
    ['a key identifier of another type', added(EXTENSION.subjectKeyIdentifier, text('x')), TYPES],
    ['a critical key identifier', added(EXTENSION.subjectKeyIdentifier, octets(hex('00')), TRUE), 'allowed extensions'],
    ['an uncritical flag written out', added(EXTENSION.subjectKeyIdentifier, octets(hex('00')), FALSE), 'encoding'],
    ['bytes behind the type', added(EXTENSION.subjectKeyIdentifier, concatBytes(octets(hex('00')), NULL)), TYPES],
    [
      'an extension twice, not known',
      { extensions: extensionsWith({}, extension(oid('1.2.3'), NULL), extension(oid('1.2.3'), NULL)) },
      TYPES,
    ],
    ['an extension that is not decoded', added(oid('1.2.3'), hex('ff')), 'allowed extensions'],
    [
      'policies with qualifiers',
      policies(sequence(sequence(identifier(oid('1.2.3')), sequence(pair(oid('1.3.6.1.5.5.7.2.1'), uri('x')))))),
      ACCEPTED,
    ],
    ['no policies', policies(sequence()), TYPES],
    ['a policy with no qualifiers', policies(sequence(sequence(identifier(oid('1.2.3')), sequence()))), TYPES],
    ['a policy that is no identifier', policies(sequence(sequence(integer(1)))), TYPES],

    ['CA:FALSE written out', constraints(sequence(FALSE)), TYPES],
    ['a negative path length', constraints(sequence(TRUE, integer(0x80))), TYPES],
    ['a path length of a CA', constraints(sequence(TRUE, integer(0))), USAGE],
    ['a path length without CA', constraints(sequence(integer(0))), REQUIRED],
    ['constraints with a third member', constraints(sequence(TRUE, integer(0), integer(0))), TYPES],
    ['constraints without their sequence', constraints(TRUE), TYPES],

    ['a usage of nothing', usage('030100'), USAGE],
    ['a usage with zero bits at its end', usage('03020080'), TYPES],
    ['a usage with the wrong count', usage('03020680'), TYPES],
    ['a usage of another type', usage('040180'), TYPES],
    ['digitalSignature and nonRepudiation', usage('030206c0'), USAGE],
    ['digitalSignature and decipherOnly', usage('0303078080'), USAGE],
    ['digitalSignature and encipherOnly', usage('03020081'), REQUIRED],
    [
      'encipherOnly of a CA',
      {
        extensions: extensionsWith({
          keyUsage: extension(EXTENSION.keyUsage, hex('03020081'), TRUE),
          basicConstraints: extension(EXTENSION.basicConstraints, sequence(TRUE), TRUE),
        }),
      },
      REQUIRED,
    ],
    ['a tenth bit', usage('030306' + '8040'), USAGE],

    ['an authority without a key', authority(), AUTHORITY],
    ['an authority by name only', authority(tagged(1, rootName), serial), AUTHORITY],
    ['an authority by key and name', authority(keyId, tagged(1, rootName), serial), ACCEPTED],
    ['an authority with two names', authority(keyId, tagged(1, rootName, rootName), serial), AUTHORITY],
    ['an authority whose name is a URI', authority(keyId, tagged(1, uri('x')), serial), AUTHORITY],
    ['an authority without its serial', authority(keyId, tagged(1, rootName)), TYPES],
    ['an authority without its name', authority(keyId, serial), TYPES],
    ['an authority with no names', authority(keyId, tagged(1), serial), TYPES],
    ['an authority whose serial is padded', authority(keyId, tagged(1, rootName), implicit(2, hex('0001'))), TYPES],
    ['an authority out of order', authority(serial, keyId, tagged(1, rootName)), TYPES],
    [
      'an authority of a longer key',
      authority(implicit(0, concatBytes(vectorTrust.issuingKeyId, hex('00')))),
      AUTHORITY,
    ],
    ['a key in a sequence', authority(tagged(0, octets(vectorTrust.issuingKeyId))), TYPES],

    ['no access', access(sequence()), TYPES],
    ['two accesses', access(sequence(issuerAt, issuerAt)), ACCESS],
    ['an access to another place', access(accessTo(`${HOME.leaf_ca_issuers_uri}x`)), ACCESS],
    ['an access by another method', access(accessTo(HOME.leaf_ca_issuers_uri, oid('1.3.6.1.5.5.7.48.1'))), ACCESS],
    [
      'an access by DNS name',
      access(sequence(sequence(identifier(OID.caIssuers), implicit(2, utf8ToBytes(HOME.leaf_ca_issuers_uri))))),
      ACCESS,
    ],
    ['an access to a place outside ASCII', access(accessTo('https://é')), TYPES],
    ['an access to no place', access(sequence(sequence(identifier(OID.caIssuers)))), TYPES],
    [
      'an access to a place of no form',
      access(sequence(sequence(identifier(OID.caIssuers), implicit(9, hex('00'))))),
      TYPES,
    ],

    ['the one point', points(pointAt(HOME.leaf_crl_uri)), ACCEPTED],
    ['no point', points(sequence()), TYPES],
    ['an empty point', point(), POINT],
    ['two points', points(sequence(sequence(crl), sequence(crl))), POINT],
    ['two names of one point', point(tagged(0, tagged(0, uri(HOME.leaf_crl_uri), uri(HOME.leaf_crl_uri)))), POINT],
    ['a point with reasons', point(crl, implicit(1, hex('0640'))), POINT],
    ['a point with reasons that end in zero bits', point(crl, implicit(1, hex('0040'))), TYPES],
    ['a point with an issuer', point(crl, tagged(2, rootName)), POINT],
    ['a point with an issuer of no names', point(crl, tagged(2)), TYPES],
    ['a point relative to its issuer', point(tagged(0, tagged(1, pair(oid('2.5.4.3'), text('x'))))), POINT],
    ['a point relative to nothing', point(tagged(0, tagged(1))), TYPES],
    [
      'a point with both names',
      point(tagged(0, tagged(0, uri('x')), tagged(1, pair(oid('2.5.4.3'), text('x'))))),
      TYPES,
    ],
  ])('are judged: %s', (_name, changes, failed) => {
    expect(failedRow(changes)).toBe(failed);
  });

  it.each<[name: string, location: Uint8Array, failed: string]>([
    ['another name', tagged(0, identifier(oid('1.2.3')), tagged(0, text('x'))), ACCESS],
    ['another name without a value', tagged(0, identifier(oid('1.2.3'))), TYPES],
    ['a mail address', implicit(1, utf8ToBytes('a@example.test')), ACCESS],
    ['a mail address outside ASCII', implicit(1, utf8ToBytes('é@example.test')), TYPES],
    ['an X.400 address', tagged(3, sequence()), ACCESS],
    ['a directory', tagged(4, nameOf('x')), ACCESS],
    ['a directory without a name', tagged(4, text('x')), TYPES],
    ['two directories', tagged(4, nameOf('x'), nameOf('x')), TYPES],
    ['an EDI party', tagged(5, tagged(1, text('x'))), ACCESS],
    ['an IP address', implicit(7, hex('7f000001')), ACCESS],
    ['a registered identifier', implicit(8, hex(oid('1.2.3'))), ACCESS],
    ['a registered identifier of nothing', implicit(8, new Uint8Array()), TYPES],
    ['a universal type', element(TAG.octetString, hex('00')), TYPES],
  ])('are judged by the location of an access: %s', (_name, location, failed) => {
    expect(failedRow(access(sequence(sequence(identifier(OID.caIssuers), location))))).toBe(failed);
  });
});
