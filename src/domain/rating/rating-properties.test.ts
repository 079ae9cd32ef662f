/** Properties 2 to 8 of design/scoring.md. `bench/rating` measures the last one, discrimination. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ACTIVITY_TYPE, MAX_TOTAL_HUNDREDTHS, SCALE, WINDOW_DAYS } from './constants.ts';
import { judgeDormancy } from './dormancy.ts';
import { inChainOrder, noonOf, PLAIN_FACTS, TODAY, type EventParts } from '../../../testing/fixtures/rating-events.ts';
import type { RatingEvent } from './event.ts';
import { emptyRatingState, foldEvents, previewFold } from './rating-state.ts';
import { encodeRatingState, decodeRatingState } from './rating-state-codec.ts';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import {
  factsAt,
  tableGrowth,
  eventHistory,
  soundEventAt,
  tableThrough,
  nonQualifyingEventAt,
  withChangesOfHands,
} from '../../../testing/arbitraries/rating-arbitraries.ts';
import type { Rating, RatingInput } from './rating.ts';
import { rateMachine } from './rating.ts';
import { letterOf, roundScore } from './scale.ts';
import { judgeTrust } from './trust-factor.ts';

const NOW = noonOf(TODAY);
const COMPLETE = tableThrough(TODAY);
const facts = factsAt(NOW);
const MAX_STATE_BYTES = 32 * 1024;

function rate(events: readonly RatingEvent[], known: Partial<RatingInput> = {}): Rating {
  return rateMachine({ ...PLAIN_FACTS, rates: COMPLETE, state: emptyRatingState(), tail: events, ...known });
}

function pointsOf(rating: Rating, name: string): number {
  return rating.factors.find((factor) => factor.name === name)!.pointsHundredths;
}

const UNTRUSTED = ['revenue', 'cadence', 'trend', 'tenure'];
const FACTORS = [...UNTRUSTED, 'trust'];

function expectNoneLower(after: Rating, before: Rating, names: readonly string[]): void {
  for (const name of names) expect(pointsOf(after, name), name).toBeGreaterThanOrEqual(pointsOf(before, name));
}

function assertProperty<T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>): void {
  fc.assert(property, PROPERTY_RUNS);
}

describe(`properties (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  it('property 2: rates a state folded in any batches, while the rate table grows, like the raw events', () => {
    assertProperty(
      fc.property(
        eventHistory,
        tableGrowth,
        fc.array(fc.nat(1_000), { maxLength: 6 }),
        facts,
        (events, days, cuts, known) => {
          const ends = cuts.map((cut) => Math.floor((events.length * cut) / 1_000)).sort((a, b) => a - b);
          let state = emptyRatingState();
          days.forEach((throughDay, step) => {
            const rates = tableThrough(throughDay);
            const readable = events.slice(0, ends[step] ?? events.length);
            state = decodeRatingState(encodeRatingState(foldEvents(state, readable.slice(state.nextSeq), rates).state));
            const now = Math.max(readable.at(-1)?.blockTimestamp ?? 0, noonOf(throughDay));
            const folded = rateMachine({
              ...PLAIN_FACTS,
              ...known,
              rates,
              state,
              tail: readable.slice(state.nextSeq),
              now,
            });
            expect(folded).toStrictEqual(rate(readable, { ...known, rates, now }));
          });
        },
      ),
    );
  });

  it('property 2: folds exactly up to the first pending event', () => {
    assertProperty(
      fc.property(eventHistory, tableGrowth, (events, [throughDay]) => {
        const rates = tableThrough(throughDay!);
        const { state, folded } = foldEvents(emptyRatingState(), events, rates);
        expect(state.nextSeq).toBe(folded);
        expect(previewFold(emptyRatingState(), events.slice(0, folded), rates)).toStrictEqual({
          state,
          hasPending: false,
        });
        const isStopped = folded < events.length;
        expect(previewFold(state, events.slice(folded, folded + 1), rates).hasPending).toBe(isStopped);
      }),
    );
  });

  it('property 2: ignores the order of events within a block', () => {
    assertProperty(
      fc.property(eventHistory, fc.infiniteStream(fc.nat()), (events, keys) => {
        const keyed = events.map((event) => ({ event, key: keys.next().value as number }));
        const changes = events.flatMap(({ changedHandsBefore }) => changedHandsBefore ?? []);
        const inNewOrder = inChainOrder(keyed.sort((a, b) => a.key - b.key).map(({ event }) => event));
        const shuffled = withChangesOfHands(inNewOrder, changes);
        expect(foldEvents(emptyRatingState(), shuffled, COMPLETE)).toStrictEqual(
          foldEvents(emptyRatingState(), events, COMPLETE),
        );
      }),
    );
  });

  it('property 3: lowers no factor but trust by one more event, and nothing when its class is not lower', () => {
    assertProperty(
      fc.property(eventHistory, soundEventAt(NOW), facts, (events, event, known) => {
        const before = rate(events, known);
        const after = rate([...events, { ...event, seq: events.length }], known);
        expectNoneLower(after, before, UNTRUSTED);

        const { state } = foldEvents(emptyRatingState(), events, COMPLETE);
        const { source } = judgeTrust(state, { ...PLAIN_FACTS, ...known }, NOW, TODAY).factor.measure;
        const mean = judgeTrust({ ...state, qualifyingWeeks: 0 }, PLAIN_FACTS, NOW, TODAY).factor.measure;
        fc.pre(source === 'flag' || source === 'override' || leastClassHundredths(event) >= mean.percentHundredths);
        expectNoneLower(after, before, ['trust']);
        expect(after.totalHundredths).toBeGreaterThanOrEqual(before.totalHundredths!);
        expect(after.score).toBeGreaterThanOrEqual(before.score);
      }),
    );
  });

  it('property 4: changes only the counts and last_updated by a late, early, malformed or too small event', () => {
    assertProperty(
      fc.property(eventHistory, nonQualifyingEventAt(NOW), facts, (events, event, known) => {
        const before = rate(events, known);
        const after = rate([...events, { ...event, seq: events.length }], known);
        const isRevenue = event.type === 0;
        expect(after).toStrictEqual({
          ...before,
          eventCount: before.eventCount + 1,
          revenueEventCount: before.revenueEventCount + (isRevenue ? 1 : 0),
          activityEventCount: before.activityEventCount + (isRevenue ? 0 : 1),
          lastUpdated: NOW,
        });
      }),
    );
  });

  it('property 5: lowers no factor and no score when an event has more paid cents or is attested', () => {
    assertProperty(
      fc.property(
        eventHistory,
        fc.nat(),
        fc.boolean(),
        fc.nat(50_000),
        facts,
        (events, pick, isAttested, cents, known) => {
          fc.pre(events.length > 0);
          const chosen = events[pick % events.length]!;
          const better = isAttested ? { attested: true } : { paidCents: chosen.paidCents + cents };
          const raised = events.map((event) => (event === chosen ? { ...event, ...better } : event));
          const before = rate(events, known);
          const after = rate(raised, known);
          expectNoneLower(after, before, FACTORS);
          expect(after.totalHundredths).toBeGreaterThanOrEqual(before.totalHundredths!);
          expect(after.score).toBeGreaterThanOrEqual(before.score);
        },
      ),
    );
  });

  it('property 5: lowers no factor and not the score when a flag is cleared, a bond renewed or the operator verified', () => {
    assertProperty(
      fc.property(eventHistory, facts, (events, known) => {
        const before = rate(events, known);
        const improvements: readonly Partial<RatingInput>[] = [
          { negativeFlagAt: 0n },
          { bondStatus: 'bonded' },
          { operatorVerified: true },
        ];
        for (const improvement of improvements) {
          const after = rate(events, { ...known, ...improvement });
          expectNoneLower(after, before, FACTORS);
          expect(after.score).toBeGreaterThanOrEqual(before.score);
        }
      }),
    );
  });

  it('property 6: raises no factor and not the score by a change of hands', () => {
    assertProperty(
      fc.property(eventHistory, facts, (events, known) => {
        const before = rate(events, known);
        const after = rate(events, { ...known, changedHandsAfter: NOW });
        expectNoneLower(before, after, FACTORS);
        expect(after.totalHundredths).toBeLessThanOrEqual(before.totalHundredths!);
        expect(after.score).toBeLessThanOrEqual(before.score);
        const [first, ...rest] = events;
        const soldBeforeAll = first === undefined ? [] : [{ ...first, changedHandsBefore: 1 }, ...rest];
        expect(rate(soldBeforeAll, known)).toStrictEqual(before);
      }),
    );
  });

  it('property 7: never raises revenue, cadence or tenure by time alone', () => {
    assertProperty(
      fc.property(eventHistory, fc.nat(200 * 86_400), fc.nat(60 * 86_400), (events, first, more) => {
        const earlier = rate(events, { now: NOW + first });
        const later = rate(events, { now: NOW + first + more });
        expectNoneLower(earlier, later, ['revenue', 'cadence', 'tenure']);
      }),
    );
  });

  it('property 7: keeps a smaller share with every idle day, and its free and half days whatever the day', () => {
    assertProperty(
      fc.property(
        fc.nat(10_000),
        fc.nat(2_000),
        fc.nat(500),
        fc.integer({ min: 1, max: 90 }),
        (sum, idle, span, rhythmDays) => {
          const rhythm = {
            firstQualifyingDay: TODAY - span,
            lastQualifyingDay: TODAY,
            rhythmDays: Math.min(rhythmDays, span + 1),
          };
          const after = (idleDays: number) => judgeDormancy(sum, rhythm, TODAY + idleDays);
          const [today, tomorrow] = [after(idle), after(idle + 1)];
          expect(tomorrow.lostHundredths).toBeGreaterThanOrEqual(today.lostHundredths);
          expect(today.lostHundredths).toBeLessThanOrEqual(sum);
          expect([tomorrow.freeDays, tomorrow.halfDays]).toEqual([today.freeDays, today.halfDays]);
        },
      ),
    );
  });

  it('property 8: keeps points, deductions, letter, bounds and the size of the state consistent', () => {
    assertProperty(
      fc.property(eventHistory, facts, fc.nat(400), (events, known, days) => {
        const rating = rate(events, { ...known, now: NOW + days * 86_400 });
        const total = rating.totalHundredths!;
        expect(total).toBeGreaterThanOrEqual(0);
        expect(total).toBeLessThanOrEqual(MAX_TOTAL_HUNDREDTHS);
        const deducted = rating.reasons.reduce((sum, reason) => sum + (reason.lostHundredths ?? 0), 0);
        expect(deducted).toBe(MAX_TOTAL_HUNDREDTHS - total);
        const points = rating.factors.reduce((sum, factor) => sum + factor.pointsHundredths, 0);
        expect(points - rating.dormancy!.lostHundredths - rating.anchor!.lostHundredths).toBe(total);
        for (const factor of rating.factors) {
          expect(factor.pointsHundredths).toBeGreaterThanOrEqual(0);
          expect(factor.pointsHundredths).toBeLessThanOrEqual(factor.maxHundredths);
        }
        const letters: readonly string[] = SCALE.map(([letter]) => letter);
        const isRated = letters.includes(rating.letter);
        expect(rating.score).toBe(isRated ? roundScore(total) : 0);
        expect(isRated).toBe(rating.letter === letterOf(roundScore(total)));
        expect(rating.eventCount).toBe(rating.revenueEventCount + rating.activityEventCount);
        for (const number of numbersIn(rating)) expect(Number.isSafeInteger(number)).toBe(true);
        const { state } = foldEvents(emptyRatingState(), events, COMPLETE);
        expect(state.buckets.length).toBeLessThanOrEqual(WINDOW_DAYS);
        expect(Buffer.byteLength(encodeRatingState(state))).toBeLessThan(MAX_STATE_BYTES);
      }),
    );
  });

  it('property 8: limits declared events to 58.50 points, unanchored ones to 58.33, activity to 72.50 and paid ones to 94', () => {
    assertProperty(
      fc.property(eventHistory, facts, (events, { bondStatus }) => {
        const limitOf = (evidence: Partial<RatingEvent>, known: Partial<RatingInput> = {}) =>
          rate(
            events.map((event) => ({ ...event, ...evidence })),
            { bondStatus, ...known },
          ).totalHundredths;
        expect(limitOf({ attested: false, paidCents: 0 })).toBeLessThanOrEqual(5_850);
        expect(limitOf({ attested: true }, { operatorVerified: false })).toBeLessThanOrEqual(5_833);
        expect(limitOf({ attested: false, paidCents: 10 ** 9 })).toBeLessThanOrEqual(9_400);
        const activity = events.map((event) => ({
          ...event,
          type: ACTIVITY_TYPE,
          currency: '',
          trust: 2,
          attested: true,
        }));
        expect(rate(activity, { bondStatus }).totalHundredths).toBeLessThanOrEqual(7_250);
      }),
    );
  });
});

/** Lists all numbers in a rating, at any depth. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** Returns the percentage of the weakest class of an event's weight. */
function leastClassHundredths({ type, value, attested, paidCents }: EventParts): number {
  if (attested) return 10_000;
  return type === 0 && BigInt(paidCents) >= (value < 100_000n ? value : 100_000n) ? 7_000 : 2_000;
}
