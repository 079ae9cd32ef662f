import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { PROPERTY_RUNS } from '../../../../testing/arbitraries/property-runs.ts';
import { eventHistory, factsAt, tableThrough } from '../../../../testing/arbitraries/rating-arbitraries.ts';
import { movesOf, undecided } from '../../../../testing/fixtures/late-verdicts.ts';
import { noonOf, PLAIN_FACTS, TODAY } from '../../../../testing/fixtures/rating-events.ts';
import { readVectorCases, toVectorResult } from '../../../../testing/fixtures/rating-vectors.ts';
import { decodeRatingState, encodeRatingState } from '../rating-state-codec.ts';
import { emptyRatingState, foldEvents } from '../rating-state.ts';
import { rateMachine } from '../rating.ts';
import { applyPaidMoves } from './paid-moves.ts';

const NOW = noonOf(TODAY);

describe('moves of verdicts', () => {
  it.each(readVectorCases())(
    'rate the case as if the verdicts had been known: $name',
    ({ events, facts, expected }) => {
      const { state } = foldEvents(emptyRatingState(), events.map(undecided), facts.rates);
      const tail = events.slice(state.nextSeq).map(undecided);
      const paidMoves = movesOf(events, facts.rates).reverse();
      expect(toVectorResult(rateMachine({ ...facts, state, tail, paidMoves }))).toStrictEqual(expected);
    },
  );

  it(`property 2: give the same rating when they are applied late, in any order, after any batch (seed ${PROPERTY_RUNS.seed})`, () => {
    const rates = tableThrough(TODAY);
    const cuts = fc.array(fc.nat(1_000), { maxLength: 4 });
    fc.assert(
      fc.property(eventHistory, factsAt(NOW), cuts, fc.infiniteStream(fc.nat()), (events, known, ends, keys) => {
        let state = emptyRatingState();
        for (const end of [...ends].sort((a, b) => a - b)) {
          const batch = events.slice(state.nextSeq, Math.floor((events.length * end) / 1_000));
          state = decodeRatingState(encodeRatingState(foldEvents(state, batch.map(undecided), rates).state));
        }
        const tail = events.slice(state.nextSeq).map(undecided);
        const keyed = movesOf(events, rates).map((move) => ({ move, key: keys.next().value as number }));
        const paidMoves = keyed.sort((a, b) => a.key - b.key).map(({ move }) => move);
        const facts = { ...PLAIN_FACTS, ...known, rates, now: NOW };
        const late = rateMachine({ ...facts, state, tail, paidMoves });
        const early = rateMachine({ ...facts, state: emptyRatingState(), tail: events });
        expect(late).toStrictEqual(early);
      }),
      PROPERTY_RUNS,
    );
  });

  it(`property 5: lower no factor and not the score when one more arrives (seed ${PROPERTY_RUNS.seed})`, () => {
    const rates = tableThrough(TODAY);
    fc.assert(
      fc.property(eventHistory, factsAt(NOW), fc.nat(), (events, known, pick) => {
        const paidMoves = movesOf(events, rates);
        fc.pre(paidMoves.length > 0);
        const { state } = foldEvents(emptyRatingState(), events.map(undecided), rates);
        const facts = { ...PLAIN_FACTS, ...known, rates, now: NOW, state, tail: [] };
        const after = rateMachine({ ...facts, paidMoves });
        const before = rateMachine({ ...facts, paidMoves: paidMoves.toSpliced(pick % paidMoves.length, 1) });
        for (const [index, { name, pointsHundredths }] of before.factors.entries()) {
          expect(after.factors[index]!.pointsHundredths, name).toBeGreaterThanOrEqual(pointsHundredths);
        }
        expect(after.totalHundredths).toBeGreaterThanOrEqual(before.totalHundredths!);
        expect(after.score).toBeGreaterThanOrEqual(before.score);
      }),
      PROPERTY_RUNS,
    );
  });

  it('change nothing for a day that the state has dropped', () => {
    const state = emptyRatingState();
    const move = { blockDay: 10, day: 10, cents: 1_000, weight: 1_000, endedAt: undefined };
    expect(applyPaidMoves(state, [move])).toEqual(state);
  });
});
