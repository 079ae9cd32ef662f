import { expect, test } from 'vitest';
import { rule } from '../../../test/conformance/rule.ts';
import { mergeActive } from './active-machine.ts';
import type { MachineId } from '../identifiers/identifiers.ts';

const active = (id: number, lastEventAt: number) => ({ id: BigInt(id) as MachineId, lastEventAt });

test('merges both lists newest first, equal times by id, each machine once', () => {
  rule('active-machines.newest');
  const lists = [
    [active(7, 50), active(2, 40), active(9, 10)],
    [active(10, 40), active(2, 45), active(9, 5)],
  ];
  expect(mergeActive(lists, 9)).toEqual([active(7, 50), active(2, 45), active(10, 40), active(9, 10)]);
  expect(mergeActive(lists, 2)).toEqual([active(7, 50), active(2, 45)]);
  expect(mergeActive([], 2)).toEqual([]);
  expect(mergeActive([[active(10, 40), active(9, 40)]], 2)).toEqual([active(9, 40), active(10, 40)]);
  expect(mergeActive([[active(9, 40), active(10, 40)]], 2)).toEqual([active(9, 40), active(10, 40)]);
  expect(mergeActive([[active(9, 0)]], 2)).toEqual([active(9, 0)]);
});
