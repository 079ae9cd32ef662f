/** Properties 2 to 7 of design/scoring.md; the first is held by `cli/replay`, the eighth is measured by `bench/rating`. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ACTIVITY_TYPE, MAX_TOTAL_HUNDREDTHS, SCALE } from './constants.ts';
import { judgeDormancy } from './dormancy.ts';
import { inChainOrder, noonOf, PLAIN_FACTS, TODAY } from '../../../testing/fixtures/rating-events.ts';
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
  growth,
  history,
  soundEventAt,
  tableThrough,
  uselessEventAt,
} from '../../../testing/arbitraries/rating-arbitraries.ts';
import type { Rating, RatingInput } from './rating.ts';
import { rateMachine } from './rating.ts';
import { letterOf, roundScore } from './scale.ts';
import { judgeTrust } from './trust-factor.ts';

const NOW = noonOf(TODAY);
const COMPLETE = tableThrough(TODAY);
const facts = factsAt(NOW);

function rate(events: readonly RatingEvent[], known: Partial<RatingInput> = {}): Rating {
  return rateMachine({ ...PLAIN_FACTS, rates: COMPLETE, fold: emptyRatingState(), tail: events, ...known });
}

function pointsOf(rating: Rating, name: string): number {
  return rating.factors.find((factor) => factor.name === name)!.pointsHundredths;
}

const UNTRUSTED = ['revenue', 'cadence', 'trend', 'tenure'];
const FACTORS = [...UNTRUSTED, 'trust'];

function expectNoneLower(after: Rating, before: Rating, names: readonly string[]): void {
  for (const name of names) expect(pointsOf(after, name), name).toBeGreaterThanOrEqual(pointsOf(before, name));
}

function hold<T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>): void {
  fc.assert(property, PROPERTY_RUNS);
}

describe(`properties (${SEED_TITLE})`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  it('2: folds of any batches, stopped at pending events while the table grows, give the answer of the raw events', () => {
    hold(
      fc.property(history, growth, fc.array(fc.nat(1_000), { maxLength: 6 }), facts, (events, days, cuts, known) => {
        const ends = cuts.map((cut) => Math.floor((events.length * cut) / 1_000)).sort((a, b) => a - b);
        let fold = emptyRatingState();
        days.forEach((throughDay, step) => {
          const rates = tableThrough(throughDay);
          const readable = events.slice(0, ends[step] ?? events.length);
          fold = decodeRatingState(encodeRatingState(foldEvents(fold, readable.slice(fold.nextSeq), rates).fold));
          const now = Math.max(readable.at(-1)?.blockTimestamp ?? 0, noonOf(throughDay));
          const folded = rateMachine({
            ...PLAIN_FACTS,
            ...known,
            rates,
            fold,
            tail: readable.slice(fold.nextSeq),
            now,
          });
          expect(folded).toStrictEqual(rate(readable, { ...known, rates, now }));
        });
      }),
    );
  });

  it('2: a fold stops exactly before the first pending event', () => {
    hold(
      fc.property(history, growth, (events, [throughDay]) => {
        const rates = tableThrough(throughDay!);
        const { fold, folded } = foldEvents(emptyRatingState(), events, rates);
        expect(fold.nextSeq).toBe(folded);
        expect(previewFold(emptyRatingState(), events.slice(0, folded), rates)).toStrictEqual({
          fold,
          hasPending: false,
        });
        const isStopped = folded < events.length;
        expect(previewFold(fold, events.slice(folded, folded + 1), rates).hasPending).toBe(isStopped);
      }),
    );
  });

  it('2: the order of events within a block changes nothing', () => {
    hold(
      fc.property(history, fc.infiniteStream(fc.nat()), (events, keys) => {
        const keyed = events.map((event) => ({ event, key: keys.next().value as number }));
        const shuffled = inChainOrder(keyed.sort((a, b) => a.key - b.key).map(({ event }) => event));
        expect(foldEvents(emptyRatingState(), shuffled, COMPLETE)).toStrictEqual(
          foldEvents(emptyRatingState(), events, COMPLETE),
        );
      }),
    );
  });

  it('3: one more event now lowers no factor but trust, and with no lower level nothing at all', () => {
    hold(
      fc.property(history, soundEventAt(NOW), facts, (events, event, known) => {
        const before = rate(events, known);
        const after = rate([...events, { ...event, seq: events.length }], known);
        expectNoneLower(after, before, UNTRUSTED);

        const { fold } = foldEvents(emptyRatingState(), events, COMPLETE);
        const { source } = judgeTrust(fold, { ...PLAIN_FACTS, ...known }, NOW, TODAY).factor.measure;
        const mean = judgeTrust({ ...fold, qualifyingWeeks: 0 }, PLAIN_FACTS, NOW, TODAY).factor.measure;
        const levelHundredths = [2_000, 7_000, 10_000][event.trust]!;
        fc.pre(source === 'flag' || source === 'override' || levelHundredths >= mean.percentHundredths);
        expectNoneLower(after, before, ['trust']);
        expect(after.totalHundredths).toBeGreaterThanOrEqual(before.totalHundredths!);
        expect(after.score).toBeGreaterThanOrEqual(before.score);
      }),
    );
  });

  it('4: an event that is late, early, malformed or too small changes only counts and the time of the last', () => {
    hold(
      fc.property(history, uselessEventAt(NOW), facts, (events, event, known) => {
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

  it("5: raising an event's trust level lowers no factor and not the score", () => {
    hold(
      fc.property(history, fc.nat(), facts, (events, pick, known) => {
        const raisable = events.filter(({ trust }) => trust < 2);
        fc.pre(raisable.length > 0);
        const chosen = raisable[pick % raisable.length]!;
        const raised = events.map((event) => (event === chosen ? { ...event, trust: event.trust + 1 } : event));
        const before = rate(events, known);
        const after = rate(raised, known);
        expectNoneLower(after, before, FACTORS);
        expect(after.totalHundredths).toBeGreaterThanOrEqual(before.totalHundredths!);
        expect(after.score).toBeGreaterThanOrEqual(before.score);
      }),
    );
  });

  it('5: clearing a flag or renewing a bond never lowers the score', () => {
    hold(
      fc.property(history, facts, (events, known) => {
        const { score } = rate(events, known);
        expect(rate(events, { ...known, negativeFlagAt: 0n }).score).toBeGreaterThanOrEqual(score);
        expect(rate(events, { ...known, bondStatus: 'bonded' }).score).toBeGreaterThanOrEqual(score);
      }),
    );
  });

  it('6: time alone never raises revenue, cadence or tenure', () => {
    hold(
      fc.property(history, fc.nat(200 * 86_400), fc.nat(60 * 86_400), (events, first, more) => {
        const earlier = rate(events, { now: NOW + first });
        const later = rate(events, { now: NOW + first + more });
        expectNoneLower(earlier, later, ['revenue', 'cadence', 'tenure']);
      }),
    );
  });

  it('6: dormancy keeps an ever smaller share', () => {
    hold(
      fc.property(fc.nat(10_000), fc.nat(2_000), (sum, idle) => {
        const lost = (idleDays: number): number => judgeDormancy(sum, TODAY, TODAY + idleDays).lostHundredths;
        expect(lost(idle + 1)).toBeGreaterThanOrEqual(lost(idle));
        expect(lost(idle)).toBeLessThanOrEqual(sum);
      }),
    );
  });

  it('7: points, losses, letters and bounds agree', () => {
    hold(
      fc.property(history, facts, fc.nat(400), (events, known, days) => {
        const rating = rate(events, { ...known, now: NOW + days * 86_400 });
        const total = rating.totalHundredths!;
        expect(total).toBeGreaterThanOrEqual(0);
        expect(total).toBeLessThanOrEqual(MAX_TOTAL_HUNDREDTHS);
        const lost = rating.reasons.reduce((sum, reason) => sum + (reason.lostHundredths ?? 0), 0);
        expect(lost).toBe(MAX_TOTAL_HUNDREDTHS - total);
        const points = rating.factors.reduce((sum, factor) => sum + factor.pointsHundredths, 0);
        expect(points - rating.dormancy!.lostHundredths).toBe(total);
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
      }),
    );
  });

  it('7: self-reported events never pass 58.50 points, activity never 72.50', () => {
    hold(
      fc.property(history, facts, (events, { bondStatus }) => {
        const selfReported = rate(
          events.map((event) => ({ ...event, trust: 0 })),
          { bondStatus },
        );
        expect(selfReported.totalHundredths).toBeLessThanOrEqual(5_850);
        const activity = events.map((event) => ({ ...event, type: ACTIVITY_TYPE, currency: '', trust: 2 }));
        expect(rate(activity, { bondStatus }).totalHundredths).toBeLessThanOrEqual(7_250);
      }),
    );
  });
});

/** All numbers of an answer, wherever they stand. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}
