/** A leaf that fails two rows is rejected by the earlier one (evidence 7, "evaluate in this order"). */
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { vectorRules } from '../../../../testing/fixtures/evidence-vectors.ts';
import {
  generalizedTime,
  identifier,
  implicit,
  integer,
  octets,
  sequence,
  tagged,
  TRUE,
  utcTime,
} from '../../../../devnet/chips/der-writer.ts';
import {
  accessTo,
  CHIP_PUBLIC_KEY,
  extension,
  EXTENSIONS,
  extensionsWith,
  forgeCertificate,
  pointAt,
  SIBLING_KEY,
  SIBLING_KEY_ID,
  VECTOR_NOW,
  type CertificateParts,
} from '../../../../testing/fixtures/forged-certificate.ts';
import { judgeLeaf, PROFILE_ROWS } from './leaf-profile.ts';
import { EXTENSION, OID, oid } from './object-identifiers.ts';

/** Changes that fail exactly one row. */
interface Bend {
  readonly parts?: Partial<CertificateParts>;
  readonly replaced?: Parameters<typeof extensionsWith>[0];
  readonly added?: readonly Uint8Array[];
  readonly tail?: Uint8Array;
}

const OFF_CURVE = Uint8Array.from(CHIP_PUBLIC_KEY, (octet, at) =>
  at === CHIP_PUBLIC_KEY.length - 1 ? octet ^ 1 : octet,
);

const BENDS: Record<string, Bend> = {
  encoding: { tail: Uint8Array.of(0) },
  serial: { parts: { serial: integer(0) } },
  version: { parts: { version: tagged(0, integer(1)) } },
  algorithms: { parts: { outerAlgorithm: sequence(identifier(OID.ecdsaWithSha512)) } },
  'key and signature bits': { parts: { signatureUnusedBits: 1 } },
  'point on the curve': { parts: { publicKey: OFF_CURVE } },
  dates: { parts: { notBefore: generalizedTime('20220425143608Z') } },
  'extension types': { added: [EXTENSIONS.policies] },
  'allowed extensions': { added: [extension(oid('1.3.6.1.4.1.99999.7'), octets(hexToBytes('78')))] },
  'authority information access': {
    replaced: { access: extension(EXTENSION.authorityInfoAccess, accessTo('https://example.test/')) },
  },
  'CRL distribution point': { added: [extension(EXTENSION.crlDistributionPoints, pointAt('https://example.test/'))] },
  'required extensions': { replaced: { keyUsage: undefined } },
  'end entity for digital signatures': {
    replaced: { basicConstraints: extension(EXTENSION.basicConstraints, sequence(TRUE), TRUE) },
  },
  'authority key identifier': {
    replaced: {
      authorityKeyId: extension(EXTENSION.authorityKeyIdentifier, sequence(implicit(0, SIBLING_KEY_ID))),
    },
  },
  validity: { parts: { notAfter: utcTime('270115075959Z') } },
  'issued by the intermediate': { parts: { signer: SIBLING_KEY } },
};

const names = PROFILE_ROWS.map(({ name }) => name);
const pairs = names.flatMap((earlier, at) => names.slice(at + 1).map((later) => ({ earlier, later })));

function failedRow(...bends: Bend[]): string | undefined {
  const replaced = Object.assign({}, ...bends.map((bend) => bend.replaced ?? {})) as Bend['replaced'];
  const parts = Object.assign({}, ...bends.map((bend) => bend.parts ?? {})) as Partial<CertificateParts>;
  const extensions = extensionsWith(replaced ?? {}, ...bends.flatMap((bend) => bend.added ?? []));
  const tails = bends.map((bend) => bend.tail ?? new Uint8Array());
  const der = concatBytes(forgeCertificate({ ...parts, extensions }), ...tails);
  return judgeLeaf(der, { ...vectorRules, nowSeconds: VECTOR_NOW }).failed?.name;
}

it('accepts the unchanged leaf', () => {
  expect(failedRow()).toBeUndefined();
});

it.each(names)('rejects a leaf that fails only %s', (name) => {
  expect(failedRow(BENDS[name]!)).toBe(name);
});

describe('a leaf that fails two rows', () => {
  it.each(pairs)('is rejected by $earlier before $later', ({ earlier, later }) => {
    expect(failedRow(BENDS[earlier]!, BENDS[later]!)).toBe(earlier);
  });
});
