/** docs/causes.md matches the causes that stop or slow an index. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CAUSES_PAGE, renderCauses } from '../docs/render-causes.ts';

it('docs/causes.md equals the output of docs/render-causes.ts', async () => {
  expect(readFileSync(CAUSES_PAGE, 'utf8')).toBe(await renderCauses());
});
