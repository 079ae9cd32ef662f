/** Does the index of the documents lead to all of them, and do their links lead somewhere? */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rule } from './conformance/rule.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs');
const INDEX = 'README.md';
const pages = globSync('*.md', { cwd: FOLDER }).toSorted();

/** What a stranger opens first, outside of the folder. */
const OTHER_PAGES = ['../README.md', '../SECURITY.md', '../CONTRIBUTING.md', '../client/README.md'];

/** Targets of links within the repository, without what comes after #. */
function listLinks(page: string): string[] {
  const text = readFileSync(join(FOLDER, page), 'utf8').replaceAll(/```[^]+?```|`[^`]*`/g, '');
  return [...text.matchAll(/\]\(([^)#\s]+)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^https?:/.test(target));
}

it('names every document once', () => {
  rule('documents.index');
  const named = listLinks(INDEX).filter((target) => !target.startsWith('..'));
  expect(named.toSorted()).toEqual(pages.filter((page) => page !== INDEX));
});

describe.each([...pages, ...OTHER_PAGES])('%s', (page) => {
  it('links to what is there', () => {
    const missing = listLinks(page).filter((target) => !existsSync(join(dirname(join(FOLDER, page)), target)));
    expect(missing).toEqual([]);
  });
});
