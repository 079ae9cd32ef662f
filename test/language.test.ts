/** Enforces the word list of the repository in code, comments, titles, texts and documents, and proves that a listed word is reported. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findListedWords } from './language/listed-words.ts';

const ROOT = join(import.meta.dirname, '..');
const WRITTEN = /\.(?:ts|tsx|js|md|sol|c|css|html|sh|ya?ml|json|tpl|conf|service)$|Dockerfile$|^\.ci\/run$/;
/** Folders that no commit holds. */
const GENERATED = new Set(['node_modules', '.git', '.devnet', 'dist', 'data', 'coverage']);
/** Published vectors, generated files, and the list itself. */
const EXCEPTED = /^test\/vectors\/|^test\/language|package-lock\.json$|^contracts\/artifacts\.json$|^LICENSE$/;

it('finds no listed word in the repository', () => {
  const files = globSync(['**/*', '.ci/*'], { cwd: ROOT, exclude: (path) => GENERATED.has(path) }).filter(
    (path) => WRITTEN.test(path) && !EXCEPTED.test(path),
  );
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((path) =>
    findListedWords(readFileSync(join(ROOT, path), 'utf8')).map((word) => `${path}:${word}`),
  );
  expect(found).toEqual([]);
});

describe('a listed word is reported', () => {
  it.each([
    ['in a comment', '/** Nobody waits. */', ['1: Nobody']],
    ['in a title', "it('is told once', …)", ['1: told']],
    ['across lines of a comment', ' * What stands\n * for it.', ['1: stands for']],
    ['with words between', 'as many of them as may be', ['1: as many of them as may be']],
    ['on its line', 'a\n\n  // It goes\n  // on anew', ['3: goes on', '4: anew']],
  ])('%s', (_, text, expected) => {
    expect(findListedWords(text)).toEqual(expected);
  });

  it('but not inside another word', () => {
    expect(findListedWords('untold, teller, delays, relay, layout')).toEqual([]);
  });
});
