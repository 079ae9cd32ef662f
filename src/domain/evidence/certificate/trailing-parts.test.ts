/** Trailing elements: an extra element in any list of a leaf or of one of its extensions is rejected. */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { vectorNamespace, vectorRules, vectorTrust } from '../../../../testing/fixtures/evidence-vectors.ts';
import {
  element,
  identifier,
  implicit,
  integer,
  NULL,
  pair,
  sequence,
  set,
  tagged,
  text,
  TRUE,
  uri,
} from '../../../../devnet/chips/der-writer.ts';
import { parseDer, type DerElement } from './der.ts';
import {
  accessTo,
  extension,
  extensionsWith,
  failedRow,
  forgeCertificate,
  nameOf,
  pointAt,
  VECTOR_NOW,
} from '../../../../testing/fixtures/forged-certificate.ts';
import { readGeneralName } from './general-names.ts';
import { judgeLeaf } from './leaf-profile.ts';
import { EXTENSION, oid } from './object-identifiers.ts';

/** Adds one element to the `place`-th list, counted from the outside; returns undefined when there are fewer lists. */
function withOneMore(whole: Uint8Array, place: number): Uint8Array | undefined {
  let left = place;
  const write = ({ tag, encoded, children }: DerElement): Uint8Array => {
    if (children.length === 0) return encoded;
    const isHere = left-- === 0;
    const parts = children.map(write);
    return element(tag, ...parts, ...(isHere ? [NULL] : []));
  };
  const written = write(parseDer(whole));
  return left < 0 ? written : undefined;
}

function listAllWithOneMore(whole: Uint8Array): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (let place = 0; ; place++) {
    const next = withOneMore(whole, place);
    if (next === undefined) return all;
    all.push(next);
  }
}

describe('an extra element', () => {
  it('is rejected in any list of a leaf', () => {
    const changed = listAllWithOneMore(forgeCertificate());
    const failed = changed.map((der) => judgeLeaf(der, { ...vectorRules, nowSeconds: VECTOR_NOW }).failed?.name);
    expect(changed.length).toBeGreaterThan(25);
    // The two algorithms without a parameter have one then, which is read, and refused for what it is.
    expect(failed.filter((name) => name !== 'encoding')).toEqual(['algorithms', 'algorithms']);
  });

  const POLICY = oid('1.3.6.1.4.1.99999.1');
  const qualified = (qualifier: Uint8Array) => sequence(sequence(identifier(POLICY), sequence(qualifier)));
  const AUTHORITY = sequence(
    implicit(0, vectorTrust.issuingKeyId),
    tagged(1, tagged(4, nameOf('root'))),
    implicit(2, Uint8Array.of(1)),
  );

  it.each<[name: string, id: string, value: Uint8Array]>([
    ['policies', EXTENSION.certificatePolicies, qualified(pair(oid('1.3.6.1.5.5.7.2.1'), text('x')))],
    ['an access', EXTENSION.authorityInfoAccess, accessTo(vectorNamespace.leaf_ca_issuers_uri)],
    ['a distribution point', EXTENSION.crlDistributionPoints, pointAt(vectorNamespace.leaf_crl_uri)],
    [
      'a relative distribution point',
      EXTENSION.crlDistributionPoints,
      sequence(sequence(tagged(0, tagged(1, pair(oid('2.5.4.3'), text('x')))))),
    ],
    ['an authority', EXTENSION.authorityKeyIdentifier, AUTHORITY],
    ['constraints', EXTENSION.basicConstraints, sequence(TRUE, integer(0))],
  ])('is rejected in any list of %s', (_name, id, value) => {
    const judge = (changed: Uint8Array) => failedRow({ extensions: [extension(id, changed)] });
    expect(judge(value)).not.toBe('extension types');
    const changed = listAllWithOneMore(value);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.map(judge)).toEqual(changed.map(() => 'extension types'));
  });

  it.each<[name: string, id: string, value: Uint8Array]>([
    ['policies', EXTENSION.certificatePolicies, set(sequence(identifier(POLICY)))],
    ['accesses', EXTENSION.authorityInfoAccess, set(sequence(identifier(POLICY), uri('x')))],
    ['distribution points', EXTENSION.crlDistributionPoints, set(sequence(tagged(0, tagged(0, uri('x')))))],
  ])('does not make a set of %s a list', (_name, id, value) => {
    expect(failedRow({ extensions: [extension(id, value)] })).toBe('extension types');
  });

  it.each<[name: string, qualifier: Uint8Array]>([
    ['without a kind', sequence(text('x'), text('x'))],
    ['without a value', sequence(identifier(POLICY))],
    ['that is no list', text('x')],
  ])('is rejected: a qualifier %s', (_name, qualifier) => {
    const policies = extension(EXTENSION.certificatePolicies, qualified(qualifier));
    expect(failedRow({ extensions: extensionsWith({ policies }) })).toBe('extension types');
  });
});

describe('a general name', () => {
  const read = (der: Uint8Array) => readGeneralName(parseDer(der));
  const OTHER_NAME = [identifier(oid('1.2.3')), tagged(0, text('x'))];

  it.each<[name: string, der: Uint8Array]>([
    ['of a form of its own', tagged(0, ...OTHER_NAME)],
    ['of a mailbox', implicit(1, utf8ToBytes('a@b.example'))],
    ['of a host', implicit(2, utf8ToBytes('b.example'))],
    ['of an address', implicit(7, Uint8Array.of(127, 0, 0, 1))],
    ['of a registered identifier', implicit(8, Uint8Array.of(0x2a, 3))],
  ])('%s is accepted and unused', (_name, der) => {
    expect(read(der)).toEqual({ form: 'other' });
  });

  it.each<[name: string, der: Uint8Array]>([
    ['of a form of its own with something behind it', tagged(0, ...OTHER_NAME, NULL)],
    ['of a directory, twice', tagged(4, nameOf('a'), nameOf('a'))],
    ['of a place with a letter beyond ASCII', implicit(6, Uint8Array.of(0x61, 0x80))],
    ['of a mailbox with a letter beyond ASCII', implicit(1, Uint8Array.of(0x80))],
    ['of a registered identifier that is none', implicit(8, Uint8Array.of(0x80))],
    ['of no known form', implicit(9, Uint8Array.of(1))],
  ])('is rejected: %s', (_name, der) => {
    expect(() => read(der)).toThrow('not DER of this type');
  });

  it('of a location accepts every ASCII character', () => {
    expect(read(implicit(6, Uint8Array.of(0x7f)))).toEqual({ form: 'uri', text: '\u007f' });
  });
});
