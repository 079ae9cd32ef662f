import { describe, expect, it } from 'vitest';
import { Random } from '../../../sim/random.ts';
import { ALT_BEHAVIORS } from '../provider-proxy/alt-behaviors.ts';
import type { Behavior } from '../provider-proxy/behavior.ts';
import { countRefusals, MAIN_BEHAVIORS } from '../provider-proxy/behaviors.ts';
import { combine, divide, listCoveredPairs, listPairs } from './combinations.ts';

const ALL = [...MAIN_BEHAVIORS, ...ALT_BEHAVIORS];
const isRefused = ({ expect: each }: Behavior) => each === 'refused';
const namesOf = (combination: readonly Behavior[]) => combination.map(({ name }) => name);

describe('combinations of provider behaviors', () => {
  const large = combine(ALL, 6, new Random(1));

  it('cover every pair of both chains', () => {
    expect(new Set(large.flatMap(listCoveredPairs))).toEqual(new Set(listPairs(ALL)));
    expect(Math.max(...large.map(({ length }) => length))).toBe(6);
  });

  it('are each pair once where they are pairs', () => {
    expect(combine(ALL, 2, new Random(1)).flatMap(listCoveredPairs).toSorted()).toEqual(listPairs(ALL).toSorted());
  });

  it('hold at most two faults or rates, and few limits that hide each other', () => {
    for (const names of large.filter((each) => !each.some(isRefused)).map(namesOf)) {
      const disturbances = names.filter((name) => /^(?:rate-|html|reset|dropped|alt-429|alt-reset)/.test(name)).length;
      expect(disturbances).toBeLessThan(3);
      for (const kind of ['batch', 'logs'])
        expect(names.filter((name) => name.startsWith(kind)).length).toBeLessThan(disturbances === 0 ? 4 : 2);
    }
  });

  it('count only the pairs of a behavior that must be refused, because it hides the others', () => {
    const [first, second] = ALL.filter(isRefused) as [Behavior, Behavior];
    const [one, other] = ALL.filter((each) => !isRefused(each)) as [Behavior, Behavior];
    expect(listCoveredPairs([first, one, other])).toEqual([...listPairs([first, one]), ...listPairs([first, other])]);
    expect(listCoveredPairs([first, second])).toEqual(listPairs([first, second]));
    expect(listCoveredPairs([first, second, one])).toEqual([]);
    expect(listCoveredPairs([one, other])).toEqual(listPairs([one, other]));
  });

  it('hold two behaviors that must be refused together alone', () => {
    const served = large.filter((each) => !each.some(isRefused));
    const together = served.filter((each) => countRefusals(each) > 0).map(namesOf);
    expect(together).toHaveLength(11);
    expect(together).toContainEqual(['no-hash-pins', 'parent-block-number']);
    expect(together.every(({ length }) => length === 2)).toBe(true);
  });

  it('are divided into smaller ones that cover the same pairs', () => {
    const names = ['logs-50-besu', 'batch-limit-geth', 'html-502', 'rate-32005', 'null-blooms'];
    const combination = ALL.filter(({ name }) => names.includes(name));
    const divided = divide(combination);
    expect(divided.map(namesOf)).toEqual([
      ['rate-32005', 'html-502'],
      ['batch-limit-geth', 'logs-50-besu', 'rate-32005', 'null-blooms'],
      ['batch-limit-geth', 'logs-50-besu', 'html-502', 'null-blooms'],
    ]);
    expect(new Set(divided.flatMap(listCoveredPairs))).toEqual(new Set(listPairs(combination)));
    const refused = [ALL.find(isRefused)!, ...combination];
    expect(divide(refused).map(({ length }) => length)).toEqual([4, 3]);
    expect(new Set(divide(refused).flatMap(listCoveredPairs))).toEqual(new Set(listCoveredPairs(refused)));
  });

  it('follow the seed', () => {
    const some = ALL.slice(0, 20);
    const draw = (seed: number) => combine(some, 4, new Random(seed)).map(namesOf);
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});
