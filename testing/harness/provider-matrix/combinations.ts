/**
 * Combinations of provider behaviors that cover every pair. A service that is served completely behind several behaviors
 * is served behind each pair of them, so that one case covers many pairs.
 */
import type { Random } from '../../../sim/random.ts';
import type { Behavior } from '../provider-proxy/behavior.ts';

interface Family {
  readonly names: RegExp;
  /** Number of its behaviors that a combination may hold. */
  readonly max: number;
}

/** Limits hide each other, because the lower one answers. Faults add to each other: few requests would pass more than two. */
const FAMILIES: readonly Family[] = [
  { names: /^batch/, max: 3 },
  { names: /^logs-(?:\d|timeout|results|size)/, max: 3 },
  { names: /^rate-/, max: 2 },
  { names: /^(?:html|error|reset|empty|gateway|dropped|head-goes|null-new|short-logs)/, max: 2 },
  { names: /^alt-(?:32016-often|32005|32014|missing|reset)/, max: 2 },
  { names: /^alt-(?:32429|32007|429)/, max: 2 },
];

const familyOf = ({ name }: Behavior) => FAMILIES.find(({ names }) => names.test(name));

/** Returns the unordered pairs of a combination, each as one text. */
export function listPairs(combination: readonly Behavior[]): string[] {
  const names = combination.map(({ name }) => name).toSorted();
  return names.flatMap((first, i) => names.slice(i + 1).map((second) => `${first} + ${second}`));
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
    ...cover(served, size, random),
    ...refused.flatMap((each) => chunk(shuffle(served, random), size - 1).map((others) => [each, ...others])),
    ...refused.flatMap((first, i) => refused.slice(i + 1).map((second) => [first, second])),
  ].map((combination) => behaviors.filter((each) => combination.includes(each)));
}

/** Returns the pairs that a case with these behaviors shows to hold. */
export function listCoveredPairs(combination: readonly Behavior[]): string[] {
  const refused = combination.filter(({ expect }) => expect === 'refused');
  if (refused.length === 0) return listPairs(combination);
  const [only] = refused;
  if (refused.length > 1) return combination.length === 2 ? listPairs(combination) : [];
  return combination.filter((each) => each !== only).flatMap((each) => listPairs([only!, each]));
}

/** Returns combinations of behaviors that can all be served, each with as many open pairs as possible. */
function cover(behaviors: readonly Behavior[], size: number, random: Random): Behavior[][] {
  const open = new Set(listPairs(behaviors));
  const pairs = behaviors.flatMap((first, i) => behaviors.slice(i + 1).map((second) => [first, second] as const));
  const combinations: Behavior[][] = [];
  for (const pair of shuffle(pairs, random)) {
    if (!open.has(listPairs(pair)[0]!)) continue;
    const combination = extend(pair, behaviors, size, open);
    for (const each of listPairs(combination)) open.delete(each);
    combinations.push(combination);
  }
  return combinations;
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
    const countOpen = (added: Behavior) => combination.filter((each) => open.has(listPairs([each, added])[0]!)).length;
    const hasRoom = (added: Behavior) => {
      const family = familyOf(added);
      return family === undefined || combination.filter((each) => familyOf(each) === family).length < family.max;
    };
    const [best] = behaviors
      .filter((each) => !combination.includes(each) && hasRoom(each))
      .map((behavior) => ({ behavior, count: countOpen(behavior) }))
      .sort((one, other) => other.count - one.count);
    if (best === undefined || best.count === 0) break;
    combination.push(best.behavior);
  }
  return combination;
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const other = random.integer(0, i);
    [shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!];
  }
  return shuffled;
}
