/**
 * Folder of the test PKI: `root.pem`, `intermediate.pem` and `intermediate.key`, and for every chip `NAME.pem` and `NAME.key`. Only the
 * owner can read the keys.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCertificateFile } from '../../src/domain/evidence/certificate/certificate-file.ts';
import type { Namespace } from '../../src/domain/identifiers/namespace.ts';
import { createTestAuthority, issueTestChip } from './test-pki.ts';

/** Paths of the trust anchors. */
export interface TrustFolder {
  readonly root: string;
  readonly intermediate: string;
  /** Environment variables that pin both certificates. */
  readonly env: Readonly<Record<string, string>>;
}

/** Paths of a chip's files. */
export interface ChipFiles {
  readonly certificate: string;
  readonly key: string;
}

const OWNER_ONLY = 0o600;

/** Returns the authority in the folder and creates it when there is none. `now` in Unix seconds. */
export function openTrustFolder(folder: string, now: number): TrustFolder {
  const [root, intermediate, intermediateKey] = ['root.pem', 'intermediate.pem', 'intermediate.key'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  if (!existsSync(intermediateKey)) {
    mkdirSync(folder, { recursive: true });
    const authority = createTestAuthority(now);
    writeFileSync(root, authority.root, { flag: 'wx', mode: OWNER_ONLY });
    writeFileSync(intermediate, authority.intermediate, { flag: 'wx', mode: OWNER_ONLY });
    writeFileSync(intermediateKey, authority.intermediateKey, { flag: 'wx', mode: OWNER_ONLY });
  }
  return {
    root,
    intermediate,
    env: {
      TRUST_ROOT_FILE: root,
      TRUST_ROOT_SHA256: hashOf(root),
      TRUST_INTERMEDIATE_FILE: intermediate,
      TRUST_INTERMEDIATE_SHA256: hashOf(intermediate),
    },
  };
}

/** Issues a chip from the authority in the folder. Throws when the name exists. */
export function addChip(folder: string, name: string, namespace: Namespace, now: number): ChipFiles {
  const files = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const authority = { intermediate: read('intermediate.pem'), intermediateKey: read('intermediate.key') };
  const chip = issueTestChip(authority, namespace, now);
  writeFileSync(files.key, chip.key, { flag: 'wx', mode: OWNER_ONLY });
  writeFileSync(files.certificate, chip.certificate, { flag: 'wx', mode: OWNER_ONLY });
  return files;
}

/** Returns the SHA-256 of the DER certificate in a PEM file. */
function hashOf(file: string): string {
  const certificate = parseCertificateFile(readFileSync(file));
  if (certificate === undefined) throw new Error(`${file} does not contain a certificate`);
  return createHash('sha256').update(certificate).digest('hex');
}
