/** The index of the documents names all of them, and every link between documents resolves. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rule } from './conformance/rule.ts';
import { toAnchor } from '../docs/render-decisions.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs');
const INDEX = 'README.md';
const pages = globSync('*.md', { cwd: FOLDER }).toSorted();
const decisionPages = globSync('decisions/*.md', { cwd: FOLDER }).toSorted();

/** Entry pages outside of the folder. */
const OTHER_PAGES = ['../README.md', '../SECURITY.md', '../CONTRIBUTING.md', '../client/README.md'];

/** Returns the targets of links within the repository, without fragments. */
function listLinks(page: string): string[] {
  const text = readFileSync(join(FOLDER, page), 'utf8').replaceAll(/```[^]+?```|`[^`]*`/g, '');
  return [...text.matchAll(/\]\(([^)#\s]+)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^https?:/.test(target));
}

/** Returns the targets of links to a heading within the repository. */
function listFragments(page: string): { readonly path: string; readonly anchor: string }[] {
  const text = readFileSync(join(FOLDER, page), 'utf8').replaceAll(/```[^]+?```|`[^`]*`/g, '');
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(([, target, anchor]) => ({
    path: target === '' ? page : join(dirname(page), target!),
    anchor: anchor!,
  }));
}

function listAnchors(page: string): string[] {
  const headings = readFileSync(join(FOLDER, page), 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title]) => toAnchor(title!.replaceAll(/[[\]`]|\(.*\)/g, '')));
}

it('names every document once', () => {
  rule('documents.index');
  const named = listLinks(INDEX).filter((target) => !target.startsWith('..'));
  expect(named.toSorted()).toEqual(pages.filter((page) => page !== INDEX));
});

describe.each([...pages, ...decisionPages, ...OTHER_PAGES])('the page %s', (page) => {
  it('links to existing files', () => {
    const missing = listLinks(page).filter((target) => !existsSync(join(dirname(join(FOLDER, page)), target)));
    expect(missing).toEqual([]);
  });

  it('links to existing headings', () => {
    const missing = listFragments(page).filter(({ path, anchor }) => !listAnchors(path).includes(anchor));
    expect(missing).toEqual([]);
  });
});
