/** Trust in the test PKI: the service accepts its chips and rejects those of another authority. */
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCertificateFile } from '../../src/domain/evidence/certificate/certificate-file.ts';
import { judgeLeaf } from '../../src/domain/evidence/certificate/leaf-profile.ts';
import { parseTrustMaterial } from '../../src/domain/evidence/certificate/trust-material.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { addChip, openTrustFolder, type ChipFiles, type TrustFolder } from './trust-folder.ts';

const NOW = 1_800_000_000;
const YEAR_SECONDS = 365 * 86_400;
const parent = mkdtempSync(join(tmpdir(), 'test-pki-'));
afterAll(() => rmSync(parent, { recursive: true }));

const [folder, other] = [join(parent, 'one'), join(parent, 'other')];
const trusted = openTrustFolder(folder, NOW);
const chip = addChip(folder, 'chip', DEFAULT_NAMESPACE, NOW);

function readTrust({ env }: TrustFolder) {
  const pinned = (name: string) => ({
    content: readFileSync(env[`TRUST_${name}_FILE`]!),
    sha256: env[`TRUST_${name}_SHA256`]!,
  });
  return parseTrustMaterial({ root: pinned('ROOT'), intermediate: pinned('INTERMEDIATE') });
}

function judge({ certificate }: ChipFiles, folderOfTrust: TrustFolder, nowSeconds: number) {
  const { trust, problems } = readTrust(folderOfTrust);
  expect(problems).toBeUndefined();
  const leaf = parseCertificateFile(readFileSync(certificate))!;
  return judgeLeaf(leaf, { trust: trust!, namespace: DEFAULT_NAMESPACE, nowSeconds });
}

describe('a chip of the test PKI', () => {
  it('is accepted with its public key', () => {
    const { certificate, failed } = judge(chip, trusted, NOW);
    expect(failed).toBeUndefined();
    const spki = createPublicKey(readFileSync(chip.key)).export({ format: 'der', type: 'spki' });
    expect(Buffer.from(certificate!.publicKey.encoded)).toEqual(spki);
  });

  it('is invalid after its validity period', () => {
    expect(judge(chip, trusted, NOW + 9 * YEAR_SECONDS).failed).toBeUndefined();
    expect(judge(chip, trusted, NOW + 11 * YEAR_SECONDS).failed?.outcome).toBe('CertificateInvalid');
  });

  it('is untrusted under another authority', () => {
    expect(judge(chip, openTrustFolder(other, NOW), NOW).failed?.outcome).toBe('CertificateUntrusted');
  });

  it('is never overwritten', () => {
    expect(() => addChip(folder, 'chip', DEFAULT_NAMESPACE, NOW)).toThrow('EEXIST');
  });
});

it('opens an existing authority again, and supports dates beyond 2050', () => {
  expect(openTrustFolder(folder, NOW + 1)).toEqual(trusted);
  const later = openTrustFolder(join(parent, 'later'), NOW + 20 * YEAR_SECONDS);
  const laterChip = addChip(join(parent, 'later'), 'chip', DEFAULT_NAMESPACE, NOW + 20 * YEAR_SECONDS);
  expect(judge(laterChip, later, NOW + 20 * YEAR_SECONDS).failed).toBeUndefined();
});

it('writes keys that only their owner can read', () => {
  for (const key of [chip.key, join(folder, 'intermediate.key')]) expect(statSync(key).mode & 0o777).toBe(0o600);
});
