/** Tests of the onboarding reload on SIGHUP, with real files of two certificate authorities and no chain. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openTrustFolder, type TrustFolder } from '../../devnet/chips/trust-folder.ts';
import { readConfig } from '../config.ts';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { openOnboarding, type Onboarding } from './onboarding.ts';

const NOW = 1_800_000_000;
const folder = mkdtempSync(join(tmpdir(), 'onboarding-'));
const first = openTrustFolder(join(folder, 'first'), NOW);
const second = openTrustFolder(join(folder, 'second'), NOW);
afterAll(() => rmSync(folder, { recursive: true }));

type Variables = Readonly<Record<string, string>>;

/** Every line that was logged. */
let logged: string[];
let onboarding: Onboarding;
const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
const log = { info: note, warn: note, error: note };
const ctx = createStubCtx();
const open = (variables: Variables, isLenient = false) =>
  openOnboarding({ config: read(variables).config, isLenient, store: ctx.store, log, trustedClock: ctx.trustedClock });

beforeEach(async () => {
  logged = [];
  onboarding = await open({ ONBOARDING_TOKENS: 'old', ...first.env });
});

const read = (variables: Variables) => readConfig(variables, { readFile: (path) => readFileSync(path, 'utf8') });
const reload = (variables: Variables) => onboarding.reload(read(variables));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Returns the tokens and the root in effect. */
function readCurrent() {
  const { onboardingTokens, trust } = onboarding.config!;
  const root = createHash('sha256').update(trust.root.der).digest('hex');
  return { tokens: onboardingTokens.map((token) => token.sha256), root };
}

const of = (tokens: readonly string[], { env }: TrustFolder) => ({
  tokens: tokens.map(sha256),
  root: env['TRUST_ROOT_SHA256'],
});

const OLD = of(['old'], first);

it('reloads tokens and certificates', async () => {
  expect(readCurrent()).toEqual(OLD);
  await reload({ ONBOARDING_TOKENS: 'old,new', ...second.env });
  expect(readCurrent()).toEqual(of(['old', 'new'], second));
  await reload({ ONBOARDING_TOKENS: 'new', ...second.env });
  expect(readCurrent()).toEqual(of(['new'], second));
  const message = 'onboarding tokens and trust files reloaded';
  expect(logged).toEqual([`${message} {"tokens":2}`, `${message} {"tokens":1}`]);
});

it('reloads nothing else', async () => {
  const before = { ...onboarding.config! };
  await reload({ ...first.env, ONBOARDING_TOKENS: 'old', CHALLENGE_LIFETIME_SECONDS: '60', KEEP_EVIDENCE: 'false' });
  const { challengeLifetimeSeconds, storesEvidence } = onboarding.config!;
  expect([challengeLifetimeSeconds, storesEvidence]).toEqual([before.challengeLifetimeSeconds, before.storesEvidence]);
});

const garbled = join(folder, 'garbled.pem');
writeFileSync(garbled, '-----BEGIN CERTIFICATE-----\nsecret of a key');

it.each<[name: string, variables: Variables, problem: string]>([
  [
    'a file is missing',
    { ...second.env, TRUST_ROOT_FILE: join(folder, 'none') },
    'TRUST_ROOT_FILE: cannot be read: it does not exist',
  ],
  [
    'a file is not a certificate',
    { ...second.env, TRUST_ROOT_FILE: garbled },
    'TRUST_ROOT_FILE: must be DER, or PEM with one certificate',
  ],
  [
    'a file is not the pinned one',
    { ...second.env, TRUST_INTERMEDIATE_FILE: first.env['TRUST_INTERMEDIATE_FILE']! },
    'TRUST_INTERMEDIATE_FILE: is not the certificate with the configured SHA-256',
  ],
  [
    'a token is invalid',
    { ...second.env, ONBOARDING_TOKENS: 'secret of a key' },
    'ONBOARDING_TOKENS: must be tokens of 1 to 512 visible ASCII characters, separated by commas',
  ],
  ['another variable is invalid', { ...second.env, PORT: 'secret' }, 'PORT: must be'],
  [
    'onboarding would be turned off',
    { ONBOARDING_TOKENS: '' },
    'ONBOARDING_TOKENS: onboarding can be turned on or off only by a restart',
  ],
])('keeps the previous settings when %s, and logs the variable but no value', async (_name, variables, problem) => {
  await reload({ ONBOARDING_TOKENS: 'new', ...variables });
  expect(readCurrent()).toEqual(OLD);
  expect(logged).toEqual([expect.stringContaining(`configuration not reloaded {"problem":"${problem}`)]);
  expect(logged.join()).not.toContain('secret');
  expect(logged.join()).not.toContain(folder);
});

it('keeps the newest tokens when the files of an earlier reload are read later', async () => {
  const slow = join(folder, 'slow.pem');
  expect(spawnSync('mkfifo', [slow]).status).toBe(0);
  const earlier = reload({ ...first.env, ONBOARDING_TOKENS: 'old,new', TRUST_ROOT_FILE: slow });
  await reload({ ...first.env, ONBOARDING_TOKENS: 'new' });
  writeFileSync(slow, readFileSync(first.env['TRUST_ROOT_FILE']!));
  await earlier;
  expect(readCurrent()).toEqual(of(['new'], first));
});

it('does not enable onboarding when the service started without it', async () => {
  const none = await open({});
  await none.reload(read({ ONBOARDING_TOKENS: 'new', ...first.env }));
  expect(none.config).toBeUndefined();
});

describe('files that are not the pinned certificates', () => {
  const variables = { ONBOARDING_TOKENS: 'old', ...first.env, TRUST_ROOT_SHA256: '00'.repeat(32) };
  const problem = 'TRUST_ROOT_FILE: is not the certificate with the configured SHA-256';

  it('refuse the start', async () => {
    await expect(open(variables)).rejects.toMatchObject({ problems: [problem] });
  });

  it('leave onboarding off at a lenient start, and are logged', async () => {
    expect(await open(variables, true)).toMatchObject({ config: undefined, isRefused: true, loops: [] });
    expect(logged).toEqual([`onboarding is disabled ${JSON.stringify({ problem })}`]);
  });

  it('are not reported when nothing is configured or all is valid', async () => {
    expect([onboarding.isRefused, (await open({})).isRefused]).toEqual([false, false]);
  });
});
