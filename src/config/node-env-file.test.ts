import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeEnvFileVariables } from './node-env-file.ts';

const scratch = mkdtempSync(join(tmpdir(), 'svc-env-'));
const file = join(scratch, 'env');
writeFileSync(file, 'ONBOARDING_TOKENS=of-the-file\nexport PORT="1"  # ours\nHOST=file\n');
afterAll(() => rmSync(scratch, { recursive: true }));

const left = (args: readonly string[]) => {
  const env = { ONBOARDING_TOKENS: 'of-the-file', PORT: '1', HOST: 'environment', PATH: '/bin' };
  removeEnvFileVariables(args, env);
  return env;
};

describe('removing the variables of env files restores the environment from before Node loaded them', () => {
  it.each([[['serve', '--env-file', file]], [['serve', `--env-file=${file}`, '--json']]])(
    'for the arguments %j',
    (args) => {
      expect(left(args)).toEqual({ HOST: 'environment', PATH: '/bin' });
    },
  );
});

describe('nothing is removed', () => {
  it.each([[['serve']], [['serve', '--env-file']], [['serve', '--env-file', join(scratch, 'none')]]])(
    'for the arguments %j',
    (args) => {
      expect(Object.keys(left(args))).toEqual(['ONBOARDING_TOKENS', 'PORT', 'HOST', 'PATH']);
    },
  );
});
