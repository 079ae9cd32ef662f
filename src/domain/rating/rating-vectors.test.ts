import { describe, expect, it } from 'vitest';

import { emptyFold, foldEvents } from './fold.ts';
import { formatFold, parseFold } from './fold-text.ts';
import { rateMachine } from './rating.ts';
import type { VectorCase } from './rating-vectors.ts';
import { readVectorCases, toVectorAnswer } from './rating-vectors.ts';
import { createSeededRandom, randomSeed } from './seeded-random.ts';

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

  it('from folds of random batches', () => {
    const seed = randomSeed();
    const random = createSeededRandom(seed);
    const ends = Array.from({ length: 6 }, () => Math.floor(random() * (count + 1))).sort((a, b) => a - b);
    expect(answerAfterSplits(vector, ends), `seed ${seed}`).toStrictEqual(vector.expected);
  });
});
