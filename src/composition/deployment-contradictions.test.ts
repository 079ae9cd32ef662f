/** Tests of a start in front of another deployment, and on a database with the rows of another one. */
import { describe, expect, it } from 'vitest';
import { createRecordingLog } from '../../testing/fakes/recording-log.ts';
import type { DeploymentProblem } from '../adapters/rpc/deployment-problem.ts';
import { refuseContradictions, refuseForeignRows } from './deployment-contradictions.ts';
import type { ServiceStart } from './startup.ts';

const start = (isLenient: boolean) => ({ isLenient }) as ServiceStart;
const foreign = { claimIndex: async () => false };

describe('a start', () => {
  const open = (kind: 'unreadable-account' | 'undecodable-singleton' | 'missing-account', isLenient = false) => {
    const log = createRecordingLog();
    const problem: DeploymentProblem = { kind, variable: 'ALT_STATE_AND_SYNC_PROGRAM' };
    const started = refuseContradictions({ checkDeployment: async () => [problem] }, {
      isLenient,
      log,
    } as unknown as ServiceStart);
    return { started, log };
  };

  it.each(['undecodable-singleton', 'missing-account'] as const)('is refused for %s', async (kind) => {
    await expect(open(kind).started).rejects.toThrow(/^ALT_STATE_AND_SYNC_PROGRAM: /);
    await expect(open(kind, true).started).resolves.toBeUndefined();
  });

  it('is not refused for an account that cannot be read, which is logged', async () => {
    const { started, log } = open('unreadable-account');
    await expect(started).resolves.toBeUndefined();
    expect(log.lines).toMatchObject([{ level: 'warn' }]);
  });
});

it.each([
  ['other-deployment', 'the index', 'the chain id, the contracts and MAIN_START_BLOCK'],
  [
    'alt-index-other-deployment',
    'the alt-chain index',
    'ALT_GENESIS_HASH, ALT_EVENT_REGISTRY_PROGRAM and ALT_FIRST_SLOT',
  ],
] as const)('is refused for %s with the settings that differ', async (kind, index, settings) => {
  await expect(refuseForeignRows(foreign, kind, start(false))).rejects.toThrow(
    `DATABASE_URL: the database holds ${index} of another deployment; set ${settings} with which it was filled, or use an empty database`,
  );
});

it('is allowed where it is lenient, or the rows are its own', async () => {
  await expect(refuseForeignRows(foreign, 'other-deployment', start(true))).resolves.toBeUndefined();
  const own = { claimIndex: async () => true };
  await expect(refuseForeignRows(own, 'other-deployment', start(false))).resolves.toBeUndefined();
});
