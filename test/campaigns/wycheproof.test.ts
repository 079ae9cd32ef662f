/** Campaign: signature checks agree with the vectors of project Wycheproof, except for listed differences. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { isSignedByP256 } from '../../src/domain/evidence/p256.ts';
import { createNativeCurves, NATIVE_SECP256K1 } from '../../src/domain/signatures/native-curves.ts';
import { PORTABLE_CURVES } from '../../src/domain/signatures/portable-curves.ts';
import { createSignatureChecks } from '../../src/domain/signatures/signature-checks.ts';
import { splitRecoverable } from '../../src/domain/signatures/signature-encoding-rules.ts';
import { formatEd25519 } from '../../testing/fixtures/signing-keys.ts';
import { fetchWycheproof, type WycheproofCase, type WycheproofGroup } from './wycheproof-vectors.ts';

const SECP256K1 = 'ecdsa_secp256k1_sha256_p1363_test';
const P256 = 'ecdsa_secp256r1_sha256_p1363_test';
const ED25519 = 'ed25519_test';
const vectors = fetchWycheproof([SECP256K1, P256, ED25519]);

const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const SCALARS_BYTES = 64;

const IMPLEMENTATIONS = [
  ['native', createNativeCurves(NATIVE_SECP256K1)],
  ['portable', PORTABLE_CURVES],
] as const;

/** Returns the differences from the vectors, as `tcId comment`. */
function listDifferences(
  groups: readonly WycheproofGroup[],
  accepts: (group: WycheproofGroup, test: WycheproofCase) => boolean,
): string[] {
  return groups.flatMap((group) =>
    group.tests
      .filter((test) => accepts(group, test) !== (test.result === 'valid'))
      .map(({ tcId, comment }) => `${tcId} ${comment}`),
  );
}

function count(groups: readonly WycheproofGroup[], result: WycheproofCase['result']): number {
  return groups.flatMap(({ tests }) => tests).filter((test) => test.result === result).length;
}

it('uses the version of the vectors that this suite was written for', () => {
  const counts = [SECP256K1, P256, ED25519].map((name) => {
    const groups = vectors[name as keyof typeof vectors];
    return [count(groups, 'valid'), count(groups, 'invalid')];
  });
  expect(counts).toStrictEqual([
    [163, 79],
    [169, 83],
    [88, 62],
  ]);
});

describe.each(IMPLEMENTATIONS)('the %s implementation', (_name, curves) => {
  // The recovery byte encodes only the parity of R: an x beyond the order (chance 2^-127) cannot be encoded in EIP-191.
  it('agrees on secp256k1 except for an R whose x is not below the order', () => {
    const differences = listDifferences(vectors[SECP256K1], ({ publicKey }, { msg, sig }) => {
      const rs = hexToBytes(sig);
      if (rs.length !== SCALARS_BYTES) return false; // the text of a signature has no other length
      return [27, 28].some((recovery) => {
        const form = splitRecoverable(concatBytes(rs, Uint8Array.of(recovery)));
        const key = form && curves.recoverSecp256k1(sha256(hexToBytes(msg)), form.rs, form.parity);
        return key !== undefined && bytesToHex(key) === publicKey.uncompressed;
      });
    });
    expect(differences).toStrictEqual(['115 k*G has a large x-coordinate']);
  });

  it('agrees on Ed25519', () => {
    const checks = createSignatureChecks(curves);
    const differences = listDifferences(vectors[ED25519], ({ publicKey }, { msg, sig }) => {
      const bytes = hexToBytes(sig);
      if (bytes.length !== SCALARS_BYTES) return false;
      return checks.isSignedBy(formatAltKey(hexToBytes(publicKey.pk!)), hexToBytes(msg), formatEd25519(bytes));
    });
    expect(differences).toStrictEqual([]);
  });
});

// A second spelling of the same signature would be a second proof of one challenge (evidence 6.2).
describe('a P-256 signature with a high s', () => {
  const groups = vectors[P256];
  const isHigh = ({ sig }: WycheproofCase) => BigInt(`0x${sig.slice(-SCALARS_BYTES)}`) > P256_ORDER / 2n;
  const isSigned = ({ publicKeyDer }: WycheproofGroup, { msg }: WycheproofCase, rs: string) =>
    isSignedByP256(hexToBytes(publicKeyDer), hexToBytes(msg), hexToBytes(rs));

  it('is rejected, unlike in the vectors', () => {
    const expected = listDifferences(groups, (_group, test) => test.result === 'valid' && !isHigh(test));
    expect(expected).toHaveLength(67);
    expect(listDifferences(groups, (group, test) => isSigned(group, test, test.sig))).toStrictEqual(expected);
  });

  it('is accepted with the low s', () => {
    const differences = listDifferences(groups, (group, test) => {
      if (test.result !== 'valid' || !isHigh(test)) return test.result === 'valid';
      const low = P256_ORDER - BigInt(`0x${test.sig.slice(-SCALARS_BYTES)}`);
      return isSigned(group, test, test.sig.slice(0, SCALARS_BYTES) + low.toString(16).padStart(SCALARS_BYTES, '0'));
    });
    expect(differences).toStrictEqual([]);
  });
});
