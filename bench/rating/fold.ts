/** Speed of folding and rating: events folded per second, and microseconds per rating from a full rating state. */
import { emptyRatingState, foldEvents } from '../../src/domain/rating/rating-state.ts';
import type { RatingEvent } from '../../src/domain/rating/event.ts';
import { encodeRatingState, decodeRatingState } from '../../src/domain/rating/rating-state-codec.ts';
import { createRateTable, extendRateTable } from '../../src/domain/rating/rate-table.ts';
import { rateMachine } from '../../src/domain/rating/rating.ts';
import { printFigures } from '../figures.ts';

const EVENTS = 500_000;
const RATINGS = 20_000;
const SECONDS_BETWEEN = 60;
const START = 1_750_000_000;
const DAY = 86_400;

const days = Array.from({ length: 400 }, (_, index) => Math.floor(START / DAY) - 10 + index);
const rates = extendRateTable(
  createRateTable(true),
  days.map((day) => ({ currency: 'EUR', day, rate: 1_083_525_000_000n })),
  days.at(-1)!,
);

const events = Array.from({ length: EVENTS }, (_, seq): RatingEvent => {
  const blockTimestamp = START + seq * SECONDS_BETWEEN;
  const isRevenue = seq % 2 === 0;
  return {
    seq,
    type: isRevenue ? 0 : 1,
    value: BigInt(1_000 + (seq % 5_000)),
    currency: isRevenue ? (seq % 4 === 0 ? 'EUR' : 'USD') : '',
    timestamp: BigInt(blockTimestamp - 30),
    trust: seq % 3,
    blockTimestamp,
    attested: seq % 3 === 2,
    paidCents: 0,
    changedHandsBefore: undefined,
  };
});

const now = events.at(-1)!.blockTimestamp;
const facts = {
  rates,
  bondStatus: 'bonded',
  priorEvents: 0n,
  ratingUnavailable: undefined,
  negativeFlagAt: 0n,
  trustOverride: undefined,
  changedHandsAfter: undefined,
  paidMoves: [],
  operatorVerified: true,
  now,
} as const;

const folding = measure(() => foldEvents(emptyRatingState(), events, rates).state);
const state = folding.result;
const text = encodeRatingState(state);
const rating = measureEach(() => rateMachine({ ...facts, state, tail: [] }));
const parsing = measureEach(() => decodeRatingState(text));

console.log(`fold      ${Math.round(EVENTS / (folding.milliseconds / 1000)).toLocaleString('en')} events/s`);
console.log(`rate      ${rating.toFixed(1)} µs from a rating state of ${state.buckets.length} days`);
console.log(`parse     ${parsing.toFixed(1)} µs for ${text.length.toLocaleString('en')} bytes of rating state`);
printFigures({
  'rating/fold': { ours: EVENTS / (folding.milliseconds / 1000) },
  'rating/rate': { ours: rating },
  'rating/state': { ours: text.length },
});

function measure<T>(work: () => T): { result: T; milliseconds: number } {
  const start = performance.now();
  const result = work();
  return { result, milliseconds: performance.now() - start };
}

/** Returns microseconds per call, after a warm-up of the same length. */
function measureEach(work: () => unknown): number {
  const run = (): void => {
    for (let i = 0; i < RATINGS; i += 1) work();
  };
  run();
  return (measure(run).milliseconds / RATINGS) * 1000;
}
