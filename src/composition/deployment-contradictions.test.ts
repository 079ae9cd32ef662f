/** Tests of a start on a database with the rows of another deployment. */
import { expect, it } from 'vitest';
import { refuseForeignRows } from './deployment-contradictions.ts';
import type { ServiceStart } from './startup.ts';

const start = (isLenient: boolean) => ({ isLenient }) as ServiceStart;
const foreign = { claimIndex: async () => false };

it('is refused with the remedy', async () => {
  await expect(refuseForeignRows(foreign, 'the index', start(false))).rejects.toThrow(
    /^DATABASE_URL: the database holds the index of another deployment; use an empty database, or /,
  );
});

it('is allowed where it is lenient, or the rows are its own', async () => {
  await expect(refuseForeignRows(foreign, 'the index', start(true))).resolves.toBeUndefined();
  await expect(refuseForeignRows({ claimIndex: async () => true }, 'the index', start(false))).resolves.toBeUndefined();
});
