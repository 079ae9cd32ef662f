/** What does a running service take over at a hangup, and what does it keep? Real files of two authorities, and no chain. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openTrustFolder, type TrustFolder } from '../../devnet/trust-folder.ts';
import { readConfig } from '../config.ts';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { openOnboarding, type Onboarding } from './onboarding.ts';

const NOW = 1_800_000_000;
const folder = mkdtempSync(join(tmpdir(), 'onboarding-'));
const first = openTrustFolder(join(folder, 'first'), NOW);
const second = openTrustFolder(join(folder, 'second'), NOW);
afterAll(() => rmSync(folder, { recursive: true }));

type Variables = Readonly<Record<string, string>>;

/** Every text that the log was given. */
let told: string[];
let onboarding: Onboarding;
const note = (fields: object, message: string) => void told.push(`${message} ${JSON.stringify(fields)}`);
const log = { info: note, warn: note, error: note };
const open = (variables: Variables, isLenient = false) =>
  openOnboarding({ config: read(variables).config, isLenient, store: createStubCtx().store, log });

beforeEach(async () => {
  told = [];
  onboarding = await open({ ONBOARDING_TOKENS: 'old', ...first.env });
});

const read = (variables: Variables) => readConfig(variables, { readFile: (path) => readFileSync(path, 'utf8') });
const reload = (variables: Variables) => onboarding.reload(read(variables));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The tokens and the root that are in force. */
function inForce() {
  const { onboardingTokens, trust } = onboarding.intake!;
  const root = createHash('sha256').update(trust.root.der).digest('hex');
  return { tokens: onboardingTokens.map((token) => token.sha256), root };
}

const of = (tokens: readonly string[], { env }: TrustFolder) => ({
  tokens: tokens.map(sha256),
  root: env['TRUST_ROOT_SHA256'],
});

const OLD = of(['old'], first);

it('takes over tokens and certificates', async () => {
  expect(inForce()).toEqual(OLD);
  await reload({ ONBOARDING_TOKENS: 'old,new', ...second.env });
  expect(inForce()).toEqual(of(['old', 'new'], second));
  await reload({ ONBOARDING_TOKENS: 'new', ...second.env });
  expect(inForce()).toEqual(of(['new'], second));
  const message = 'onboarding tokens and trust files read again';
  expect(told).toEqual([`${message} {"tokens":2}`, `${message} {"tokens":1}`]);
});

it('takes over nothing else', async () => {
  const before = { ...onboarding.intake! };
  await reload({ ...first.env, ONBOARDING_TOKENS: 'old', CHALLENGE_LIFETIME_SECONDS: '60', KEEP_EVIDENCE: 'false' });
  const { challengeLifetimeSeconds, keepsEvidence } = onboarding.intake!;
  expect([challengeLifetimeSeconds, keepsEvidence]).toEqual([before.challengeLifetimeSeconds, before.keepsEvidence]);
});

const garbled = join(folder, 'garbled.pem');
writeFileSync(garbled, '-----BEGIN CERTIFICATE-----\nsecret of a key');

it.each<[name: string, variables: Variables, problem: string]>([
  ['a file is not there', { ...second.env, TRUST_ROOT_FILE: join(folder, 'none') }, 'TRUST_ROOT_FILE: cannot be read'],
  [
    'a file is no certificate',
    { ...second.env, TRUST_ROOT_FILE: garbled },
    'TRUST_ROOT_FILE: must be DER, or PEM with one certificate',
  ],
  [
    'a file is another than the one that is pinned',
    { ...second.env, TRUST_INTERMEDIATE_FILE: first.env['TRUST_INTERMEDIATE_FILE']! },
    'TRUST_INTERMEDIATE_FILE: is not the certificate with the configured SHA-256',
  ],
  [
    'a token is none',
    { ...second.env, ONBOARDING_TOKENS: 'secret of a key' },
    'ONBOARDING_TOKENS: must be tokens of 1 to 512 visible ASCII characters, separated by commas',
  ],
  ['a variable beside them is wrong', { ...second.env, PORT: 'secret' }, 'PORT: must be'],
  ['onboarding would end', { ONBOARDING_TOKENS: '' }, 'ONBOARDING_TOKENS: onboarding begins and ends with a start'],
])('keeps all of the old ones when %s, and tells the variable and no value', async (_name, variables, problem) => {
  await reload({ ONBOARDING_TOKENS: 'new', ...variables });
  expect(inForce()).toEqual(OLD);
  expect(told).toEqual([expect.stringContaining(`configuration not taken over {"problem":"${problem}`)]);
  expect(told.join()).not.toContain('secret');
  expect(told.join()).not.toContain(folder);
});

it('keeps the newest tokens, although the files of an earlier hangup are read later', async () => {
  const slow = join(folder, 'slow.pem');
  expect(spawnSync('mkfifo', [slow]).status).toBe(0);
  const earlier = reload({ ...first.env, ONBOARDING_TOKENS: 'old,new', TRUST_ROOT_FILE: slow });
  await reload({ ...first.env, ONBOARDING_TOKENS: 'new' });
  writeFileSync(slow, readFileSync(first.env['TRUST_ROOT_FILE']!));
  await earlier;
  expect(inForce()).toEqual(of(['new'], first));
});

it('begins no onboarding where a start had none', async () => {
  const none = await open({});
  await none.reload(read({ ONBOARDING_TOKENS: 'new', ...first.env }));
  expect(none.intake).toBeUndefined();
});

describe('files that are not the pinned certificates', () => {
  const variables = { ONBOARDING_TOKENS: 'old', ...first.env, TRUST_ROOT_SHA256: '00'.repeat(32) };
  const problem = 'TRUST_ROOT_FILE: is not the certificate with the configured SHA-256';

  it('refuse the start', async () => {
    await expect(open(variables)).rejects.toMatchObject({ problems: [problem] });
  });

  it('leave onboarding off where the start is lenient, and are told', async () => {
    expect(await open(variables, true)).toMatchObject({ intake: undefined, isRefused: true, loops: [] });
    expect(told).toEqual([`onboarding stays off ${JSON.stringify({ problem })}`]);
  });

  it('are none where nothing is configured, or all is right', async () => {
    expect([onboarding.isRefused, (await open({})).isRefused]).toEqual([false, false]);
  });
});
