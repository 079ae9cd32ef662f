/** docs/causes.md matches the causes that stop or slow an index. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CAUSES_PAGE, renderCauses } from '../docs/render-causes.ts';
import { explainCause, PLAIN_INDEX_CAUSES } from '../src/domain/index-rules/index-cause.ts';
import { SUBJECT_PATTERN } from '../src/http/schemas/health.ts';

it.each(PLAIN_INDEX_CAUSES)('%s concerns a subject of the documented form', (kind) => {
  expect(explainCause({ kind }).subject).toMatch(new RegExp(SUBJECT_PATTERN));
});

it('docs/causes.md equals the output of docs/render-causes.ts', async () => {
  expect(readFileSync(CAUSES_PAGE, 'utf8')).toBe(await renderCauses());
});
