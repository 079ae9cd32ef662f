/** Tests the texts that pages make of figures. */
import { expect, it } from 'vitest';
import { describeSearch } from './texts.ts';

it.each([
  [null, 'no events searched yet; verdicts wait'],
  [1, 'events searched up to just now; verdicts on later ones wait'],
  [7_200, 'events searched up to 2 hours ago; verdicts on later ones wait'],
])('describes a search for payments of age %s', (age, text) => {
  expect(describeSearch(age)).toBe(text);
});
