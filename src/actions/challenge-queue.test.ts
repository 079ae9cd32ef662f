import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Hex } from '../domain/evidence/signed-bytes.ts';
import type { Ctx } from '../ports/ctx.ts';
import { QUEUE_TIMEOUT_MILLISECONDS, runExclusive } from './challenge-queue.ts';

const CHALLENGE: Hex = `0x${'11'.repeat(32)}`;
const OTHER: Hex = `0x${'22'.repeat(32)}`;

let ctx: Ctx;
let started: string[];
beforeEach(() => {
  vi.useFakeTimers();
  ctx = {} as Ctx;
  started = [];
});
afterEach(() => {
  vi.useRealTimers();
});

/** A document that is judged until the test says what comes of it. */
function submit(name: string, challenge: Hex = CHALLENGE) {
  const judged = Promise.withResolvers<string>();
  const answer = runExclusive(ctx, challenge, () => {
    started.push(name);
    return judged.promise;
  });
  return { answer, accept: () => judged.resolve(`${name} accepted`), refuse: () => judged.reject(new Error(name)) };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

it('judges the documents of one challenge one after another, in their order', async () => {
  const [first, second, third] = [submit('first'), submit('second'), submit('third')];
  await settle();
  expect(started).toEqual(['first']);
  first.accept();
  expect(await first.answer).toBe('first accepted');
  await settle();
  expect(started).toEqual(['first', 'second']);
  second.accept();
  await settle();
  third.accept();
  expect(await Promise.all([second.answer, third.answer])).toEqual(['second accepted', 'third accepted']);
  expect(vi.getTimerCount()).toBe(0);
});

it('goes on after a refusal', async () => {
  const [first, second] = [submit('first'), submit('second')];
  first.refuse();
  await expect(first.answer).rejects.toThrow('first');
  second.accept();
  expect(await second.answer).toBe('second accepted');
});

it('lets nobody wait for another challenge, or for a turn that has ended', async () => {
  const first = submit('first');
  submit('other', OTHER);
  expect(started).toEqual(['first', 'other']);
  first.accept();
  await first.answer;
  submit('later');
  expect(started).toEqual(['first', 'other', 'later']);
});

it('lets nobody wait for longer than a while, however long the one before takes', async () => {
  const first = submit('first');
  const waiting = ['second', 'third'].map((name) => submit(name));
  await vi.advanceTimersByTimeAsync(QUEUE_TIMEOUT_MILLISECONDS - 1);
  expect(started).toEqual(['first']);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toEqual(['first', 'second', 'third']);
  for (const { accept } of [...waiting, first]) accept();
  expect(await Promise.all([first, ...waiting].map(({ answer }) => answer))).toEqual([
    'first accepted',
    'second accepted',
    'third accepted',
  ]);
});
