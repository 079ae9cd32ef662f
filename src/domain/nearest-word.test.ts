/** Suggestions for mistyped words: what is close, and which of several is the closest. */
import { expect, it } from 'vitest';
import { findNearestWord } from './nearest-word.ts';

const KNOWN = ['machine', 'replay', 'fleet', 'mcp', 'PORT_A', 'PORT_B'];

it.each([
  ['machine', 'machine'],
  ['machin', 'machine'],
  ['mmachine', 'machine'],
  ['nachinr', 'machine'],
  ['machi', 'machine'],
  ['feelt', 'fleet'],
  ['\u{1F600}eplay', 'replay'],
  ['cp', 'mcp'],
  ['PORT_C', 'PORT_A'],
  ['PORT_BB', 'PORT_B'],
])('suggests for %s the word %s', (typed, word) => {
  expect(findNearestWord(typed, KNOWN)).toBe(word);
});

it.each(['', 'mahi', 'machinery-x', 'nachirr', 'xyz', 'MACHINE'])('suggests nothing for %j', (typed) => {
  expect(findNearestWord(typed, KNOWN)).toBeUndefined();
});

it('suggests no word of which every letter is mistyped', () => {
  expect(findNearestWord('xy', ['ab'])).toBeUndefined();
  expect(findNearestWord('ax', ['ab'])).toBe('ab');
});
