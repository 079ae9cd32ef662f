/**
 * Combinations of provider behaviors that cover every pair. A service that is served completely behind several behaviors
 * is served behind each pair of them, so that one case covers many pairs.
 */
import { chunk } from '../../../src/domain/chunk.ts';
import type { Random } from '../../../sim/random.ts';
import type { Behavior } from '../provider-proxy/behavior.ts';
import { countRefusals } from '../provider-proxy/behaviors.ts';

/** Faults and rates. They add to each other: few requests pass more than two of them. */
const DISTURBANCE =
  /^(?:rate-|html|error|reset|empty|gateway|dropped|head-goes|null-new|short-logs|alt-(?:32|429|missing|reset))/;
/** Limits of requests. They hide each other, because the lowest one answers, and beside disturbances they cost calls. */
const LIMITS: readonly RegExp[] = [/^(?:batch|single-size)/, /^logs-/];
/** Kinds by how often they are the reason why a combination does not hold. */
const SUSPECTS: readonly RegExp[] = [DISTURBANCE, ...LIMITS];
const MAX_DISTURBANCES = 2;
/** Faults of gateways, which the circuit breaker of a node answers. Two of them let no long series of calls through. */
const FAULT = /^(?:rate-503|html|error|reset|empty|gateway|dropped)/;

/** Returns the unordered pairs of a combination, each as one text. */
export function listPairs(combination: readonly Behavior[]): string[] {
  return combination.flatMap((first, i) => combination.slice(i + 1).map((second) => toKey([first, second])));
}

function toKey([first, second]: readonly [Behavior, Behavior]): string {
  return first.name < second.name ? `${first.name} + ${second.name}` : `${second.name} + ${first.name}`;
}

/**
 * Returns combinations of at most `size` behaviors that cover every pair, in the order of the behaviors: it decides which
 * one is the outermost. A behavior that must be refused hides what the others do to each other, so that a combination
 * with it covers only its own pairs, and holds one of them, or exactly two.
 */
export function combine(behaviors: readonly Behavior[], size: number, random: Random): (readonly Behavior[])[] {
  const [served, refused] = (['served', 'refused'] as const).map((wanted) =>
    behaviors.filter(({ expect }) => expect === wanted),
  ) as [Behavior[], Behavior[]];
  return [
    ...refused.flatMap((first, i) => refused.slice(i + 1).map((second) => [first, second])),
    ...refused.flatMap((each) => chunk(shuffle(served, random), size - 1).map((others) => [each, ...others])),
    ...cover(served, size, random),
  ].map((combination) => behaviors.filter((each) => combination.includes(each)));
}

/**
 * Returns smaller combinations that cover the same pairs. Beside a behavior that must be refused, the others are halved.
 * Otherwise one holds the two behaviors that are most likely to be the reason, and two hold all but one of these.
 */
export function divide(combination: readonly Behavior[]): (readonly Behavior[])[] {
  const refused = combination.filter(({ expect }) => expect === 'refused');
  const served = combination.filter(({ expect }) => expect === 'served');
  if (refused.length > 0) return chunk(served, Math.ceil(served.length / 2)).map((half) => [...refused, ...half]);
  const suspects = SUSPECTS.flatMap((kind) => combination.filter(({ name }) => kind.test(name)));
  const [first, second] = [...new Set([...suspects, ...combination])];
  const without = (left: Behavior | undefined) => combination.filter((each) => each !== left);
  return [combination.filter((each) => each === first || each === second), without(second), without(first)];
}

/** Returns the pairs that a case with these behaviors shows to hold. */
export function listCoveredPairs(combination: readonly Behavior[]): string[] {
  const refused = combination.filter(({ expect }) => expect === 'refused');
  if (refused.length === 0) return listPairs(combination);
  const [only] = refused;
  if (refused.length > 1) return combination.length === 2 ? listPairs(combination) : [];
  return combination.filter((each) => each !== only).flatMap((each) => listPairs([only!, each]));
}

/**
 * Returns combinations of behaviors that can all be served, each with as many open pairs as possible. Pairs of
 * disturbances are placed first, because a combination holds only one, and run last, because they take the longest.
 */
function cover(behaviors: readonly Behavior[], size: number, random: Random): Behavior[][] {
  const pairs = behaviors.flatMap((first, i) => behaviors.slice(i + 1).map((second) => [first, second] as const));
  const open = new Set(pairs.map(toKey));
  const combinations: Behavior[][] = [];
  for (const pair of shuffle(pairs, random).sort((one, other) => countDisturbances(other) - countDisturbances(one))) {
    if (!open.has(toKey(pair))) continue;
    const combination = countRefusals(pair) > 0 ? [...pair] : extend(pair, behaviors, size, open);
    for (const each of listPairs(combination)) open.delete(each);
    combinations.push(combination);
  }
  return combinations.toSorted((one, other) => countDisturbances(one) - countDisturbances(other));
}

/** Adds the behaviors that cover the most open pairs. */
function extend(
  pair: readonly Behavior[],
  behaviors: readonly Behavior[],
  size: number,
  open: ReadonlySet<string>,
): Behavior[] {
  const combination = [...pair];
  while (combination.length < size) {
    const countOpen = (added: Behavior) => combination.filter((each) => open.has(toKey([each, added]))).length;
    const [best] = behaviors
      .filter((each) => !combination.includes(each) && mayHold([...combination, each]))
      .map((behavior) => ({ behavior, count: countOpen(behavior) }))
      .sort((one, other) => other.count - one.count);
    if (best === undefined || best.count === 0) break;
    combination.push(best.behavior);
  }
  return combination;
}

const countDisturbances = (combination: readonly Behavior[]): number =>
  combination.filter(({ name }) => DISTURBANCE.test(name)).length;

/** Returns whether a service can be served behind these behaviors, and each of them acts. */
function mayHold(combination: readonly Behavior[]): boolean {
  const count = (kind: RegExp) => combination.filter(({ name }) => kind.test(name)).length;
  const maxLimits = countDisturbances(combination) === 0 ? 3 : count(FAULT) > 1 ? 0 : 1;
  return (
    countRefusals(combination) === 0 &&
    countDisturbances(combination) <= MAX_DISTURBANCES &&
    LIMITS.every((kind) => count(kind) <= maxLimits)
  );
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const other = random.integer(0, i);
    [shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!];
  }
  return shuffled;
}
