/** Deadlines expire requests in order, on virtual time. */
import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { Deadlines } from './deadlines.ts';
import type { RequestContext } from './request-context.ts';

function open() {
  const time = new VirtualTime();
  const expired: number[] = [];
  const arrivals = new Map<RequestContext, number>();
  const expire = (context: RequestContext) => void expired.push(arrivals.get(context)!);
  const deadlines = new Deadlines({ timeoutMilliseconds: 1_000, clock: time, timers: time, expire });
  const arrive = () => {
    const context = { arrivedAtMilliseconds: time.nowMilliseconds() } as RequestContext;
    arrivals.set(context, arrivals.size + 1);
    deadlines.add(context);
    return context;
  };
  return { time, expired, deadlines, arrive };
}

describe('Deadlines', () => {
  it('expires each request after its timeout, the oldest first', async () => {
    const { time, expired, arrive } = open();
    arrive();
    await time.advance(500);
    arrive();
    await time.advance(499);
    expect(expired).toEqual([]);
    await time.advance(101);
    expect(expired).toEqual([1]);
    await time.advance(500);
    expect(expired).toEqual([1, 2]);
  });

  it('does not expire requests that were removed, wherever they are in the list', async () => {
    const { time, expired, deadlines, arrive } = open();
    const requests = [arrive(), arrive(), arrive(), arrive(), arrive()];
    for (const index of [0, 2, 4]) deadlines.remove(requests[index]!);
    deadlines.remove(requests[2]!);
    await time.advance(1_100);
    expect(expired).toEqual([2, 4]);
  });

  it('waits on no timer without a request, and starts again with the next one', async () => {
    const { time, expired, deadlines, arrive } = open();
    expect(time.pauses).toEqual([]);
    deadlines.remove(arrive());
    await time.advance(100);
    expect(time.pauses).toEqual([]);
    arrive();
    await time.advance(1_100);
    expect(expired).toEqual([2]);
    expect(time.pauses).toEqual([]);
  });

  it('stops its timer when closed', async () => {
    const { time, deadlines, arrive } = open();
    arrive();
    expect(time.pauses).toEqual([100]);
    deadlines.close();
    await time.advance(0);
    expect(time.pauses).toEqual([]);
  });
});
