/**
 * Property 1 of design/scoring.md: the served model and the independent model of `svc replay` return the same rating for generated machines.
 *
 *     FC_RUNS=20000 npx vitest run --project unit test/rating-models.test.ts
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { rateRawEvents } from '../cli/replay/model/model.ts';
import type { ModelInput } from '../cli/replay/model/model-input.ts';
import { movesOf, undecided } from '../testing/fixtures/late-verdicts.ts';
import { PLAIN_FACTS, noonOf, TODAY } from '../testing/fixtures/rating-events.ts';
import type { RatingEvent } from '../src/domain/rating/event.ts';
import { decodeRatingState, encodeRatingState } from '../src/domain/rating/rating-state-codec.ts';
import { emptyRatingState, foldEvents } from '../src/domain/rating/rating-state.ts';
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MILLISECONDS, SEED_TITLE } from '../testing/arbitraries/property-runs.ts';
import type { RateTable } from '../src/domain/rating/rate-table.ts';
import { factsAt, eventHistory, tableGrowth, tableThrough } from '../testing/arbitraries/rating-arbitraries.ts';
import { toVectorResult } from '../testing/fixtures/rating-vectors.ts';
import { rateMachine, type RatingInput } from '../src/domain/rating/rating.ts';
import { formatDay } from '../src/domain/rating/utc-day.ts';

const NOW = noonOf(TODAY);
const DAY_SECONDS = 86_400;

/** Rate tables: complete, three days old, long outdated, and each without a feed. */
const TABLES = [tableThrough(TODAY), tableThrough(TODAY - 3), tableThrough(TODAY - 100)].flatMap((table) =>
  [true, false].map((feed) => ({ ...table, feed })),
);

function toReplayTable(table: RateTable): ModelInput['rates'] {
  const tokens = [...table.tokens];
  return {
    feed: table.feed,
    through: formatDay(table.throughDay),
    tokens: Object.fromEntries(tokens.map(([symbol, { decimals }]) => [symbol, decimals])),
    fixed: Object.fromEntries(
      tokens.flatMap(([symbol, { fixedRate }]) => (fixedRate === undefined ? [] : [[symbol, String(fixedRate)]])),
    ),
    rates: Object.fromEntries(
      [...table.series].map(([currency, { days, rates }]) => [
        currency,
        days.map((day, index) => [formatDay(day), String(rates[index])] as const),
      ]),
    ),
  };
}

function toReplayEvent({ changedHandsBefore: _, ...event }: RatingEvent): ModelInput['events'][number] {
  return {
    ...event,
    paidCents: BigInt(event.paidCents),
    seq: BigInt(event.seq),
    type: BigInt(event.type),
    trust: BigInt(event.trust),
    blockTimestamp: BigInt(event.blockTimestamp),
  };
}

type Facts = Pick<RatingInput, 'bondStatus' | 'negativeFlagAt' | 'trustOverride' | 'operatorVerified'>;

/** Rates raw events with the model of `svc replay`, in chain order with the verdicts known. */
function replay(
  events: readonly RatingEvent[],
  facts: Facts,
  rates: ModelInput['rates'],
  now: number,
  changedHandsAfter?: number,
) {
  const hands = events.filter(({ changedHandsBefore }) => changedHandsBefore !== undefined).map(({ seq }) => seq);
  return rateRawEvents({
    events: events.map(toReplayEvent),
    hands: [...hands, ...(changedHandsAfter === undefined ? [] : [events.length])].map(BigInt),
    operatorVerified: facts.operatorVerified,
    priorEvents: 0n,
    subscription: facts.bondStatus === 'bonded' ? 'Active' : 'Runoff',
    negativeFlagAt: facts.negativeFlagAt,
    trustOverride: facts.trustOverride === undefined ? null : BigInt(facts.trustOverride),
    ratingUnavailable: null,
    now: BigInt(now),
    rates,
  });
}

describe(`both models (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  it('property 1: return the same rating of raw events from scratch, in two code paths', () => {
    const tables = TABLES.map((rates) => ({ rates, replayRates: toReplayTable(rates) }));
    const clock = fc.oneof(fc.constant(NOW), fc.integer({ min: NOW - 50 * DAY_SECONDS, max: NOW + 200 * DAY_SECONDS }));
    const property = fc.property(
      eventHistory,
      factsAt(NOW),
      fc.constantFrom(...tables),
      clock,
      (events, facts, { rates, replayRates }, now) => {
        const served = rateMachine({ ...PLAIN_FACTS, ...facts, rates, state: emptyRatingState(), tail: events, now });
        expect(toVectorResult(served)).toStrictEqual(replay(events, facts, replayRates, now));
      },
    );
    fc.assert(property, PROPERTY_RUNS);
  });

  it('property 1: return the same rating of a state that was stored after any batch and got its verdicts later', () => {
    const rates = tableThrough(TODAY);
    const replayRates = toReplayTable(rates);
    const tables = new Map<number, RateTable>();
    function tableOf(day: number): RateTable {
      const table = tables.get(day) ?? tableThrough(day);
      tables.set(day, table);
      return table;
    }
    const later = fc.nat(200 * DAY_SECONDS);
    const isSold = fc.boolean();
    const cuts = fc.array(fc.nat(1_000), { maxLength: 6 });
    const property = fc.property(
      ...[eventHistory, factsAt(NOW), tableGrowth, cuts, later, isSold],
      (events, facts, days, ends, afterNow, isSoldAfter) => {
        let state = emptyRatingState();
        for (const [step, end] of ends.toSorted((a, b) => a - b).entries()) {
          const batch = events.slice(state.nextSeq, Math.floor((events.length * end) / 1_000)).map(undecided);
          const known = tableOf(days[step] ?? TODAY);
          state = decodeRatingState(encodeRatingState(foldEvents(state, batch, known).state));
        }
        const tail = events.slice(state.nextSeq).map(undecided);
        const paidMoves = movesOf(events, rates).reverse();
        const now = NOW + afterNow;
        const changedHandsAfter = isSoldAfter && events.length > 0 ? now : undefined;
        const input = { ...PLAIN_FACTS, ...facts, rates, state, tail, paidMoves, changedHandsAfter, now };
        expect(toVectorResult(rateMachine(input))).toStrictEqual(
          replay(events, facts, replayRates, now, changedHandsAfter),
        );
      },
    );
    fc.assert(property, PROPERTY_RUNS);
  });
});
