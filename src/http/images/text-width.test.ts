import { describe, expect, test } from 'vitest';
import { fitLine, fitLines } from './text-width.ts';

describe('fitLine', () => {
  test.each([
    ['short', 'Machine #42', 'Machine #42'],
    ['too wide', 'Machine of a very long name', 'Machine of…'],
    ['cut before a word', 'Machine ofa name', 'Machine of…'],
    ['of what has no known width', '\u{1f600}'.repeat(9), `${'\u{1f600}'.repeat(5)}…`],
    ['empty', '', ''],
  ])('fits a text that is %s', (_, text, shown) => {
    expect(fitLine(text, 10, 75, 'bold')).toBe(shown);
  });
});

describe('fitLines', () => {
  test.each([
    ['one word', 'rated', ['rated']],
    ['as many as are needed', 'most is lost to short tenure', ['most is lost', 'to short', 'tenure']],
    ['more than there may be', 'most is lost to short tenure and trend', ['most is lost', 'to short', 'tenure an…']],
    ['a word that is too wide', 'x'.repeat(40), [`${'x'.repeat(9)}…`]],
  ])('breaks %s', (_, text, lines) => {
    expect(fitLines(text, 10, 70, 3)).toEqual(lines);
  });
});
