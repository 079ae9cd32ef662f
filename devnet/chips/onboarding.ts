/** Who may onboard chips on the devnet? Whoever shows its throw-away token, with chips of its test PKI (configuration.md 1 and 3). */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { addChip, openTrustFolder } from './trust-folder.ts';
import type { ChipFiles } from './trust-folder.ts';

export interface Onboarding {
  readonly token: string;
  /** Paths of PEM files; `folder` holds them all, and issues further chips. */
  readonly trust: { readonly root: string; readonly intermediate: string; readonly folder: string };
  readonly chip: ChipFiles;
  /** Variables of the service, by name. */
  readonly env: Readonly<Record<string, string>>;
}

const TOKEN = 'devnet-onboarding-token';

/** A new PKI in the folder of the devnet, instead of the one before. `now` in Unix seconds. */
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
