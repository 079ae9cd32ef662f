/** The second implementation of the rating model against the published vectors and its invariants. */
import { describe, expect, it } from 'vitest';
import { ratingVectors as vectors, toModelInput } from '../../../testing/fixtures/replay-vectors.ts';
import { rateRawEvents } from './model.ts';
import { UnreadableEvents } from './raw-events.ts';

describe('rateRawEvents for the vectors', () => {
  it('covers all 154 cases', () => {
    expect(vectors.cases.length).toBe(154);
  });

  it.each(vectors.cases.map((vector) => [vector.name, vector] as const))(
    'returns the expected result: %s',
    (_name, vector) => {
      expect(JSON.parse(JSON.stringify(rateRawEvents(toModelInput(vector))))).toStrictEqual(vector.expected);
    },
  );
});

const BIG = vectors.cases.find(({ name }) => name === 'steady machine, bond in grace')!;

describe('rateRawEvents', () => {
  it('returns deductions that sum to 10000 minus the total', () => {
    const rated = vectors.cases.filter(({ rating_unavailable: reason }) => reason === null);
    expect(rated.length).toBeGreaterThan(140);
    for (const vector of rated) {
      const rating = rateRawEvents(toModelInput(vector));
      if (rating.total_hundredths === null) throw new Error(`${vector.name} has no total`);
      const lost = rating.reasons.reduce((total, reason) => total + (reason.lost_hundredths ?? 0), 0);
      expect([vector.name, lost]).toStrictEqual([vector.name, 10000 - rating.total_hundredths]);
    }
  });

  it('does not depend on the order of events that share a block time', () => {
    for (const vector of vectors.cases.filter(({ hands }) => hands.length === 0)) {
      const input = toModelInput(vector);
      const reversedWithin = [...Map.groupBy(input.events, ({ blockTimestamp }) => blockTimestamp).values()]
        .flatMap((ofOneBlock) => ofOneBlock.reverse())
        .map((event, position) => ({ ...event, seq: BigInt(position) }));
      expect(rateRawEvents({ ...input, events: reversedWithin })).toStrictEqual(rateRawEvents(input));
    }
  });

  it('returns no points at the largest possible time', () => {
    const rating = rateRawEvents({ ...toModelInput(BIG), now: 2n ** 256n - 1n });
    expect([rating.total_hundredths, rating.mcr, rating.dormancy?.idle_days]).toStrictEqual([
      0,
      'NR',
      Number.MAX_SAFE_INTEGER,
    ]);
  });

  it('rejects a gap in seq', () => {
    const input = toModelInput(BIG);
    expect(() => rateRawEvents({ ...input, events: input.events.slice(1) })).toThrow(UnreadableEvents);
  });

  it('rejects a decreasing block time', () => {
    const input = toModelInput(BIG);
    const events = input.events.map((event, index) => (index === 1 ? { ...event, blockTimestamp: 1n } : event));
    expect(() => rateRawEvents({ ...input, events })).toThrow(UnreadableEvents);
  });
});
