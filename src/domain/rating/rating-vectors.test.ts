import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { emptyFold, foldEvents } from './fold.ts';
import { formatFold, parseFold } from './fold-text.ts';
import { rateMachine } from './rating.ts';
import { PROPERTY_RUNS } from './property-runs.ts';
import type { VectorCase } from './rating-vectors.ts';
import { readVectorCases, toVectorAnswer } from './rating-vectors.ts';

/** Per case: the largest has 9,624 events. */
const RANDOM_SPLITS = 3;

const cases = readVectorCases();

/** Folds in batches that end at the given positions, through the stored text after each, and rates the rest as the tail. */
function answerAfterSplits({ events, facts }: VectorCase, ends: readonly number[]): unknown {
  let fold = emptyFold();
  for (const end of ends) {
    fold = parseFold(formatFold(foldEvents(fold, events.slice(fold.nextSeq, end), facts.rates).fold));
  }
  return toVectorAnswer(rateMachine({ ...facts, fold, tail: events.slice(fold.nextSeq) }));
}

it('holds all 97 published cases', () => {
  expect(cases).toHaveLength(97);
});

describe.each(cases)('$name', (vector) => {
  const count = vector.events.length;

  it('from raw events', () => {
    expect(answerAfterSplits(vector, [])).toStrictEqual(vector.expected);
  });

  it('from a fold of everything', () => {
    expect(answerAfterSplits(vector, [count])).toStrictEqual(vector.expected);
  });

  it('from a fold of all but the last event', () => {
    expect(answerAfterSplits(vector, [Math.max(0, count - 1)])).toStrictEqual(vector.expected);
  });

  it('from a fold of halves and a tail', () => {
    expect(answerAfterSplits(vector, [count >> 1, (3 * count) >> 2])).toStrictEqual(vector.expected);
  });

  it(`from folds of random batches (seed ${PROPERTY_RUNS.seed})`, () => {
    const ends = fc.array(fc.nat(count), { maxLength: 6 }).map((positions) => positions.sort((a, b) => a - b));
    const isEqual = fc.property(ends, (positions) => {
      expect(answerAfterSplits(vector, positions)).toStrictEqual(vector.expected);
    });
    fc.assert(isEqual, { seed: PROPERTY_RUNS.seed, numRuns: RANDOM_SPLITS });
  });
});
