/** Tests the backoff of calls to the alt chain's nodes: what each refusal delays, and for how long. */
import { expect, it } from 'vitest';
import { chainUnreadable } from '../../domain/faults.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import { createSharedBackoff } from './shared-backoff.ts';

const { signal } = new AbortController();

/** Returns a backoff whose pauses end when the test ends them. */
function createHarness() {
  const pauses: { readonly milliseconds: number; readonly end: () => void }[] = [];
  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => void pauses.push({ milliseconds, end: resolve }));
  return { backoff: createSharedBackoff({ wait }), pauses };
}

/** Returns a call that is refused by these errors before it succeeds. */
function refuseWith(...errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

it('delays all calls while a node limits the rate', async () => {
  const { backoff, pauses } = createHarness();
  const refused = backoff.run(refuseWith(new AltNodeBusy('rate', 7)), signal);
  await nextTick();
  let isDone = false;
  const other = backoff.run(refuseWith(), signal).then(() => (isDone = true));
  await nextTick();
  expect([pauses.map(({ milliseconds }) => milliseconds), isDone]).toEqual([[7_000], false]);
  pauses[0]!.end();
  expect(await Promise.all([refused, other])).toEqual(['done', true]);
});

it('delays only the call that needs a later slot, by one slot and then up to a second', async () => {
  const { backoff, pauses } = createHarness();
  const behind = () => new AltNodeBusy('behind');
  const refused = backoff.run(refuseWith(behind(), behind(), behind()), signal);
  await nextTick();
  expect(await backoff.run(refuseWith(), signal)).toBe('done');
  for (const place of [0, 1, 2]) {
    pauses[place]!.end();
    await nextTick();
  }
  expect(await refused).toBe('done');
  expect(pauses.map(({ milliseconds }) => milliseconds)).toEqual([400, 800, 1_000]);
});

it.each([
  ['ten refusals', new AltNodeBusy('behind'), 11],
  ['three lost connections', chainUnreadable('alt', 'transport'), 4],
  ['one error of the node', chainUnreadable('alt', 'rpc-error'), 1],
])('fails after %s', async (_, error, expectedCalls) => {
  const backoff = createSharedBackoff({ wait: async () => undefined });
  let calls = 0;
  const call = async () => {
    calls += 1;
    throw error;
  };
  await expect(backoff.run(call, signal)).rejects.toBe(error);
  expect(calls).toBe(expectedCalls);
});
