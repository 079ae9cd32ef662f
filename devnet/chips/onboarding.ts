/** Chip onboarding on the devnet: a throw-away token and chips of the test PKI (configuration.md 1 and 3). */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { addChip, openTrustFolder } from './trust-folder.ts';
import type { ChipFiles } from './trust-folder.ts';

export interface Onboarding {
  readonly token: string;
  /** Paths of PEM files; `folder` contains them all, and further chips can be issued from it. */
  readonly trust: { readonly root: string; readonly intermediate: string; readonly folder: string };
  readonly chip: ChipFiles;
  /** Environment variables of the service, by name. */
  readonly env: Readonly<Record<string, string>>;
}

const TOKEN = 'devnet-onboarding-token';

/** Creates a new PKI in the devnet folder and replaces an existing one. `now` in Unix seconds. */
export function createOnboarding(dir: string, now: number): Onboarding {
  const folder = join(dir, 'test-pki');
  rmSync(folder, { recursive: true, force: true });
  const { root, intermediate, env } = openTrustFolder(folder, now);
  return {
    token: TOKEN,
    trust: { root, intermediate, folder },
    chip: addChip(folder, 'chip', DEFAULT_NAMESPACE, now),
    env: { ONBOARDING_TOKENS: TOKEN, ...env },
  };
}
