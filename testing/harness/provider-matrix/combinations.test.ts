import { describe, expect, it } from 'vitest';
import { Random } from '../../../sim/random.ts';
import { ALT_BEHAVIORS } from '../provider-proxy/alt-behaviors.ts';
import { MAIN_BEHAVIORS } from '../provider-proxy/behaviors.ts';
import { combine, listPairs } from './combinations.ts';

const namesOf = (combination: readonly { readonly name: string }[]) => combination.map(({ name }) => name);

describe.each([
  ['main', MAIN_BEHAVIORS.filter(({ expect: each }) => each === 'served')],
  ['alt', ALT_BEHAVIORS],
] as const)('combinations of %s-chain behaviors', (_, behaviors) => {
  const all = listPairs(behaviors).toSorted();

  it.each([2, 6])('cover every pair with at most %i behaviors each', (size) => {
    const combinations = combine(behaviors, size, new Random(1));
    expect([...new Set(combinations.flatMap(listPairs))].toSorted()).toEqual(all);
    expect(Math.max(...combinations.map(({ length }) => length))).toBe(size);
  });

  it('are each pair once where they are pairs', () => {
    expect(combine(behaviors, 2, new Random(1)).flatMap(listPairs).toSorted()).toEqual(all);
  });

  it('combine more than two behaviors only where none hides another', () => {
    const large = combine(behaviors, 6, new Random(1)).filter(({ length }) => length > 2);
    expect(large.length).toBeGreaterThan(0);
    for (const combination of large) {
      const names = namesOf(combination);
      for (const family of [/^batch/, /^rate-/, /bloom/, /^alt-\d+-accounts/])
        expect(names.filter((name) => family.test(name)).length).toBeLessThan(2);
    }
  });

  it('follow the seed', () => {
    const draw = (seed: number) => combine(behaviors, 4, new Random(seed)).map(namesOf);
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});
