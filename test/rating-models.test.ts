/**
 * Property 1 of design/scoring.md: the served model and the independent model of `svc replay` return the same rating for generated machines.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { rateRawEvents } from '../cli/replay/model.ts';
import type { ModelInput } from '../cli/replay/model.ts';
import { PLAIN_FACTS, noonOf, TODAY } from '../testing/fixtures/rating-events.ts';
import type { RatingEvent } from '../src/domain/rating/event.ts';
import { emptyRatingState } from '../src/domain/rating/rating-state.ts';
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MILLISECONDS, SEED_TITLE } from '../testing/arbitraries/property-runs.ts';
import type { RateTable } from '../src/domain/rating/rate-table.ts';
import { factsAt, eventHistory, tableThrough } from '../testing/arbitraries/rating-arbitraries.ts';
import { toVectorResult } from '../testing/fixtures/rating-vectors.ts';
import { rateMachine } from '../src/domain/rating/rating.ts';
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

it(`both models return the same rating (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  const tables = TABLES.map((rates) => ({ rates, replayRates: toReplayTable(rates) }));
  const clock = fc.oneof(fc.constant(NOW), fc.integer({ min: NOW - 50 * DAY_SECONDS, max: NOW + 200 * DAY_SECONDS }));
  const property = fc.property(
    eventHistory,
    factsAt(NOW),
    fc.constantFrom(...tables),
    clock,
    (events, facts, table, now) => {
      const { rates, replayRates } = table;
      const served = rateMachine({ ...PLAIN_FACTS, ...facts, rates, state: emptyRatingState(), tail: events, now });
      const replayed = rateRawEvents({
        events: events.map(toReplayEvent),
        hands: events
          .filter(({ changedHandsBefore }) => changedHandsBefore !== undefined)
          .map(({ seq }) => BigInt(seq)),
        operatorVerified: facts.operatorVerified,
        priorEvents: 0n,
        subscription: facts.bondStatus === 'bonded' ? 'Active' : 'Runoff',
        negativeFlagAt: facts.negativeFlagAt,
        trustOverride: facts.trustOverride === undefined ? null : BigInt(facts.trustOverride),
        ratingUnavailable: null,
        now: BigInt(now),
        rates: replayRates,
      });
      expect(toVectorResult(served)).toStrictEqual(replayed);
    },
  );
  fc.assert(property, PROPERTY_RUNS);
});
