/** docs/scoring.md matches the rating code. */
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { METHODOLOGY_MODULE, renderMethodology, renderScoring, SCORING_PAGE } from '../docs/render-scoring.ts';

it('docs/scoring.md equals the output of docs/render-scoring.ts', async () => {
  expect(readFileSync(SCORING_PAGE, 'utf8')).toBe(await renderScoring());
});

it('the text for language models equals the page', async () => {
  expect(readFileSync(METHODOLOGY_MODULE, 'utf8')).toBe(await renderMethodology());
});

it('states the ceilings of the specification', async () => {
  const page = await renderScoring();
  expect(page).toContain('never above 58.50 points, BB ');
  expect(page).toContain('activity alone never passes 72.50, BBB ');
  expect(page).toContain('at most 2.31 points');
});
