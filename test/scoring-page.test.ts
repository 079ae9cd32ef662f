/** The page about the rating is the one that the code renders. */
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { renderScoring, SCORING_PAGE } from '../docs/render-scoring.ts';

it('docs/scoring.md is what docs/render-scoring.ts renders', async () => {
  expect(readFileSync(SCORING_PAGE, 'utf8')).toBe(await renderScoring());
});

it('tells the ceilings of the specification', async () => {
  const page = await renderScoring();
  expect(page).toContain('never above 58.50 points, BB ');
  expect(page).toContain('activity alone never passes 72.50, BBB ');
  expect(page).toContain('at most 2.31 points');
});
