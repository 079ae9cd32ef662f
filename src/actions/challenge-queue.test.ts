import { beforeEach, describe, expect, it } from 'vitest';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { VirtualTime } from '../../testing/fakes/virtual-time.ts';
import type { Hex } from '../domain/evidence/signed-bytes.ts';
import type { Ctx } from '../ports/ctx.ts';
import { QUEUE_TIMEOUT_MILLISECONDS, runExclusive } from './challenge-queue.ts';

const CHALLENGE: Hex = `0x${'11'.repeat(32)}`;
const OTHER: Hex = `0x${'22'.repeat(32)}`;

let ctx: Ctx;
let time: VirtualTime;
let started: string[];
beforeEach(() => {
  time = new VirtualTime();
  ctx = createStubCtx({ clock: time, timers: time });
  started = [];
});

/** Starts judging a document; the judgement ends when the test accepts or refuses the document. */
function submit(name: string, challenge: Hex = CHALLENGE) {
  const judged = Promise.withResolvers<string>();
  const result = runExclusive(ctx, challenge, () => {
    started.push(name);
    return judged.promise;
  });
  return { result, accept: () => judged.resolve(`${name} accepted`), refuse: () => judged.reject(new Error(name)) };
}

const settle = () => time.advance(0);

describe('documents for one challenge', () => {
  it('are judged one after another, in the order in which they arrived', async () => {
    const [first, second, third] = [submit('first'), submit('second'), submit('third')];
    await settle();
    expect(started).toEqual(['first']);
    first.accept();
    expect(await first.result).toBe('first accepted');
    await settle();
    expect(started).toEqual(['first', 'second']);
    second.accept();
    await settle();
    third.accept();
    expect(await Promise.all([second.result, third.result])).toEqual(['second accepted', 'third accepted']);
    expect(time.pauses).toEqual([]);
  });

  it('are judged after a refusal too', async () => {
    const [first, second] = [submit('first'), submit('second')];
    first.refuse();
    await expect(first.result).rejects.toThrow('first');
    second.accept();
    expect(await second.result).toBe('second accepted');
  });

  it('start at once when no document for the same challenge is being judged', async () => {
    const first = submit('first');
    submit('other', OTHER);
    expect(started).toEqual(['first', 'other']);
    first.accept();
    await first.result;
    submit('later');
    expect(started).toEqual(['first', 'other', 'later']);
  });

  it('are judged in parallel once they have waited for the timeout', async () => {
    const first = submit('first');
    const waiting = ['second', 'third'].map((name) => submit(name));
    await time.advance(QUEUE_TIMEOUT_MILLISECONDS - 1);
    expect(started).toEqual(['first']);
    await time.advance(1);
    expect(started).toEqual(['first', 'second', 'third']);
    for (const { accept } of [...waiting, first]) accept();
    expect(await Promise.all([first, ...waiting].map(({ result }) => result))).toEqual([
      'first accepted',
      'second accepted',
      'third accepted',
    ]);
  });

  it('do not wait for those of another service', async () => {
    submit('first');
    ctx = createStubCtx({ clock: time, timers: time });
    submit('elsewhere');
    expect(started).toEqual(['first', 'elsewhere']);
  });
});
