import { hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_RUNS, SEED_TITLE } from '../../../../testing/arbitraries/property-runs.ts';
import { DerFields } from './der-fields.ts';
import { DerInvalid, derReadable, parseDer, type DerElement } from './der.ts';
import { element } from '../../../../devnet/chips/der-writer.ts';
import { oid } from './object-identifiers.ts';

const isDer = (hex: string): boolean => derReadable(() => parseDer(hexToBytes(hex))) !== undefined;
const zeros = (count: number): string => '00'.repeat(count);

describe('an element', () => {
  it.each<[name: string, hex: string]>([
    ['an empty sequence', '3000'],
    ['elements inside of elements', '30053003020100'],
    ['a set', '3103020100'],
    ['a length of 127', `047f${zeros(127)}`],
    ['a length of 128', `048180${zeros(128)}`],
    ['a length of 255', `0481ff${zeros(255)}`],
    ['a length of 256', `04820100${zeros(256)}`],
    ['true', '0101ff'],
    ['false', '010100'],
    ['an integer of 0', '020100'],
    ['an integer of -1', '0201ff'],
    ['an integer of 128', '02020080'],
    ['an integer of -129', '0202ff7f'],
    ['an enumerated value', '0a0105'],
    ['no bits', '030100'],
    ['bits', '03020780'],
    ['null', '0500'],
    ['an identifier', '06032a0348'],
    ['an identifier with a long arc', '06032a864a'],
    ['an identifier with a zero group inside an arc', '06042a818001'],
    ['an identifier with two of them', '06052a81808001'],
    ['a short time', `170d${Buffer.from('270115080000Z').toString('hex')}`],
    ['a long time', `180f${Buffer.from('20500115080000Z').toString('hex')}`],
    ['a long time with a fraction', `1811${Buffer.from('20500115080000.5Z').toString('hex')}`],
    ['a long time with a longer fraction', `1812${Buffer.from('20500115080000.25Z').toString('hex')}`],
    ['a text', '0c02c3a8'],
    ['a printable text of any characters', '130140'],
    ['a text of two octets per character', '1e04d7ffe000'],
    ['a text of four octets per character', '1c080000d7ff0010ffff'],
    ['a text of any octets', '1401ff'],
    ['something of its context', '8001ff'],
    ['elements of their context', 'a003020100'],
    ['an external', '2803020100'],
  ])('parses: %s', (_name, hex) => {
    expect(isDer(hex)).toBe(true);
  });

  it.each<[name: string, hex: string]>([
    ['nothing', ''],
    ['a tag alone', '30'],
    ['two elements', '30003000'],
    ['a byte too many', '020100ff'],
    ['a content that is too short', '040200'],
    ['an inner content that is too short', '3003040200'],
    ['an inner element beyond its sequence', '300202020000'],
    ['an indefinite length', '30800000'],
    ['an indefinite length that would fit', `0480${zeros(128)}`],
    ['a tag of number 31', '1f00'],
    ['a tag of its context of number 31', '9f00'],
    ['a long form for 127', `04817f${zeros(127)}`],
    ['a long form with a zero', `04820080${zeros(128)}`],
    ['a length that is cut', '0482'],
    ['a length of five octets', '04850000000001ff'],
    ['a length of no octets', '04ff'],
    ['a length of 4 GiB', '0484ffffffff'],
    ['a tag of two octets', '1f2a00'],
    ['a tag of its context of two octets', 'bf2a00'],
    ['the end of contents', '0000'],
    ['a sequence that holds nothing readable', '1000'],
    ['a primitive set', '1100'],
    ['bytes in parts', '240404020000'],
    ['bits in parts', '230403020000'],
    ['a text in parts', '2c030c0141'],
    ['a constructed integer', '2203020100'],
    ['a boolean of 1', '010101'],
    ['a boolean of two octets', '0102ffff'],
    ['a boolean of none', '0100'],
    ['an integer of no octets', '0200'],
    ['an integer with a zero too many', '0202007f'],
    ['an integer with ones too many', '0202ff80'],
    ['an enumerated value with a zero too many', '0a020001'],
    ['bits without a count', '0300'],
    ['unused bits of nothing', '030101'],
    ['eight unused bits', '03020800'],
    ['unused bits that are not zero', '03020781'],
    ['null with a content', '050100'],
    ['an identifier of nothing', '0600'],
    ['an identifier that is cut', '06022a86'],
    ['an identifier that is cut at a zero group', '06032a8180'],
    ['an identifier with a padded first arc', '0602802a'],
    ['an identifier with a padded arc', '06032a8001'],
    ['a text that is no UTF-8', '0c02c328'],
    ['a text with a surrogate', '0c03eda080'],
    ['half a character of two octets', '1e0100'],
    ['half a character of four octets', '1c020041'],
    ['a surrogate of two octets', '1e02d800'],
    ['a surrogate of four octets', '1c040000dfff'],
    ['a character after the last', '1c0400110000'],
    ['a short time of another length', `170b${Buffer.from('2701150800Z').toString('hex')}`],
    ['a short time with a digit in front', `170e${Buffer.from('0270115080000Z').toString('hex')}`],
    ['a short time with two zones', `170e${Buffer.from('270115080000ZZ').toString('hex')}`],
    ['a short time of letters', `170d${Buffer.from('27011508000xZ').toString('hex')}`],
    ['a short time in lower case', `170d${Buffer.from('270115080000z').toString('hex')}`],
    ['a long time without its zone', `180e${Buffer.from('20500115080000').toString('hex')}`],
    ['a long time with a digit in front', `1810${Buffer.from('020500115080000Z').toString('hex')}`],
    ['a long time with two zones', `1810${Buffer.from('20500115080000ZZ').toString('hex')}`],
    ['a long time with a letter in its fraction', `1812${Buffer.from('20500115080000.x5Z').toString('hex')}`],
    ['a long time with a zero fraction', `1811${Buffer.from('20500115080000.0Z').toString('hex')}`],
    ['a long time with an open fraction', `1810${Buffer.from('20500115080000.Z').toString('hex')}`],
  ])('is rejected: %s', (_name, hex) => {
    expect(isDer(hex)).toBe(false);
  });

  it('nests to a bounded depth', () => {
    const nested = (depth: number): Uint8Array => (depth === 0 ? new Uint8Array() : element(0x30, nested(depth - 1)));
    expect(derReadable(() => parseDer(nested(32)))).toBeDefined();
    expect(derReadable(() => parseDer(nested(33)))).toBeUndefined();
    expect(derReadable(() => parseDer(nested(3_000)))).toBeUndefined();
  });

  it('accepts a length of four octets', () => {
    const content = 2 ** 24;
    const bytes = new Uint8Array(6 + content);
    bytes.set([0x04, 0x84, 0x01]);
    expect(derReadable(() => parseDer(bytes))?.content.length).toBe(content);
  });

  it('throws an error without content', () => {
    expect(() => parseDer(new Uint8Array())).toThrow(
      expect.objectContaining({ name: 'DerInvalid', message: 'not DER of this type' }),
    );
  });

  it('is returned with its bytes', () => {
    const parsed = parseDer(hexToBytes('30053003020105'));
    const inner = parsed.children[0]!.children[0]!;
    expect(Array.from(inner.encoded)).toStrictEqual([2, 1, 5]);
    expect(Array.from(inner.content)).toStrictEqual([5]);
    expect(inner.children).toStrictEqual([]);
  });
});

describe('fields', () => {
  const fields = (hex: string): DerFields => new DerFields([parseDer(hexToBytes(hex))]).sequence();

  it('are read in order', () => {
    const read = fields('300b0201050101ff0603550403');
    expect(read.takeIf(0x01)).toBeUndefined();
    expect(Array.from(read.take(0x02).content)).toStrictEqual([5]);
    expect(read.flag()).toBe(true);
    expect(read.isAtEnd).toBe(false);
    expect(read.objectIdentifier()).toBe(oid('2.5.4.3'));
    expect(read.isAtEnd).toBe(true);
    read.finish();
  });

  it('must have their types and leave nothing unread', () => {
    expect(() => fields('3003020105').take(0x04)).toThrow(DerInvalid);
    expect(() => fields('3000').takeAny()).toThrow(DerInvalid);
    expect(() => fields('3003020105').finish()).toThrow(DerInvalid);
    expect(() => fields('3003010100').flag()).toThrow(DerInvalid);
    expect(fields('3000').flag()).toBe(false);
  });
});

it('rethrows a defect', () => {
  expect(() =>
    derReadable(() => {
      throw new TypeError('a defect');
    }),
  ).toThrow(TypeError);
});

it.each([
  ['2.5.4.3', '550403'],
  ['1.2.840.10045.4.3.3', '2a8648ce3d040303'],
  ['2.999.3', '883703'],
  ['1.3.6.1.4.1.2147483647', '2b0601040187ffffff7f'],
])('encodes the identifier %s', (dotted, hex) => {
  expect(oid(dotted)).toBe(hex);
});

it(`encodes every parsed element to the same bytes (${SEED_TITLE})`, () => {
  const tag = fc.constantFrom(0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x17, 0x30, 0x31, 0x80, 0xa0, 0xa3);
  const soup = fc.array(fc.oneof(tag, fc.nat(255), fc.constantFrom(0, 1, 2, 3, 0x80, 0x81)), { maxLength: 24 });
  const nested = fc
    .tuple(tag, tag, soup, fc.nat(3))
    .map(([outer, inner, bytes, cut]) => element(outer, element(inner, Uint8Array.from(bytes))).subarray(0, -cut || undefined)); // prettier-ignore
  fc.assert(
    fc.property(
      fc.oneof(
        soup.map((bytes) => Uint8Array.from(bytes)),
        nested,
      ),
      (bytes) => {
        const read = derReadable(() => parseDer(bytes));
        if (read !== undefined) expect(Array.from(rewrite(read))).toStrictEqual(Array.from(bytes));
      },
    ),
    { ...PROPERTY_RUNS, numRuns: 10 * PROPERTY_RUNS.numRuns },
  );
});

function rewrite({ tag, content, children }: DerElement): Uint8Array {
  return children.length > 0 ? element(tag, ...children.map(rewrite)) : element(tag, content);
}
