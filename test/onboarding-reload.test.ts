/** Reload of onboarding: tokens and certificates are replaced by valid new ones, and stay in force when the new ones have a problem. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTrustFolder } from '../devnet/chips/trust-folder.ts';
import { readConfig } from '../src/config.ts';
import { fromBase64, pki, requestCases, worldOf } from '../testing/fixtures/evidence-vectors.ts';
import { openOnboarding, type Onboarding } from '../src/composition/onboarding.ts';
import { EVIDENCE_PATH, startChipHarness, type ChipHarness } from '../testing/harness/chip-service.ts';

const ACCEPTED = requestCases.cases.find(({ name }) => name === 'accept')!;
const { onboardingToken, now } = worldOf(ACCEPTED);

const folder = mkdtempSync(join(tmpdir(), 'reload-'));
const trust = {
  TRUST_ROOT_FILE: write('root.pem', pki.root.pem),
  TRUST_ROOT_SHA256: pki.root.sha256,
  TRUST_INTERMEDIATE_FILE: write('intermediate.pem', pki.intermediate.pem),
  TRUST_INTERMEDIATE_SHA256: pki.intermediate.sha256,
};
const others = openTrustFolder(join(folder, 'others'), now).env;

let harness: ChipHarness;
let onboarding: Onboarding;
beforeAll(async () => {
  harness = await startChipHarness(worldOf(ACCEPTED));
  const { store, log, trustedClock } = harness.ctx;
  const { config } = read(trust, onboardingToken);
  onboarding = await openOnboarding({ config, isLenient: false, store, log, trustedClock });
  // The routes hold the intake that the harness started with.
  Object.defineProperties(harness.ctx.onboarding, Object.getOwnPropertyDescriptors(onboarding.config));
});
afterAll(async () => {
  await harness.close();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function read(files: Readonly<Record<string, string>>, tokens: string) {
  return readConfig({ ...files, ONBOARDING_TOKENS: tokens }, { readFile: (path) => readFileSync(path, 'utf8') });
}

const reload = (files: Readonly<Record<string, string>>, tokens: string) => onboarding.reload(read(files, tokens));

function submit(): Promise<string> {
  const { method, headers, bodyBase64 } = ACCEPTED.request;
  return harness.judge(method, EVIDENCE_PATH, headers, fromBase64(bodyBase64));
}

it('applies the certificates and tokens of the last reload without a problem', async () => {
  await reload(others, onboardingToken);
  expect(await submit()).toBe('422 CERTIFICATE_UNTRUSTED');
  await reload({ ...trust, TRUST_ROOT_FILE: write('garbled.pem', 'secret') }, onboardingToken);
  expect(await submit()).toBe('422 CERTIFICATE_UNTRUSTED');
  await reload(trust, 'another-token');
  expect(await submit()).toBe('401 ONBOARDING_AUTH_REQUIRED');
  await reload(trust, 'not a token');
  expect(await submit()).toBe('401 ONBOARDING_AUTH_REQUIRED');
  await reload(trust, `another-token,${onboardingToken}`);
  expect(await submit()).toBe('202');
});
