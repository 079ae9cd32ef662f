import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { PROPERTY_RUNS } from '../../../../testing/arbitraries/property-runs.ts';
import { eventHistory, factsAt, tableThrough } from '../../../../testing/arbitraries/rating-arbitraries.ts';
import { noonOf, PLAIN_FACTS, TODAY } from '../../../../testing/fixtures/rating-events.ts';
import { readVectorCases, toVectorResult } from '../../../../testing/fixtures/rating-vectors.ts';
import { convertAmount } from '../amount.ts';
import { classifyEvent } from '../event-class.ts';
import { eventDay, type RatingEvent } from '../event.ts';
import type { RateTable } from '../rate-table.ts';
import { decodeRatingState, encodeRatingState } from '../rating-state-codec.ts';
import { emptyRatingState, foldEvents } from '../rating-state.ts';
import { rateMachine } from '../rating.ts';
import { dayOf } from '../utc-day.ts';
import { applyPaidMoves, paidWeight, type PaidMove } from './paid-moves.ts';

const NOW = noonOf(TODAY);

/** Folds an event before its verdict is made. */
const undecided = (event: RatingEvent): RatingEvent => ({ ...event, paidCents: 0 });

/** Returns the moves of the verdicts on events, one each. */
function movesOf(events: readonly RatingEvent[], rates: RateTable): PaidMove[] {
  let changedHandsSeq = 0;
  for (const { seq, changedHandsBefore } of events) if (changedHandsBefore !== undefined) changedHandsSeq = Number(seq);
  return events.flatMap((event) => {
    const amount = convertAmount(event, rates);
    const isBefore = Number(event.seq) < changedHandsSeq;
    if (amount.status !== 'ok' || classifyEvent(event, rates, isBefore).evidence !== 'paid') return [];
    const cents = Math.min(amount.cents, event.paidCents);
    const days = { blockDay: dayOf(event.blockTimestamp), day: eventDay(event) };
    return [{ ...days, cents, weight: paidWeight(cents), endedAt: undefined }];
  });
}

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

  it(`give the same rating in any order, after any batch (property 2, seed ${PROPERTY_RUNS.seed})`, () => {
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

  it('change nothing for a day that the state has dropped', () => {
    const state = emptyRatingState();
    const move = { blockDay: 10, day: 10, cents: 1_000, weight: 1_000, endedAt: undefined };
    expect(applyPaidMoves(state, [move])).toEqual(state);
  });
});
