/** Boundaries of the profile rows about fields, with signed leaves that differ from a genuine one in one place. */
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { vectorTrust } from '../../../../testing/fixtures/evidence-vectors.ts';
import { toHex } from '../signed-bytes.ts';
import {
  bits,
  element,
  generalizedTime,
  identifier,
  implicit,
  integer,
  NULL,
  octets,
  pair,
  sequence,
  set,
  tagged,
  text,
  utcTime,
} from '../../../../devnet/chips/der-writer.ts';
import {
  CHIP_PUBLIC_KEY,
  DIGITAL_SIGNATURE,
  extension,
  extensionsWith,
  failedRow,
  type CertificateParts,
} from '../../../../testing/fixtures/forged-certificate.ts';
import { EXTENSION, OID, oid } from './object-identifiers.ts';

const KEY_POINT = CHIP_PUBLIC_KEY.subarray(-65);
const ACCEPTED = undefined;

const FIELD = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
/** The curve has a point at x = 0, so that x can also be encoded as the field's prime. */
const Y_AT_ZERO = '66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4';

const hex = hexToBytes;
const key = (algorithm: Uint8Array, bitString = bits(KEY_POINT)) => ({ publicKey: sequence(algorithm, bitString) });
const ecKey = (parameters: Uint8Array, id: string = OID.ecPublicKey) => sequence(identifier(id), parameters);
const algorithms = (algorithm: Uint8Array) => ({ innerAlgorithm: algorithm, outerAlgorithm: algorithm });

type Row = [name: string, changes: Partial<CertificateParts>, failed: string | undefined];

describe('encoding', () => {
  it.each<Row>([
    ['version 1 written out', { version: tagged(0, integer(0)) }, 'encoding'],
    ['two versions', { version: tagged(0, integer(2), integer(2)) }, 'encoding'],
    ['a version without its tag', { version: integer(2) }, 'encoding'],
    ['no version at all', { version: new Uint8Array() }, 'version'],
    ['a serial with a needless octet', { serial: hex('02020007') }, 'encoding'],
    ['a serial of no octets', { serial: hex('0200') }, 'encoding'],
    ['a length in the long form', { serial: hex('02810107') }, 'encoding'],
    ['no extensions', { extensions: [] }, 'encoding'],
    [
      'a boolean of 1',
      { extensions: extensionsWith({ keyUsage: extension(EXTENSION.keyUsage, DIGITAL_SIGNATURE, hex('010101')) }) },
      'encoding',
    ],
    [
      'something behind an extension',
      {
        extensions: extensionsWith(
          {},
          sequence(identifier(EXTENSION.subjectKeyIdentifier), octets(octets(hex('00'))), NULL),
        ),
      },
      'encoding',
    ],
    [
      'an identifier with a padded arc',
      { subject: sequence(set(sequence(hex('060455048003'), text('x')))) },
      'encoding',
    ],
    ['a name of no values', { subject: sequence(set()) }, 'encoding'],
    ['a name with a list for a set', { subject: sequence(sequence(pair(oid('2.5.4.3'), text('x')))) }, 'encoding'],
    [
      'two values of a name out of order',
      { subject: sequence(set(pair(oid('2.5.4.4'), text('x')), pair(oid('2.5.4.3'), text('x')))) },
      'encoding',
    ],
    [
      'two values of a name in order',
      { subject: sequence(set(pair(oid('2.5.4.3'), text('x')), pair(oid('2.5.4.4'), text('x')))) },
      ACCEPTED,
    ],
    [
      'the same value of a name twice',
      { subject: sequence(set(pair(oid('2.5.4.3'), text('x')), pair(oid('2.5.4.3'), text('x')))) },
      ACCEPTED,
    ],
    ['no name', { subject: sequence() }, ACCEPTED],
    [
      'another kind of text in a name',
      { subject: sequence(set(pair(oid('2.5.4.3'), element(0x1e, hex('0041'))))) },
      ACCEPTED,
    ],
    ['a number in a name', { subject: sequence(set(pair(oid('2.5.4.3'), integer(1)))) }, 'encoding'],
    [
      'something of its context in a name',
      { subject: sequence(set(pair(oid('2.5.4.3'), implicit(0, hex('41'))))) },
      'encoding',
    ],
    ['no UTF-8 in a name', { subject: sequence(set(pair(oid('2.5.4.3'), element(0x0c, hex('ff'))))) }, 'encoding'],
    ['unique identifiers', { uniqueIds: concatBytes(implicit(1, hex('0001')), implicit(2, hex('00'))) }, ACCEPTED],
    ['a unique identifier that is no bit string', { uniqueIds: implicit(1, hex('0901')) }, 'encoding'],
    [
      'unique identifiers out of order',
      { uniqueIds: concatBytes(implicit(2, hex('00')), implicit(1, hex('00'))) },
      'encoding',
    ],
    ['something behind the identifiers', { uniqueIds: implicit(4, hex('00')) }, 'encoding'],
    [
      'unused bits that are not zero',
      key(ecKey(identifier(OID.p256)), bits(concatBytes(KEY_POINT.subarray(0, 64), hex('01')), 1)),
      'encoding',
    ],
    ['a time without seconds', { notBefore: utcTime('2204251436Z') }, 'encoding'],
    ['a time of another zone', { notBefore: utcTime('220425143608+0000') }, 'encoding'],
    ['a number for a time', { notBefore: integer(7) }, 'encoding'],
    [
      'an algorithm with two parameters',
      { outerAlgorithm: sequence(identifier(OID.ecdsaWithSha384), NULL, NULL) },
      'encoding',
    ],
    ['a third time', { notAfter: concatBytes(utcTime('420425143608Z'), utcTime('420425143608Z')) }, 'encoding'],
  ])('is judged: %s', (_name, changes, failed) => {
    expect(failedRow(changes)).toBe(failed);
  });
});

describe('serial, version and algorithms', () => {
  it.each<Row>([
    ['serial 1', { serial: integer(1) }, ACCEPTED],
    ['the largest serial of one octet', { serial: integer(0x7f) }, ACCEPTED],
    ['20 octets, the first a sign', { serial: integer(concatBytes(hex('0080'), new Uint8Array(18))) }, ACCEPTED],
    ['21 octets', { serial: integer(concatBytes(hex('0080'), new Uint8Array(19))) }, 'serial'],
    ['serial 0', { serial: integer(0) }, 'serial'],
    ['serial -128', { serial: integer(0x80) }, 'serial'],
    ['version 2', { version: tagged(0, integer(1)) }, 'version'],
    ['version 4', { version: tagged(0, integer(3)) }, 'version'],
    ['a version of two octets', { version: tagged(0, integer(hex('0102'))) }, 'version'],
    ['a parameter of NULL', algorithms(sequence(identifier(OID.ecdsaWithSha384), NULL)), 'algorithms'],
    ['another algorithm outside', { outerAlgorithm: sequence(identifier(OID.ecdsaWithSha512)) }, 'algorithms'],
    ['another algorithm inside', { innerAlgorithm: sequence(identifier(OID.ecdsaWithSha512)) }, 'algorithms'],
    ['a key of ECDH', key(ecKey(identifier(OID.p256), oid('1.3.132.1.12'))), 'algorithms'],
    ['a key on another curve', key(ecKey(identifier(oid('1.3.132.0.10')))), 'algorithms'],
    ['a key without a curve', key(sequence(identifier(OID.ecPublicKey))), 'algorithms'],
    ['a curve that is described', key(ecKey(sequence(integer(1)))), 'algorithms'],
  ])('is judged: %s', (_name, changes, failed) => {
    expect(failedRow(changes)).toBe(failed);
  });
});

describe('the key', () => {
  const curve = ecKey(identifier(OID.p256));
  const point = (first: number, ...rest: Uint8Array[]) => key(curve, bits(concatBytes(Uint8Array.of(first), ...rest)));
  const x = KEY_POINT.subarray(1, 33);
  const y = KEY_POINT.subarray(33);

  it.each<Row>([
    ['of 64 bytes', point(4, x, y.subarray(1)), 'key and signature bits'],
    ['of 66 bytes', point(4, x, y, hex('00')), 'key and signature bits'],
    ['of no bytes', key(curve, bits(new Uint8Array())), 'key and signature bits'],
    ['in hybrid form', point(6, x, y), 'key and signature bits'],
    [
      'of another point with the same x',
      point(4, x, hex((FIELD - BigInt(toHex(y))).toString(16).padStart(64, '0'))),
      ACCEPTED,
    ],
    ['with x and y exchanged', point(4, y, x), 'point on the curve'],
    ['at zero', point(4, new Uint8Array(64)), 'point on the curve'],
    ['with a coordinate beyond the field', point(4, hex(FIELD.toString(16)), hex(Y_AT_ZERO)), 'point on the curve'],
    ['with that coordinate inside the field', point(4, new Uint8Array(32), hex(Y_AT_ZERO)), ACCEPTED],
  ])('is judged: %s', (_name, changes, failed) => {
    expect(failedRow(changes)).toBe(failed);
  });
});

describe('dates', () => {
  it.each<Row>([
    ['29 February of a leap year', { notBefore: utcTime('240229000000Z') }, ACCEPTED],
    ['29 February of another year', { notBefore: utcTime('230229000000Z') }, 'dates'],
    ['31 April', { notBefore: utcTime('230431000000Z') }, 'dates'],
    ['day 0', { notBefore: utcTime('230400000000Z') }, 'dates'],
    ['month 0', { notBefore: utcTime('230001000000Z') }, 'dates'],
    ['month 13', { notBefore: utcTime('231301000000Z') }, 'dates'],
    ['hour 24', { notBefore: utcTime('230401240000Z') }, 'dates'],
    ['minute 60', { notBefore: utcTime('230401236000Z') }, 'dates'],
    ['second 60', { notBefore: utcTime('230401235960Z') }, 'dates'],
    ['the long form in 2050', { notAfter: generalizedTime('20500101000000Z') }, ACCEPTED],
    ['the long form in 2049', { notAfter: generalizedTime('20491231235959Z') }, 'dates'],
    ['the long form with a fraction', { notAfter: generalizedTime('20500101000000.5Z') }, 'dates'],
    ['no end', { notAfter: generalizedTime('99991231235959Z') }, ACCEPTED],
    ['a short year 49', { notAfter: utcTime('491231235959Z') }, ACCEPTED],
    ['a short year 50, which is 1950', { notAfter: utcTime('501231235959Z') }, 'validity'],
  ])('is judged: %s', (_name, changes, failed) => {
    expect(failedRow(changes)).toBe(failed);
  });

  it.each<[name: string, changes: Partial<CertificateParts>, now: string, failed: string | undefined]>([
    ['the first second', { notBefore: utcTime('270115080000Z') }, '2027-01-15T08:00:00Z', ACCEPTED],
    ['the second before', { notBefore: utcTime('270115080000Z') }, '2027-01-15T07:59:59Z', 'validity'],
    ['the last second', { notAfter: utcTime('270115080000Z') }, '2027-01-15T08:00:00Z', ACCEPTED],
    ['the second after', { notAfter: utcTime('270115080000Z') }, '2027-01-15T08:00:01Z', 'validity'],
    ['the leaf is valid, the intermediate not yet', {}, '2022-05-10T05:45:01Z', 'validity'],
    ['the intermediate begins', {}, '2022-05-10T05:45:02Z', ACCEPTED],
    ['the intermediate ends', { notAfter: generalizedTime('99991231235959Z') }, '2052-05-10T05:45:02Z', ACCEPTED],
    [
      'the intermediate has ended',
      { notAfter: generalizedTime('99991231235959Z') },
      '2052-05-10T05:45:03Z',
      'validity',
    ],
  ])('are judged by the clock: %s', (_name, changes, now, failed) => {
    expect(failedRow(changes, Date.parse(now) / 1000)).toBe(failed);
  });
});

describe('the issuer', () => {
  const asPrintable = Uint8Array.from(vectorTrust.intermediate.subject, (octet) => (octet === 0x0c ? 0x13 : octet));

  it('is compared as DER: another string type is another name', () => {
    expect(asPrintable).not.toStrictEqual(vectorTrust.intermediate.subject);
    expect(failedRow({ issuer: asPrintable })).toBe('issued by the intermediate');
  });

  it('must not be the root', () => {
    expect(failedRow({ issuer: vectorTrust.root.subject })).toBe('issued by the intermediate');
  });
});
