/** Times at which a negative flag begins and ends. */
import { expect, test } from 'vitest';
import { judgeFlag, nextFlagChange } from './negative-flag.ts';

const FLAG = 1_800_000_000n;
const BEGIN = Number(FLAG) - 86_400;
const END = Number(FLAG) + 180 * 86_400;

test('begins one day before the time of the flag and ends 180 days after it', () => {
  const states = [BEGIN - 1, BEGIN, END - 1, END].map((now) => judgeFlag(FLAG, now));
  expect(states).toEqual(['none', 'in_force', 'in_force', 'ended']);
});

test('names the next second at which the state changes by time alone', () => {
  const changes = [0, BEGIN - 1, BEGIN, END - 1, END].map((now) => nextFlagChange(FLAG, now));
  expect(changes).toEqual([BEGIN, BEGIN, END, END, undefined].map((at) => at && BigInt(at)));
  expect([nextFlagChange(0n, 0), nextFlagChange(1_577_836_799n, 0)]).toEqual([undefined, undefined]);
});
