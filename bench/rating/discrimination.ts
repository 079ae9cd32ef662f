/**
 * Discrimination of the score: how well it ranks machines by their probability of default (design/scoring.md, property 8).
 * Simulates a fleet whose machines have a hidden quality, rates every machine, and prints the area under the ROC curve of the
 * score and of each factor alone: 0.5 is chance, 1 is a perfect order. A factor's share is what it adds to the sum of the
 * factors, averaged over all orders in which they can be added (Shapley); the shares add up to the area above chance.
 *
 *     node bench/rating/discrimination.ts [machines] [seed]
 *
 * The fleet is an assumption, stated in `simulateMachine`; the figures describe only how the model ranks such a fleet.
 */
import { emptyRatingState } from '../../src/domain/rating/rating-state.ts';
import type { RatingEvent } from '../../src/domain/rating/event.ts';
import type { Factor } from '../../src/domain/rating/factor.ts';
import { createRateTable } from '../../src/domain/rating/rate-table.ts';
import { rateMachine } from '../../src/domain/rating/rating.ts';
import { printFigures } from '../figures.ts';

const DAY = 86_400;
const NOW = 1_772_452_800;
/** Share of the bad machines that game the rating: much declared revenue, and bursts shortly before it. */
const GAMING_SHARE = 0.3;

const machines = Number(process.argv[2] ?? 2_000);
const seed = Number(process.argv[3] ?? 1);
const random = createRandom(seed);

interface Outcome {
  readonly defaulted: boolean;
  readonly total: number;
  readonly factors: readonly Factor[];
}

const fleet = Array.from({ length: machines }, simulateOutcome);
const names = fleet[0]!.factors.map(({ name }) => name);
const areaByFactors = Array.from({ length: 2 ** names.length }, (_, chosen) =>
  areaUnderCurve(({ factors }) => sumOf(factors.filter((_, index) => isChosen(chosen, index)))),
);

console.log(`${machines} machines, seed ${seed}, ${fleet.filter(({ defaulted }) => defaulted).length} defaults`);
const area = areaUnderCurve(({ total }) => total);
console.log(`score      ${area.toFixed(3)}`);
printFigures({ 'rating/auc': { ours: area } });
names.forEach((name, index) => {
  const alone = areaByFactors[1 << index]!;
  console.log(`${name.padEnd(10)} ${alone.toFixed(3)} alone, share ${shareOf(index).toFixed(3)}`);
});

/** Returns the mean of what a factor adds to every set of the others, with equal weight for each set size. */
function shareOf(index: number): number {
  let share = 0;
  areaByFactors.forEach((area, chosen) => {
    if (isChosen(chosen, index)) return;
    const size = names.filter((_, other) => isChosen(chosen, other)).length;
    share += (areaByFactors[chosen | (1 << index)]! - area) / (names.length * choose(names.length - 1, size));
  });
  return share;
}

function isChosen(chosen: number, index: number): boolean {
  return (chosen & (1 << index)) !== 0;
}

function choose(n: number, k: number): number {
  return k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k;
}

function simulateOutcome(): Outcome {
  const quality = random();
  const defaulted = random() < 0.02 + 0.6 * (1 - quality) ** 2;
  const rating = rateMachine({
    state: emptyRatingState(),
    tail: simulateMachine(quality, defaulted),
    rates: createRateTable(false),
    bondStatus: 'bonded',
    priorEvents: 0n,
    ratingUnavailable: undefined,
    negativeFlagAt: 0n,
    trustOverride: undefined,
    changedHandsAfter: undefined,
    paidMoves: [],
    operatorVerified: random() < 0.2 + 0.6 * quality,
    now: NOW,
  });
  return { defaulted, total: rating.totalHundredths!, factors: rating.factors };
}

/**
 * Simulates the events of a machine. Good machines earn more, on more days, for longer, have more of it attested, and more often
 * a verified operator. A machine that will default tends to earn less and less for a while; some of the bad ones game the rating
 * and write the highest trust level without a device.
 */
function simulateMachine(quality: number, defaulted: boolean): RatingEvent[] {
  const isGaming = quality < 0.5 && random() < GAMING_SHARE;
  const ageDays = 30 + Math.floor(random() * (200 + 500 * quality));
  const dailyCents = 2_000 * Math.exp(2 * random() + 2 * quality);
  const workRate = Math.min(1, 0.1 + random() * 0.4 + 0.5 * quality);
  const signedRate = isGaming ? 0 : Math.min(1, 0.2 + quality * random() * 1.2);
  const fadeDays = defaulted ? 10 + random() * 80 : 0;
  const events: RatingEvent[] = [];
  for (let ago = ageDays; ago >= 0; ago -= 1) {
    const fade = ago < fadeDays ? (ago / fadeDays) * 0.8 + 0.1 : 1;
    const isBurst = isGaming && ago < 5;
    if (!isBurst && random() > workRate * Math.sqrt(fade)) continue;
    const isRevenue = isBurst || random() < 0.8;
    const cents = Math.round(dailyCents * fade * (0.5 + random()) * (isBurst ? 20 : 1));
    const blockTimestamp = NOW - ago * DAY;
    const attested = random() < signedRate;
    events.push({
      seq: events.length,
      type: isRevenue ? 0 : 1,
      value: BigInt(cents),
      currency: isRevenue ? 'USD' : '',
      timestamp: BigInt(blockTimestamp - 60),
      trust: attested || isGaming ? 2 : 0,
      blockTimestamp,
      attested,
      paidCents: 0,
      changedHandsBefore: undefined,
    });
  }
  return events;
}

/** Returns how often a machine without default ranks above one with default; ties count half. */
function areaUnderCurve(valueOf: (outcome: Outcome) => number): number {
  const sorted = fleet
    .map((outcome) => ({ value: valueOf(outcome), defaulted: outcome.defaulted }))
    .sort((a, b) => a.value - b.value);
  const defaults = sorted.filter(({ defaulted }) => defaulted).length;
  let below = 0;
  let area = 0;
  for (let start = 0; start < sorted.length;) {
    let end = start;
    while (end < sorted.length && sorted[end]!.value === sorted[start]!.value) end += 1;
    const ties = sorted.slice(start, end).filter(({ defaulted }) => defaulted).length;
    area += (end - start - ties) * (below + ties / 2);
    below += ties;
    start = end;
  }
  return area / (defaults * (sorted.length - defaults));
}

function sumOf(factors: readonly Factor[]): number {
  return factors.reduce((sum, { pointsHundredths }) => sum + pointsHundredths, 0);
}

/** Creates a seeded generator (mulberry32), so that a run can be repeated. */
function createRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
