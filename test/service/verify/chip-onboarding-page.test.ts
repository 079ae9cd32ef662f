/** Pastes the commands of docs/chip-onboarding.md into a shell, against a new chain with the files that the demo writes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { accountOf } from '../../../devnet/accounts.ts';
import { rule } from '../../conformance/rule.ts';
import { findMachine } from '../fetch-checked.ts';
import { OWNER, startChipOnboardingFixture, type ChipOnboardingFixture } from './chip-onboarding-fixture.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs/chip-onboarding.md'), 'utf8');
const [commands, ...others] = [...PAGE.matchAll(/```sh\n([^]+?)```/g)].map(([, text]) => text!);
const { machines, chip, onboardingToken } = inject('fixtures');

let harness: ChipOnboardingFixture;
beforeAll(async () => {
  harness = await startChipOnboardingFixture();
  await harness.chain.writer.rpc.request('evm_setAutomine', [true]);
  for (const name of ['.devnet', '.devnet/keys', 'bin']) mkdirSync(join(harness.folder, name));
  symlinkSync(join(harness.folder, 'env'), join(harness.folder, '.devnet/env'));
  symlinkSync(join(harness.folder, 'svc.db'), join(harness.folder, '.devnet/svc.db'));
  symlinkSync(dirname(chip.certificate), join(harness.folder, '.devnet/test-pki'));
  symlinkSync(join(ROOT, 'bin/svc'), join(harness.folder, 'bin/svc'));
  harness.fileOf('.devnet/keys/rated-b.key', OWNER.key);
  harness.fileOf('.devnet/keys/attester.key', accountOf('admin').key);
});
afterAll(() => harness.close());

it('verifies the chip of a machine when it is pasted', async () => {
  rule('documents.blocks');
  expect(others).toEqual([]);
  const { did } = findMachine(machines, 'rated-b');
  expect(commands).toContain(`DID=${did}\n`);
  expect(commands).toContain(`SVC_ONBOARDING_TOKEN=${onboardingToken} `);
  // The machine and the service of this test.
  const script = commands!.replace(did, harness.dids[0]!);
  const env = { ...process.env, SVC_BASE_URL: harness.service.service.url };
  const child = spawn('bash', ['-e', '-c', script], { cwd: harness.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, (await stderr!).join('')]).toEqual([0, expect.any(String)]);
  expect((await stdout!).join('')).toMatch(/^chip +verified$/m);
});
