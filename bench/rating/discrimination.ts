/**
 * Discrimination of the score: how well it ranks machines by their probability of default (design/scoring.md, property 12).
 * Simulates fleets whose machines have a hidden quality, in a world where every machine reports honestly and in one where bad
 * machines game the rating. Rates every machine, and prints the area under the ROC curve of the score and of each factor alone: 0.5
 * is chance, 1 is a perfect order. The interval holds the areas of 95 % of the fleets. A factor's share is what it adds to the sum
 * of the factors, averaged over all orders in which they can be added (Shapley); the shares add up to the area above chance.
 *
 *     node bench/rating/discrimination.ts [machines of a fleet] [seed]
 *
 * The fleets are an assumption, stated in `simulateMachine`; the figures describe only how the model ranks such fleets.
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
const GAMING_SHARES = { honest: 0, gamed: 0.3 } as const;
const FLEETS = 40;
/** Fleets at each end that the interval leaves out. */
const OUTER_FLEETS = 1;

const machines = Number(process.argv[2] ?? 500);
const seed = Number(process.argv[3] ?? 1);

interface Outcome {
  readonly defaulted: boolean;
  readonly total: number;
  readonly factors: readonly Factor[];
}

for (const [world, gamingShare] of Object.entries(GAMING_SHARES)) {
  const fleets = Array.from({ length: FLEETS }, (_, index) => {
    const random = createRandom(seed + index);
    return Array.from({ length: machines }, () => simulateOutcome(random, gamingShare));
  });
  printWorld(world, fleets);
}

function printWorld(world: string, fleets: readonly (readonly Outcome[])[]): void {
  const all = fleets.flat();
  const defaults = all.filter(({ defaulted }) => defaulted).length;
  console.log(`${world}: ${FLEETS} fleets of ${machines} machines from seed ${seed}, ${defaults} defaults`);
  const areas = fleets.map((fleet) => areaUnderCurve(fleet, ({ total }) => total)).sort((one, other) => one - other);
  const mean = areas.reduce((sum, area) => sum + area, 0) / FLEETS;
  const interval = [areas[OUTER_FLEETS]!, areas.at(-1 - OUTER_FLEETS)!] as const;
  console.log(`score      ${mean.toFixed(3)}, ${interval.map((area) => area.toFixed(3)).join(' to ')}`);
  printFigures({ [`rating/auc-${world}`]: { ours: mean, interval } });
  const names = all[0]!.factors.map(({ name }) => name);
  const areaByFactors = Array.from({ length: 2 ** names.length }, (_, chosen) =>
    areaUnderCurve(all, ({ factors }) => sumOf(factors.filter((_, index) => isChosen(chosen, index)))),
  );
  for (const [index, name] of names.entries()) {
    const alone = areaByFactors[1 << index]!;
    const share = shareOf(index, areaByFactors, names.length);
    console.log(`${name.padEnd(10)} ${alone.toFixed(3)} alone, share ${share.toFixed(3)}`);
  }
}

/** Returns the mean of what a factor adds to every set of the others, with equal weight for each set size. */
function shareOf(index: number, areaByFactors: readonly number[], factors: number): number {
  let share = 0;
  for (const [chosen, area] of areaByFactors.entries()) {
    if (isChosen(chosen, index)) continue;
    const size = Array.from({ length: factors }, (_, other) => other).filter((other) => isChosen(chosen, other)).length;
    share += (areaByFactors[chosen | (1 << index)]! - area) / (factors * choose(factors - 1, size));
  }
  return share;
}

function isChosen(chosen: number, index: number): boolean {
  return (chosen & (1 << index)) !== 0;
}

function choose(n: number, k: number): number {
  return k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k;
}

function simulateOutcome(random: () => number, gamingShare: number): Outcome {
  const quality = random();
  const defaulted = random() < 0.02 + 0.6 * (1 - quality) ** 2;
  const rating = rateMachine({
    state: emptyRatingState(),
    tail: simulateMachine(random, gamingShare, quality, defaulted),
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
 * Simulates the events of a machine. Good machines earn more, on more days, for longer, have more of it attested or paid, and more
 * often a verified operator. A machine that will default tends to earn less and less for a while; some of the bad ones game the rating
 * and write the highest trust level without a device.
 */
function simulateMachine(
  random: () => number,
  gamingShare: number,
  quality: number,
  defaulted: boolean,
): RatingEvent[] {
  const isGaming = quality < 0.5 && random() < gamingShare;
  const ageDays = 30 + Math.floor(random() * (200 + 500 * quality));
  const dailyCents = 2_000 * Math.exp(2 * random() + 2 * quality);
  const workRate = Math.min(1, 0.1 + random() * 0.4 + 0.5 * quality);
  const signedRate = isGaming ? 0 : Math.min(1, 0.2 + quality * random() * 1.2);
  const paidRate = isGaming ? 0 : Math.min(1, 0.3 + quality * random());
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
    const isPaid = random() < paidRate;
    events.push({
      seq: events.length,
      type: isRevenue ? 0 : 1,
      value: BigInt(cents),
      currency: isRevenue ? 'USD' : '',
      timestamp: BigInt(blockTimestamp - 60),
      trust: attested || isGaming ? 2 : 0,
      blockTimestamp,
      attested,
      paidCents: isRevenue && isPaid ? cents : 0,
      changedHandsBefore: undefined,
    });
  }
  return events;
}

/** Returns how often a machine without default ranks above one with default; ties count half. */
function areaUnderCurve(fleet: readonly Outcome[], valueOf: (outcome: Outcome) => number): number {
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
