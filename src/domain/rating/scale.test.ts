import { describe, expect, it } from 'vitest';

import { eachDay, rateEvents, revenueOn, TODAY } from '../../../testing/fixtures/rating-events.ts';
import { letterOf, roundScore } from './scale.ts';

describe('letterOf', () => {
  it.each([
    [100, 'AAA'],
    [95, 'AAA'],
    [94, 'AA'],
    [85, 'AA'],
    [84, 'A'],
    [75, 'A'],
    [74, 'BBB'],
    [60, 'BBB'],
    [59, 'BB'],
    [45, 'BB'],
    [44, 'B'],
    [30, 'B'],
    [29, undefined],
    [0, undefined],
  ])('maps %i to %s', (score, letter) => {
    expect(letterOf(score)).toBe(letter);
  });
});

describe('roundScore', () => {
  it.each([
    [0, 0],
    [49, 0],
    [50, 1],
    [2_949, 29],
    [2_950, 30],
    [10_000, 100],
  ])('rounds %i h to %i, half up', (hundredths, score) => {
    expect(roundScore(hundredths)).toBe(score);
  });
});

describe('graduation', () => {
  const span = (days: number, events: number, lastAgo: number) => [
    ...eachDay(TODAY - lastAgo, TODAY - lastAgo + days - 2, (day) => revenueOn(day, 5_000)),
    ...Array.from({ length: events - days + 1 }, () => revenueOn(TODAY, 5_000)),
  ];

  it.each([
    ['everything is met', span(5, 10, 30), true, '10 of 10 qualifying events, 5 of 5 days and 30 of 30 days'],
    ['one event is missing', span(5, 9, 30), false, '9 of 10 qualifying events, 5 of 5 days and 30 of 30 days'],
    ['one day is missing', span(4, 10, 30), false, '10 of 10 qualifying events, 4 of 5 days and 30 of 30 days'],
    [
      'one day of the span is missing',
      span(5, 10, 29),
      false,
      '10 of 10 qualifying events, 5 of 5 days and 29 of 30 days',
    ],
    ['there are no events', [], false, '0 of 10 qualifying events, 0 of 5 days and 0 of 30 days'],
  ])('is judged correctly when %s', (_, parts, isGraduated, counts) => {
    const rating = rateEvents(parts);
    expect(rating.letter === 'Provisioned').toBe(!isGraduated);
    expect(rating.reasons.some(({ code }) => code === 'not_graduated')).toBe(!isGraduated);
    expect(rating.summary === `Provisioned: ${counts} of history.`).toBe(!isGraduated);
  });
});
