/**
 * Combinations of provider behaviors that cover every pair. A service that is served completely behind several behaviors
 * is served behind each pair of them, so that one case covers many pairs.
 */
import type { Random } from '../../../sim/random.ts';
import type { Behavior } from '../provider-proxy/behavior.ts';

/** Behaviors of one family hide or add to each other: of two limits, the lower one answers. They are combined only in pairs. */
const FAMILIES: readonly RegExp[] = [
  /^batch/,
  /^logs-(?:\d|timeout|results|size)/,
  /^rate-/,
  // Each fails some requests, which together would be a node that hardly answers.
  /^(?:html|error|reset|empty|gateway|dropped|head-goes|null-new|short-logs)/,
  /^alt-(?:32016-often|32005|32014|missing|reset)/,
  /bloom/,
  /receipts/,
  /^pruned-state/,
  /^alt-(?:32429|32007|429)/,
  /^alt-(?:batch|body)/,
  /^alt-\d+-accounts/,
];

const familyOf = ({ name }: Behavior) => FAMILIES.find((each) => each.test(name))?.source ?? name;

/** Returns the unordered pairs of a combination, each as one text. */
export function listPairs(combination: readonly Behavior[]): string[] {
  const names = combination.map(({ name }) => name).toSorted();
  return names.flatMap((first, i) => names.slice(i + 1).map((second) => `${first} + ${second}`));
}

/** Returns combinations of at most `size` behaviors, each covering as many open pairs as possible, then the pairs within families. */
export function combine(behaviors: readonly Behavior[], size: number, random: Random): (readonly Behavior[])[] {
  const pairs = behaviors.flatMap((first, i) => behaviors.slice(i + 1).map((second) => [first, second] as const));
  const [within, across] = [true, false].map((isWithin) =>
    shuffle(
      pairs.filter(([first, second]) => (familyOf(first) === familyOf(second)) === isWithin),
      random,
    ),
  ) as [Pair[], Pair[]];
  const open = new Set(across.flatMap(listPairs));
  const combinations: (readonly Behavior[])[] = [];
  for (const pair of across) {
    if (!listPairs(pair).some((each) => open.has(each))) continue;
    const combination = extend(pair, behaviors, size, open);
    for (const each of listPairs(combination)) open.delete(each);
    // The order of the list decides which behavior is the outermost.
    combinations.push(behaviors.filter((each) => combination.includes(each)));
  }
  return [...combinations, ...within];
}

type Pair = readonly [Behavior, Behavior];

/** Adds the behaviors of other families that cover the most open pairs. */
function extend(pair: Pair, behaviors: readonly Behavior[], size: number, open: ReadonlySet<string>): Behavior[] {
  const combination: Behavior[] = [...pair];
  while (combination.length < size) {
    const families = new Set(combination.map(familyOf));
    const countOpen = (added: Behavior) =>
      combination.filter((each) => listPairs([each, added]).some((name) => open.has(name))).length;
    const [best] = behaviors
      .filter((each) => !families.has(familyOf(each)))
      .map((behavior) => ({ behavior, count: countOpen(behavior) }))
      .sort((one, other) => other.count - one.count);
    if (best === undefined || best.count === 0) break;
    combination.push(best.behavior);
  }
  return combination;
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const other = random.integer(0, i);
    [shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!];
  }
  return shuffled;
}
