/** The page about bad days is the one that the tests' own table renders. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BAD_DAYS_PAGE, renderBadDays } from '../docs/render-bad-days.ts';

it('docs/bad-days.md is what docs/render-bad-days.ts renders', async () => {
  expect(readFileSync(BAD_DAYS_PAGE, 'utf8')).toBe(await renderBadDays());
});
