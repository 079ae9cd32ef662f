/**
 * Settings of Verify's onboarding. It is on when onboarding tokens and both pinned certificates are configured. A part
 * of them alone is a mistake (decisions 1), which `--lenient` treats as none.
 */
import { createHash } from 'node:crypto';
import type { Environment } from './environment.ts';
import { BEARER_TOKEN, FILE, listOfValues, SHA256 } from './parsers.ts';
import type { Variable } from './variables.ts';

/** Certificate that is trusted by its hash. */
export interface PinnedCertificate {
  /** DER or PEM. */
  readonly file: string;
  /** Hash of the DER: 64 lower-case hex digits. */
  readonly sha256: string;
}

/** Hash of a token. The text itself is not stored, so that no memory dump contains it. */
export interface OnboardingToken {
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly characters: number;
}

export interface VerifySettings {
  /** At least one; more during a rotation. */
  readonly onboardingTokens: readonly OnboardingToken[];
  readonly root: PinnedCertificate;
  readonly intermediate: PinnedCertificate;
}

const TRUST: readonly Variable[] = [
  'TRUST_ROOT_FILE',
  'TRUST_ROOT_SHA256',
  'TRUST_INTERMEDIATE_FILE',
  'TRUST_INTERMEDIATE_SHA256',
];

/** Returns undefined when Verify's onboarding is off, or with problems recorded. */
export function readVerifySettings(environment: Environment, lenient: boolean): VerifySettings | undefined {
  const onboardingTokens = environment.read('ONBOARDING_TOKENS', listOfValues(BEARER_TOKEN))?.map(toToken);
  const root = readPinned(environment, 'TRUST_ROOT_FILE', 'TRUST_ROOT_SHA256');
  const intermediate = readPinned(environment, 'TRUST_INTERMEDIATE_FILE', 'TRUST_INTERMEDIATE_SHA256');

  const all: readonly Variable[] = ['ONBOARDING_TOKENS', ...TRUST];
  const present = all.filter((name) => environment.has(name));
  const [first] = present;
  if (first !== undefined) {
    for (const missing of all.filter((name) => !environment.has(name))) {
      if (lenient) environment.addWarning(missing, `not set although ${first} is; Verify's onboarding is disabled`);
      else environment.addProblem(missing, `required with ${first}: all of ${all.join(', ')} or none`);
    }
  }
  return onboardingTokens && root && intermediate && { onboardingTokens, root, intermediate };
}

function toToken(text: string): OnboardingToken {
  return { sha256: createHash('sha256').update(text).digest('hex'), characters: text.length };
}

function readPinned(environment: Environment, file: Variable, sha256: Variable): PinnedCertificate | undefined {
  const pinned = { file: environment.read(file, FILE), sha256: environment.read(sha256, SHA256) };
  return pinned.file === undefined || pinned.sha256 === undefined
    ? undefined
    : { file: pinned.file, sha256: pinned.sha256 };
}
