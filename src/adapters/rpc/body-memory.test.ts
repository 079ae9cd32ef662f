/** Memory that the bodies of several hosts share. */
import { expect, test } from 'vitest';
import { BodyMemory, type Grow } from './body-memory.ts';

/** Starts bodies of a memory of 100 bytes, and records which of them are ended. */
function startBodies() {
  const memory = new BodyMemory(100);
  const ended: string[] = [];
  const start = (host: string, name: string, used?: Promise<unknown>) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    let grow: Grow = () => false;
    const end = () => {
      ended.push(name);
      reject(new Error('the connection ended'));
    };
    const read = (take: Grow) => {
      grow = take;
      return promise;
    };
    const received = memory.receive({ host, read, end, used }, new AbortController().signal);
    return { received, grow: (bytes: number) => grow(bytes), finish: resolve, fail: reject };
  };
  return { start, ended };
}

test('receives two bodies of a host at once, and those of other hosts besides', async () => {
  const { start } = startBodies();
  const bodies = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('b', 'b1')];
  expect(bodies.map(({ grow }) => grow(1))).toEqual([true, true, false, true]);
  bodies[0]!.finish(true);
  await new Promise(setImmediate);
  expect(bodies[2]!.grow(1)).toBe(true);
});

test('receives a further body of a host once one of two that are received is used', async () => {
  const { start } = startBodies();
  const used = Promise.withResolvers<unknown>();
  const first = [start('a', 'a1', used.promise), start('a', 'a2', new Promise(() => undefined))];
  for (const { finish } of first) finish(true);
  expect(await Promise.all(first.map(({ received }) => received))).toEqual([true, true]);
  const [next, other] = [start('a', 'a3'), start('b', 'b1')];
  await new Promise(setImmediate);
  expect([next.grow(1), other.grow(1)]).toEqual([false, true]);
  used.resolve(undefined);
  await new Promise(setImmediate);
  expect(next.grow(1)).toBe(true);
});

test('counts a received body until it is used, and ends one of the same host for that of another', async () => {
  const { start, ended } = startBodies();
  const used = Promise.withResolvers<unknown>();
  const received = start('a', 'a1', used.promise);
  received.grow(60);
  received.finish(true);
  expect(await received.received).toBe(true);
  const flood = start('a', 'a2');
  const other = start('b', 'b1');
  expect([flood.grow(10), other.grow(30), other.grow(1)]).toEqual([true, true, true]);
  expect(ended).toEqual(['a2']);
  expect(await flood.received).toBe(false);
  used.resolve(undefined);
  await new Promise(setImmediate);
  expect([other.grow(60), start('a', 'a3').grow(9)]).toEqual([true, true]);
  expect(ended).toEqual(['a2']);
});

test('does not wait for the use of a body that is not whole', async () => {
  const { start } = startBodies();
  const never = new Promise(() => undefined);
  const bodies = [start('a', 'a1', never), start('a', 'a2', never), start('a', 'a3'), start('a', 'a4')];
  bodies[0]!.finish(false);
  bodies[1]!.fail(new Error('the connection was lost'));
  await expect(bodies[1]!.received).rejects.toThrow('the connection was lost');
  await new Promise(setImmediate);
  expect([bodies[2]!.grow(1), bodies[3]!.grow(1)]).toEqual([true, true]);
});

test('ends no body while there is memory', async () => {
  const { start, ended } = startBodies();
  const bodies = [start('a', 'a1'), start('b', 'b1')];
  expect(bodies.map(({ grow }) => grow(50))).toEqual([true, true]);
  for (const { finish } of bodies) finish(true);
  expect(await Promise.all(bodies.map(({ received }) => received))).toEqual([true, true]);
  expect(ended).toEqual([]);
});

test('ends the longest body of the host that holds most, for a longer body of another host', async () => {
  const { start, ended } = startBodies();
  const flood = ['a1', 'a2'].map((name) => start('a', name));
  expect([28, 32].map((bytes, i) => flood[i]!.grow(bytes))).toEqual([true, true]);
  const other = start('b', 'b1');
  expect(other.grow(40)).toBe(true);
  expect(other.grow(1)).toBe(true);
  expect(ended).toEqual(['a2']);
  expect(await flood[1]!.received).toBe(false);
  expect(flood[1]!.grow(1)).toBe(false);
});

test('ends a body that takes more than the host that held most', async () => {
  const { start, ended } = startBodies();
  const first = start('a', 'a1');
  first.grow(40);
  const greedy = start('b', 'b1');
  expect(greedy.grow(60)).toBe(true);
  expect(greedy.grow(1)).toBe(false);
  expect(ended).toEqual(['b1']);
  expect(await greedy.received).toBe(false);
  first.finish(true);
  expect(await first.received).toBe(true);
});

test('releases the memory of bodies that are received, too long or fail', async () => {
  const { start, ended } = startBodies();
  for (const isWhole of [true, false]) {
    const body = start('a', 'a1');
    body.grow(90);
    body.finish(isWhole);
    expect(await body.received).toBe(isWhole);
  }
  const failing = start('a', 'a2');
  failing.grow(90);
  failing.fail(new Error('the connection was lost'));
  await expect(failing.received).rejects.toThrow('the connection was lost');
  expect(start('a', 'a3').grow(90)).toBe(true);
  expect(ended).toEqual([]);
});
