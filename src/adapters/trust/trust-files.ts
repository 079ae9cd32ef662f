/**
 * Pinned certificate files: reads them and verifies them against the configuration (evidence 7; configuration 1). Runs at start and
 * on SIGHUP; nothing is fetched. Problems begin with their variable and contain no file content.
 */
import {
  parseTrustMaterial,
  type PinnedFile,
  type TrustMaterialResult,
} from '../../domain/evidence/certificate/trust-material.ts';
import { readConfiguredFile } from '../files/configured-file.ts';

/** Path of a certificate and the SHA-256 of its DER in 64 lower-case hex digits. */
export interface PinnedPath {
  readonly file: string;
  readonly sha256: string;
}

const VARIABLES = { root: 'TRUST_ROOT_FILE', intermediate: 'TRUST_INTERMEDIATE_FILE' } as const;
type Role = keyof typeof VARIABLES;

/** Reads both files; returns the trust material or every problem. */
export async function readTrustFiles(paths: Readonly<Record<Role, PinnedPath>>): Promise<TrustMaterialResult> {
  const [root, intermediate] = await Promise.all([read('root', paths.root), read('intermediate', paths.intermediate)]);
  if (typeof root === 'string' || typeof intermediate === 'string') {
    return { problems: [root, intermediate].filter((each) => typeof each === 'string') };
  }
  const { trust, problems } = parseTrustMaterial({ root, intermediate });
  return trust === undefined ? { problems: problems.map(nameVariable) } : { trust };
}

/** Returns the file, or why it cannot be read. */
async function read(role: Role, { file, sha256 }: PinnedPath): Promise<PinnedFile | string> {
  const { bytes, problem } = await readConfiguredFile(file);
  return problem === undefined ? { content: bytes, sha256 } : `${VARIABLES[role]}: ${problem}`;
}

/** Replaces the role with its variable: `root: must …` becomes `TRUST_ROOT_FILE: must …`. */
function nameVariable(problem: string): string {
  const [role, ...rest] = problem.split(': ');
  return [VARIABLES[role as Role], ...rest].join(': ');
}
