import { expect, it } from 'vitest';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { createRepeatedAbsence } from './repeated-absence.ts';

it('counts when it is seen again after ten minutes', () => {
  const time = new VirtualTime();
  const absences = createRepeatedAbsence(time);
  expect(absences.confirm('a', 0)).toBe(false);
  time.jump(599_999);
  expect(absences.confirm('a', 4)).toBe(false);
  time.jump(1);
  expect([absences.confirm('a', 0), absences.confirm('b', 0)]).toEqual([true, false]);
});

it('begins again after the transaction was found', () => {
  const time = new VirtualTime();
  const absences = createRepeatedAbsence(time);
  absences.confirm('a', 0);
  absences.forget('a');
  time.jump(600_000);
  expect(absences.confirm('a', 0)).toBe(false);
});

it('counts after four readings where too many are remembered', () => {
  const absences = createRepeatedAbsence(new VirtualTime());
  for (let number = 0; number < 100_000; number++) absences.confirm(String(number), 0);
  expect([absences.confirm('a', 3), absences.confirm('a', 4)]).toEqual([false, true]);
});
