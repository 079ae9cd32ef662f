/** docs/failure-modes.md matches the table that the tests assert. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FAILURE_MODES_PAGE, renderFailureModes } from '../docs/render-failure-modes.ts';

it('docs/failure-modes.md equals the output of docs/render-failure-modes.ts', async () => {
  expect(readFileSync(FAILURE_MODES_PAGE, 'utf8')).toBe(await renderFailureModes());
});
