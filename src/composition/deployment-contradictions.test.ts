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

it('is refused with the remedy', async () => {
  await expect(refuseForeignRows(foreign, 'the index', start(false))).rejects.toThrow(
    /^DATABASE_URL: the database holds the index of another deployment; use an empty database, or /,
  );
});

it('is allowed where it is lenient, or the rows are its own', async () => {
  await expect(refuseForeignRows(foreign, 'the index', start(true))).resolves.toBeUndefined();
  await expect(refuseForeignRows({ claimIndex: async () => true }, 'the index', start(false))).resolves.toBeUndefined();
});
