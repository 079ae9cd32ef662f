/** The decisions in docs/decisions have one form, and docs/decisions.md links to every one of them. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DECISION_GROUPS, DECISIONS_PAGE, readDecisions, renderDecisions, toAnchor } from '../docs/render-decisions.ts';

const PARTS = ['Context', 'Decision', 'Consequences', 'Revisit when'];
const groups = DECISION_GROUPS.map((group) => ({ group, ...readDecisions(group) }));

/** Names of the parts in order, each with its text. */
function readParts(body: string): readonly (readonly [name: string, text: string])[] {
  return body
    .split(/^(?=\*\*)/m)
    .map((part) => /^\*\*([^*]+)\.\*\*([^]*)$/.exec(part))
    .map((match) => [match?.[1] ?? 'no name', match?.[2]?.trim() ?? ''] as const);
}

/** Returns the defects of a decision's form. */
function findProblems(body: string): string[] {
  const parts = readParts(body);
  const names = parts.map(([name]) => name).join(', ');
  if (names !== PARTS.join(', ')) return [`parts: ${names}`];
  return parts.filter(([, text]) => !/\w.*\.$/s.test(text)).map(([name]) => `empty: ${name}`);
}

it('docs/decisions.md equals the output of docs/render-decisions.ts', async () => {
  expect(readFileSync(DECISIONS_PAGE, 'utf8')).toBe(await renderDecisions());
});

it('lists every page of docs/decisions', () => {
  const pages = globSync('*.md', { cwd: new URL('decisions', DECISIONS_PAGE).pathname });
  expect(pages.toSorted()).toEqual(DECISION_GROUPS.map((group) => `${group}.md`).toSorted());
});

it('gives every decision an anchor that no other decision has', () => {
  const anchors = groups.flatMap(({ decisions }) => decisions.map(({ anchor }) => anchor));
  expect(anchors.length).toBeGreaterThan(200);
  expect(anchors.filter((anchor, at) => anchor === '' || anchors.indexOf(anchor) !== at)).toEqual([]);
});

describe.each(groups)('the page $title', ({ decisions }) => {
  it('states context, decision, consequences and when to revisit for each decision', () => {
    const problems = decisions.flatMap(({ title, body }) =>
      findProblems(body).map((problem) => `${title}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });
});

it('detects a missing, a repeated and an empty part', () => {
  const write = (...parts: readonly string[]) => parts.map((name) => `**${name}.** Text.`).join('\n\n');
  expect(findProblems(write(...PARTS))).toEqual([]);
  expect(findProblems(write('Context', 'Decision', 'Revisit when'))).toEqual([
    'parts: Context, Decision, Revisit when',
  ]);
  expect(findProblems(write(...PARTS, 'Context'))).toEqual([`parts: ${PARTS.join(', ')}, Context`]);
  expect(findProblems(write(...PARTS).replace('**Decision.** Text.', '**Decision.**'))).toEqual(['empty: Decision']);
  expect(findProblems('Some text.')).toEqual(['parts: no name']);
});

it('derives anchors as GitHub does', () => {
  expect(toAnchor('getEvents reverts at offset == count, and `last_updated`')).toBe(
    'getevents-reverts-at-offset--count-and-last_updated',
  );
});
