/** docs/causes.md matches the causes that stop or slow an index. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CAUSES_PAGE, renderCauses } from '../docs/render-causes.ts';
import { explainCause, PLAIN_INDEX_CAUSES, type IndexCause } from '../src/domain/index-rules/index-cause.ts';
import { SUBJECT_PATTERN } from '../src/http/schemas/health.ts';

it.each(PLAIN_INDEX_CAUSES)('%s concerns a subject of the documented form', (kind) => {
  expect(explainCause({ kind }).subject).toMatch(new RegExp(SUBJECT_PATTERN));
});

it.each<IndexCause>([
  { kind: 'history-pruned' },
  { kind: 'first-index-slow', limit: 'log queries', rangeBlocks: 3, seconds: 200_000 },
  { kind: 'first-index-slow', limit: 'headers of all blocks', rangeBlocks: 0, seconds: 200_000 },
  { kind: 'alt-history-pruned' },
  { kind: 'alt-first-index-slow', seconds: 200_000 },
])('$kind says what another start takes once an index exists', (cause) => {
  expect(explainCause(cause).remedy).toMatch(
    / set (?:MAIN_START_BLOCK|ALT_FIRST_SLOT) to .*; once .*, that needs another index: .*\(docs\/operating\.md\)$/,
  );
});

it('docs/causes.md equals the output of docs/render-causes.ts', async () => {
  expect(readFileSync(CAUSES_PAGE, 'utf8')).toBe(await renderCauses());
});
