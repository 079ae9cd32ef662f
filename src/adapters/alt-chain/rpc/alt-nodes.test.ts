/** Tests reads when nodes fail, lag, rate limit or serve another cluster: never an absence, never a key in a log. */
import { Agent } from 'undici';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REAL_STOPWATCH } from '../../rpc/deadline.ts';
import { createHttpPost, type HttpResponse, type PostOptions } from '../../rpc/http-post.ts';
import { formatDeploymentProblem } from '../../rpc/deployment-problem.ts';
import {
  dropResponsesTo,
  respondWith,
  PROXY_KEY,
  rateLimit,
  truncateBody,
  type RpcFault,
} from '../../../../testing/harness/rpc-proxy.ts';
import { createAltChainHarness, type AltChainHarness } from '../../../../testing/fixtures/alt-chain-harness.ts';
import { CANNED_SLOT, startCannedNode, type CannedNode } from '../../../../testing/fakes/canned-alt-node.ts';
import type { AltChainAdapter } from '../create-alt-chain.ts';
import type { AltChainLimits } from '../limits.ts';
import { programOf, toId, vectorMachines } from '../../../../testing/fixtures/alt-chain-vectors.ts';

const FULL_ID = toId(vectorMachines[0]!.machineId);
const WALLET = programOf('router');
const UNKNOWN_ID = toId('77');

let first: CannedNode;
let second: CannedNode;
let harness: AltChainHarness;
/** Milliseconds by which the monotonic clock is ahead of the real one. */
let laterMilliseconds: number;
const stopwatch = {
  ...REAL_STOPWATCH,
  nowMilliseconds: () => REAL_STOPWATCH.nowMilliseconds() + laterMilliseconds,
};
beforeEach(async () => {
  laterMilliseconds = 0;
  first = await startCannedNode();
  second = await startCannedNode();
  harness = createAltChainHarness([first.proxy.url], first.genesisHash);
});
afterEach(async () => {
  await harness.close();
  await first.close();
  await second.close();
});

function openBoth(limits: Partial<AltChainLimits> = {}): AltChainAdapter {
  return harness.open({ rpcUrls: [first.proxy.url, second.proxy.url], limits });
}

const read = (adapter: AltChainAdapter, id = FULL_ID) => adapter.machines!.chain.readMachineUncached(id);
const countReads = ({ proxy }: CannedNode) =>
  proxy.calls.filter(({ method }) => method === 'getMultipleAccounts').length;
const unreadable = (cause: string) => ({ kind: 'ChainUnreadable', context: { chain: 'alt', cause } });
const changeResult = (change: (result: Record<string, unknown>) => unknown): RpcFault => ({
  kind: 'answer',
  change: (response, { method }) =>
    method === 'getMultipleAccounts' && 'result' in response
      ? { result: change(response.result as Record<string, unknown>) }
      : response,
});
const error = (code: number): RpcFault => respondWith('getMultipleAccounts', { error: { code, message: PROXY_KEY } });
const body = (change: (text: string) => string): RpcFault => ({ kind: 'body', change });

describe('a failure', () => {
  it.each<[name: string, fault: RpcFault, cause: string]>([
    ['a reset', { kind: 'cut' }, 'transport'],
    ['403', { kind: 'status', status: 403 }, 'transport'],
    ['429', rateLimit(), 'rate-limited'],
    ['500', { kind: 'status', status: 500 }, 'transport'],
    ['a truncated response', truncateBody(), 'malformed'],
    ['no JSON', body(() => '<html>'), 'malformed'],
    ['another request id', body((text) => text.replace(/"id":\d+/, '"id":0')), 'malformed'],
    ['a disabled method', error(-32601), 'rpc-error'],
    ['a node that is behind', error(-32005), 'rpc-error'],
    ['a slot that is not reached', error(-32016), 'rpc-error'],
    ['null', respondWith('getMultipleAccounts', { result: null }), 'malformed'],
    ['null for the accounts', changeResult((result) => ({ ...result, value: null })), 'malformed'],
    ['one account missing', changeResult((r) => ({ ...r, value: (r['value'] as unknown[]).slice(1) })), 'malformed'],
    ['one extra account', changeResult((r) => ({ ...r, value: [...(r['value'] as unknown[]), null] })), 'malformed'],
    ['no slot', changeResult((result) => ({ ...result, context: {} })), 'malformed'],
    ['a slot of 2^64', changeResult((result) => ({ ...result, context: { slot: 2 ** 64 } })), 'malformed'],
    ['an older slot', changeResult((result) => ({ ...result, context: { slot: CANNED_SLOT - 1 } })), 'block-mismatch'],
    [
      'no singletons',
      changeResult((r) => ({ ...r, value: (r['value'] as []).fill(null as never) })),
      'wrong-deployment',
    ],
  ])('makes present and absent machines unreadable until the node recovers: %s', async (_n, fault, cause) => {
    const adapter = harness.open();
    await read(adapter);
    first.proxy.inject(fault);
    await expect(read(adapter)).rejects.toMatchObject(unreadable(cause));
    await expect(read(adapter, UNKNOWN_ID)).rejects.toMatchObject(unreadable(cause));
    first.proxy.heal();
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { machine: { state: 'present' } } });
    expect(JSON.stringify(harness.lines)).not.toContain(PROXY_KEY);
  });

  it('by timeout makes the read unreadable within its deadline', async () => {
    const adapter = harness.open({ limits: { requestTimeoutMilliseconds: 50, readTimeoutMilliseconds: 100 } });
    first.proxy.inject({ kind: 'hang' });
    await expect(read(adapter)).rejects.toMatchObject(unreadable('deadline'));
  });

  it('of the first node falls back to the second', async () => {
    const adapter = openBoth();
    first.proxy.inject({ kind: 'status', status: 500 });
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    expect(harness.lines).toStrictEqual([
      {
        level: 'warn',
        fields: { chain: 'alt', endpoint: 1, cause: 'transport', failures: 1 },
        message: 'rpc endpoint failed',
      },
    ]);
    expect(adapter.counters.failures).toStrictEqual({ transport: 1 });
    expect([first.proxy.requests, countReads(second)]).toStrictEqual([1, 1]);
  });

  it('opens the circuit breaker of the node, which is used again later', async () => {
    const adapter = openBoth({ firstOpenMilliseconds: 250, maxOpenMilliseconds: 400 });
    first.proxy.inject({ kind: 'status', status: 403 }, 3);
    await read(adapter);
    harness.time.milliseconds += 249;
    await read(adapter);
    expect(first.proxy.requests).toBe(1);
    for (const milliseconds of [1, 400, 400]) {
      harness.time.milliseconds += milliseconds;
      await read(adapter);
    }
    expect(first.proxy.requests).toBe(5); // three refusals, then its genesis hash and the read
    expect(harness.lines.at(-1)!.message).toBe('rpc endpoint recovered');
  });

  it('of every node fails at once while all circuit breakers are open', async () => {
    const adapter = harness.open({ limits: { firstOpenMilliseconds: 250, maxOpenMilliseconds: 250 } });
    first.proxy.inject({ kind: 'cut' }, 2);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    const { requests } = first.proxy;
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    expect(first.proxy.requests).toBe(requests);
  });

  it('that is transient is retried up to maxWaits times', async () => {
    const adapter = harness.open();
    await read(adapter);
    first.proxy.inject(error(-32016), 3);
    first.proxy.resetCounts();
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    expect(countReads(first)).toBe(4);
    first.proxy.inject(error(-32016), 4);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
    expect(countReads(first)).toBe(8);
  });

  it('as overloaded (HTTP 503) does not stop the only node while it serves other reads', async () => {
    const adapter = harness.open();
    await read(adapter);
    first.proxy.inject({ kind: 'status', status: 503, body: '<html>' });
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    first.proxy.heal();
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    expect(harness.lines).toEqual([]);
  });

  it('by HTTP 402 stops proof for the day and lowers the rate of the budget', async () => {
    const adapter = harness.open();
    first.proxy.inject({ kind: 'status', status: 402 });
    await expect(read(adapter)).rejects.toMatchObject(unreadable('calls-used-up'));
    expect(adapter.budget.report()).toMatchObject({
      isDayExhausted: true,
      callsPerSecond: expect.closeTo(1, 2) as number,
    });
  });

  it('with a Retry-After beyond the deadline fails at once and opens the breaker for it, at most 30 s', async () => {
    const adapter = openBoth({ readTimeoutMilliseconds: 9_000 });
    await read(adapter);
    first.proxy.inject(rateLimit(3_600), 1);
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    second.proxy.inject(rateLimit(10), 1);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rate-limited'));
    const { requests } = first.proxy;
    harness.time.milliseconds += 29_999;
    await read(adapter);
    expect(first.proxy.requests).toBe(requests);
    harness.time.milliseconds += 1;
    await read(adapter);
    expect(first.proxy.requests).toBe(requests + 1);
  });
});

describe('the newest slot', () => {
  it('is required, and a node that is behind is skipped', async () => {
    const adapter = openBoth();
    await read(adapter);
    first.slot = CANNED_SLOT - 3;
    const { snapshot } = await read(adapter);
    expect(snapshot.slot).toBe(CANNED_SLOT);
    expect(second.proxy.calls.at(-1)!.params[1]).toMatchObject({ minContextSlot: CANNED_SLOT });
  });

  it('does not open the breaker of a node that has not reached it', async () => {
    const adapter = openBoth({ firstOpenMilliseconds: 250, maxOpenMilliseconds: 250 });
    await read(adapter);
    first.slot = CANNED_SLOT - 3;
    await read(adapter);
    first.slot = CANNED_SLOT;
    const { requests } = second.proxy;
    await read(adapter);
    expect(second.proxy.requests).toBe(requests);
    expect(harness.lines).toStrictEqual([]);
  });

  it('is waited for when the other node refuses the method', async () => {
    const adapter = openBoth();
    await read(adapter);
    second.proxy.inject(error(-32601));
    first.proxy.inject(error(-32016), 2);
    first.proxy.resetCounts();
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
    expect(countReads(first)).toBe(3);
  });

  it('applies to every later call', async () => {
    const adapter = harness.open();
    await read(adapter);
    first.slot = CANNED_SLOT + 5;
    expect(await adapter.machines!.history.readSlot()).toBe(CANNED_SLOT + 5);
    first.slot = CANNED_SLOT + 4;
    await expect(adapter.bindings!.readBinding(WALLET)).rejects.toMatchObject(unreadable('rpc-error'));
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
  });

  it('is not sent before one is known', async () => {
    await read(harness.open());
    expect(first.proxy.calls.map(({ method, params }) => [method, params[1]])).toStrictEqual([
      ['getGenesisHash', undefined],
      ['getMultipleAccounts', { commitment: 'finalized', encoding: 'base64' }],
    ]);
  });
});

describe('a node that limits the accounts of a call', () => {
  const MAX = 5;
  const accountCalls = () => first.proxy.calls.filter(({ method }) => method === 'getMultipleAccounts');
  const sizes = () => accountCalls().map(({ params }) => (params[0] as readonly string[]).length);
  /** Refuses longer lists; the slot of the other responses follows `slotAt`. */
  const limitAccounts = (slotAt: (response: number) => number = () => CANNED_SLOT) => {
    let responses = 0;
    first.proxy.inject({
      kind: 'answer',
      change: (response, { method, params }) => {
        if (method !== 'getMultipleAccounts' || !('result' in response)) return response;
        if ((params[0] as readonly string[]).length > MAX)
          return { error: { code: -32602, message: `Too many inputs provided; max ${MAX}` } };
        const context = { slot: slotAt(responses++) };
        return { result: { ...(response.result as object), context } };
      },
    });
  };

  it('is read in smaller calls, whose size is remembered', async () => {
    const expected = await read(harness.open());
    limitAccounts();
    const adapter = harness.open();
    first.proxy.resetCounts();
    expect(await read(adapter)).toStrictEqual(expected);
    expect(sizes()).toStrictEqual([6, 3, 3, 3]); // whole, a part of a size that may pass, then both parts
    first.proxy.resetCounts();
    expect(await read(adapter)).toStrictEqual(expected);
    expect(sizes()).toStrictEqual([3, 3]);
  });

  it.each([-32_016, -32_005])('sends only the part again that it refuses once with %i', async (code) => {
    const expected = await read(harness.open());
    limitAccounts();
    let parts = 0;
    first.proxy.inject({
      kind: 'answer',
      change: (response, { method }) =>
        method === 'getMultipleAccounts' && 'result' in response && ++parts === 2
          ? { error: { code, message: 'behind' } }
          : response,
    });
    const adapter = harness.open();
    first.proxy.resetCounts();
    expect(await read(adapter)).toStrictEqual(expected);
    expect(sizes()).toStrictEqual([6, 3, 3, 3, 3]);
  });

  it('is read again where parts are of different slots, so that the snapshot is of one slot', async () => {
    const adapter = harness.open();
    await read(adapter);
    first.slot = CANNED_SLOT + 1;
    limitAccounts((response) => CANNED_SLOT + Number(response > 1));
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT + 1);
    expect(sizes().slice(-6)).toStrictEqual([6, 3, 3, 3, 3, 3]);
  });

  it('is not read when its parts never are of one slot', async () => {
    const adapter = harness.open();
    await read(adapter);
    first.slot = CANNED_SLOT + 1_000;
    limitAccounts((response) => CANNED_SLOT + response);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('block-mismatch'));
  });
});

describe('a node that refuses the accounts of a call without a reason', () => {
  const MAX = 5;
  const dispatcher = new Agent();
  const post = createHttpPost(dispatcher);
  afterAll(() => dispatcher.destroy());

  type Refuse = (options: PostOptions) => Promise<HttpResponse>;
  const refuseWith = (status: number, text: string) => () =>
    Promise.resolve({ status, retryAfterSeconds: undefined, body: Buffer.from(text) });
  const reset = () => Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET' }));
  const hang: Refuse = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())));
  const ids = [FULL_ID, toId('78')];

  /** Opens the first node, whose calls of so many accounts `refuse` answers. */
  function openRefusing(isRefused: (count: number) => boolean, refuse: Refuse, limits: Partial<AltChainLimits> = {}) {
    const sizes: number[] = [];
    const adapter = harness.open({
      limits,
      post: (node, body, options) => {
        const { method, params } = JSON.parse(body) as { method: string; params: [unknown[]] };
        if (method !== 'getMultipleAccounts') return post(node, body, options);
        sizes.push(params[0].length);
        return isRefused(params[0].length) ? refuse(options) : post(node, body, options);
      },
    });
    return { adapter, sizes };
  }

  it.each<[name: string, refuse: Refuse, sizes: readonly number[]]>([
    ['400', refuseWith(400, 'Bad Request'), [6, 1, 6, 3, 3, 3]],
    ['500', refuseWith(500, 'Internal Server Error'), [6, 1, 6, 3, 3, 3]],
    ['a truncated response', refuseWith(200, '{"jsonrpc":"2.0","id":1,"result":{"context"'), [6, 1, 6, 3, 3, 3]],
    ['a reset', reset, [6, 6, 1, 6, 6, 3, 3, 3]],
  ])('is read in smaller calls, whose size is remembered: %s', async (_name, refuse, asked) => {
    const expected = await read(harness.open());
    const { adapter, sizes } = openRefusing((count) => count > MAX, refuse);
    expect(await read(adapter)).toStrictEqual(expected);
    expect(sizes.splice(0)).toStrictEqual(asked);
    expect(await read(adapter)).toStrictEqual(expected);
    expect(sizes).toStrictEqual([3, 3]);
    expect(harness.lines).toStrictEqual([]);
  });

  it('receives one smaller call while it fails whatever the size, and whole calls after that', async () => {
    let isDown = true;
    const { adapter, sizes } = openRefusing(() => isDown, refuseWith(500, ''), { maxWaits: 0 });
    for (let reads = 0; reads < 3; reads++) await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    expect(sizes.splice(0)).toStrictEqual([6, 1, 6, 1, 6, 1]);
    isDown = false;
    await read(adapter);
    expect(sizes).toStrictEqual([6]);
  });

  it('receives whole calls after a failure that the same call does not repeat', async () => {
    let failures = 1;
    const { adapter, sizes } = openRefusing(() => failures-- > 0, refuseWith(502, '<html>'));
    await read(adapter);
    await read(adapter);
    expect(sizes).toStrictEqual([6, 1, 6, 6]);
  });

  it('receives no smaller call when it asks to wait', async () => {
    const refuse: Refuse = () => Promise.resolve({ status: 503, retryAfterSeconds: 30, body: '' });
    const { adapter, sizes } = openRefusing(() => true, refuse);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    expect(sizes).toStrictEqual([6]);
  });

  it('receives smaller calls after two timeouts in a row of a size that never passed', async () => {
    const { adapter, sizes } = openRefusing((count) => count > 6, hang, { requestTimeoutMilliseconds: 200 });
    await read(adapter);
    const readBoth = () => Promise.all(ids.map((id) => read(adapter, id)));
    for (let reads = 0; reads < 2; reads++) await expect(readBoth()).rejects.toMatchObject(unreadable('deadline'));
    await readBoth();
    expect(sizes).toStrictEqual([6, 10, 10, 6, 6]);
  });

  it('receives whole calls after timeouts of a size that passed before', async () => {
    let isHung = false;
    const { adapter, sizes } = openRefusing(() => isHung, hang, { requestTimeoutMilliseconds: 200 });
    await read(adapter);
    isHung = true;
    for (let reads = 0; reads < 3; reads++) await expect(read(adapter)).rejects.toMatchObject(unreadable('deadline'));
    isHung = false;
    await read(adapter);
    expect(sizes).toStrictEqual([6, 6, 6, 6, 6]);
  });
});

describe('after the host was suspended for an hour', () => {
  const HOUR_MILLISECONDS = 3_600_000;
  const SLOTS_OF_AN_HOUR = 9_000;

  it.each<[age: string, seconds: number | null, isAccepted: boolean]>([
    ['13 s old', 13, true],
    ['299 s old', 299, true],
    ['301 s old', 301, false],
    ['301 s ahead', -301, false],
    ['not known', null, false],
  ])('a slot whose block is %s: accepted is %o', async (_age, secondsOld, isAccepted) => {
    const adapter = harness.open();
    await read(adapter);
    first.slot += SLOTS_OF_AN_HOUR;
    await expect(read(adapter)).rejects.toMatchObject(unreadable('malformed'));
    first.proxy.resetCounts();
    // The wall clock has advanced; the monotonic one has not.
    harness.time.milliseconds += HOUR_MILLISECONDS;
    const now = harness.time.milliseconds / 1000;
    const result = secondsOld === null ? null : now - secondsOld;
    first.responses.set('getBlockTime', () => ({ result }));
    const reading = read(adapter);
    if (!isAccepted) return expect(reading).rejects.toMatchObject(unreadable('malformed'));
    expect((await reading).snapshot.slot).toBe(first.slot);
    // The block time is read once.
    await read(adapter);
    expect(first.proxy.calls.filter(({ method }) => method === 'getBlockTime')).toHaveLength(1);
  });

  it('a slot beyond what the wall clock allows is refused whatever its block time', async () => {
    const adapter = harness.open();
    await read(adapter);
    first.slot += 3 * SLOTS_OF_AN_HOUR;
    harness.time.milliseconds += HOUR_MILLISECONDS;
    first.responses.set('getBlockTime', () => ({ result: harness.time.milliseconds / 1000 }));
    await expect(read(adapter)).rejects.toMatchObject(unreadable('malformed'));
  });
});

describe('a slot further ahead of the newest one than nodes are apart', () => {
  const blockTimes = () => first.proxy.calls.filter(({ method }) => method === 'getBlockTime').length;

  it.each<[age: string, slots: number, secondsOld: number | null, isAccepted: boolean, calls: number]>([
    ['13 s old', 1_000, 13, true, 1],
    ['301 s ahead', 1_000, -301, false, 1],
    ['299 s ahead', 1_000, -299, true, 1],
    ['an hour old, of a node that catches up', 1_000, 3_600, true, 1],
    ['not known', 1_000, null, true, 1],
    ['not read, because nodes may be so far apart', 150, -301, true, 0],
  ])('whose block is %s: %i slots, %o s: accepted is %o', async (_age, slots, secondsOld, isAccepted, calls) => {
    const adapter = harness.open();
    const readSlot = () => adapter.machines!.history.readSlot();
    await readSlot();
    first.slot += slots;
    const result = secondsOld === null ? null : harness.time.milliseconds / 1000 - secondsOld;
    first.responses.set('getBlockTime', () => ({ result }));
    if (isAccepted) expect(await readSlot()).toBe(first.slot);
    else await expect(readSlot()).rejects.toMatchObject(unreadable('malformed'));
    expect(blockTimes()).toBe(calls);
  });
});

describe('the first slot', () => {
  beforeEach(() => {
    harness.time.headSeconds = harness.time.milliseconds / 1000;
  });

  const open = (rpcUrls = [first.proxy.url]) => harness.open({ rpcUrls, stopwatch, limits: { unjudgedSlots: 3 } });
  const answerAges = (node: CannedNode, secondsOld: () => number | null) =>
    node.responses.set('getBlockTime', () => {
      const seconds = secondsOld();
      return { result: seconds === null ? null : harness.time.milliseconds / 1000 - seconds };
    });
  /** Opens both nodes, of which the first is an hour behind. */
  function openFirstBehind(): AltChainAdapter {
    answerAges(first, () => 3_600);
    answerAges(second, () => 13);
    second.slot += 9_000;
    return open([first.proxy.url, second.proxy.url]);
  }
  const countTimes = () => first.proxy.calls.filter(({ method }) => method === 'getBlockTime').length;

  it.each<[age: string, secondsOld: number | null, isAccepted: boolean, calls: number]>([
    ['13 s old', 13, true, 1],
    ['300 s old', 300, true, 1],
    ['301 s old', 301, false, 2],
    ['an hour ahead', -3_600, true, 1],
    ['not known', null, true, 3],
  ])('whose block is %s: %s s, accepted is %o', async (_age, secondsOld, isAccepted, calls) => {
    answerAges(first, () => secondsOld);
    const adapter = open();
    if (!isAccepted) {
      await expect(read(adapter)).rejects.toMatchObject(unreadable('block-mismatch'));
      answerAges(first, () => 13);
      first.slot += 9_000;
    }
    for (let reads = 0; reads < 4; reads++) expect((await read(adapter)).snapshot.slot).toBe(first.slot);
    expect(countTimes()).toBe(calls);
  });

  it.each([
    ['is not compared while no block of the main chain is known', 0],
    ['is compared with the main chain where the wall clock is an hour ahead', 1_790_000_000 - 3_600],
    ['is compared with the wall clock where the main chain is an hour ahead', 1_790_000_000 + 3_600],
  ])('%s', async (_name, headSeconds) => {
    harness.time.headSeconds = headSeconds;
    answerAges(first, () => (headSeconds > 1_790_000_000 ? 13 : 3_600));
    const adapter = open();
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
    harness.time.headSeconds = 1_790_000_000;
    const reading = read(adapter);
    if (headSeconds === 0) await expect(reading).rejects.toMatchObject(unreadable('block-mismatch'));
    else await reading;
  });

  it('that comes before any block of the main chain raises no floor for later ones', async () => {
    harness.time.headSeconds = 0;
    const adapter = openFirstBehind();
    await adapter.checkDeployment();
    harness.time.headSeconds = 1_790_000_000;
    for (let reads = 0; reads < 2; reads++) expect((await read(adapter)).snapshot.slot).toBe(second.slot);
  });

  it('is compared also where the request was sent before the first slot that was judged', async () => {
    harness.time.headSeconds = 0;
    const adapter = openFirstBehind();
    await read(adapter);
    const released = Promise.withResolvers<undefined>();
    first.proxy.inject({ kind: 'hold', until: released.promise }, 1);
    first.proxy.resetCounts();
    const early = read(adapter);
    await first.proxy.waitForRequests(1);
    harness.time.headSeconds = 1_790_000_000;
    expect((await read(adapter, UNKNOWN_ID)).snapshot.slot).toBe(second.slot);
    released.resolve(undefined);
    expect((await early).snapshot.slot).toBe(second.slot);
  });

  it('whose time is not known leaves a current one of another node possible', async () => {
    first.responses.set('getBlockTime', () => ({ error: { code: -32_011, message: 'no history' } }));
    answerAges(second, () => 13);
    second.slot += 9_000;
    const adapter = open([first.proxy.url, second.proxy.url]);
    for (let reads = 0; reads < 4; reads++) expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
    first.proxy.inject({ kind: 'cut' });
    expect((await read(adapter)).snapshot.slot).toBe(second.slot);
  });

  it('is read after a minute in which the time of its block could not be read', async () => {
    first.responses.set('getBlockTime', () => ({ error: { code: -32_005, message: 'busy' } }));
    const adapter = open([first.proxy.url]);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
    laterMilliseconds += 60_000;
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
  });

  it('is not read in the first minute in which block times cannot be read again', async () => {
    const adapter = open([first.proxy.url]);
    for (let seconds = 0; seconds <= 90; seconds += 30) {
      answerAges(first, () => 3_600);
      await expect(read(adapter)).rejects.toMatchObject(unreadable('block-mismatch'));
      laterMilliseconds += 30_000;
      first.slot += 75;
    }
    first.responses.set('getBlockTime', () => ({ error: { code: -32_005, message: 'busy' } }));
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
  });

  it('is that of the next node where the first one responds with nothing for the time of its block', async () => {
    first.proxy.inject(dropResponsesTo('getBlockTime'));
    answerAges(second, () => 13);
    second.slot += 9_000;
    const adapter = open([first.proxy.url, second.proxy.url]);
    expect((await read(adapter)).snapshot.slot).toBe(second.slot);
  });

  it('leaves a node in use that does not respond for the time of its block', async () => {
    const adapter = harness.open({
      limits: { unjudgedSlots: 3, firstOpenMilliseconds: 60_000, maxOpenMilliseconds: 60_000 },
    });
    first.proxy.inject(dropResponsesTo('getBlockTime'));
    await expect(read(adapter)).rejects.toMatchObject(unreadable('malformed'));
    first.proxy.heal();
    answerAges(first, () => 13);
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
  });

  it('is compared again where the time of its block could not be read', async () => {
    first.responses.set('getBlockTime', () => ({ error: { code: -32_005, message: 'busy' } }));
    const adapter = open();
    for (let reads = 0; reads < 4; reads++) await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
    answerAges(first, () => 3_600);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('block-mismatch'));
  });

  it('is that of the next node where the first one is behind', async () => {
    expect((await read(openFirstBehind())).snapshot.slot).toBe(second.slot);
  });
});

describe('a node that falls behind', () => {
  const MINUTE_MILLISECONDS = 60_000;
  /** Time of the newest block of the first node. */
  let newestSeconds: number;
  beforeEach(() => {
    newestSeconds = harness.time.milliseconds / 1000 - 13;
    first.responses.set('getBlockTime', () => ({ result: newestSeconds }));
    second.responses.set('getBlockTime', () => ({ result: harness.time.milliseconds / 1000 - 13 }));
  });

  const open = (rpcUrls: readonly string[]) =>
    harness.open({
      rpcUrls,
      stopwatch,
    });

  /** Raises the slot of the first node, with 400 ms from block to block. */
  function catchUp(slots: number): void {
    first.slot += slots;
    newestSeconds += slots * 0.4;
  }

  /** Lets time pass, in which the second node's slot rises. */
  function pass(milliseconds: number): void {
    laterMilliseconds += milliseconds;
    harness.time.milliseconds += milliseconds;
    harness.time.headSeconds = harness.time.milliseconds / 1000;
    second.slot += milliseconds / 400;
  }

  it('is not read once it has stood for five minutes; the next node is', async () => {
    const adapter = open([first.proxy.url, second.proxy.url]);
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
    pass(4 * MINUTE_MILLISECONDS);
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
    pass(MINUTE_MILLISECONDS);
    expect((await read(adapter)).snapshot.slot).toBe(second.slot);
  });

  it('is unreadable alone, and readable when it has caught up, however long it stood', async () => {
    const adapter = open([first.proxy.url]);
    await read(adapter);
    for (let minutes = 0; minutes < 5; minutes++) {
      pass(MINUTE_MILLISECONDS);
      if (minutes < 4) await read(adapter);
    }
    pass(55 * MINUTE_MILLISECONDS);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('block-mismatch'));
    catchUp(10);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('block-mismatch'));
    catchUp(8_990);
    expect((await read(adapter)).snapshot.slot).toBe(first.slot);
  });

  it('is not read while its slots rise again, but are hours old', async () => {
    const adapter = open([first.proxy.url, second.proxy.url]);
    await read(adapter);
    first.proxy.inject({ kind: 'cut' });
    second.proxy.inject({ kind: 'cut' });
    pass(60 * MINUTE_MILLISECONDS);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
    first.proxy.heal();
    second.proxy.heal();
    catchUp(10);
    expect((await read(adapter)).snapshot.slot).toBe(second.slot);
  });

  it('is not read once its slots have risen too slowly for ten minutes', async () => {
    const adapter = open([first.proxy.url, second.proxy.url]);
    for (let minutes = 0; minutes < 10; minutes++) {
      expect((await read(adapter)).snapshot.slot).toBe(first.slot);
      pass(MINUTE_MILLISECONDS);
      catchUp(75);
    }
    expect((await read(adapter)).snapshot.slot).toBe(second.slot);
  });

  it('is not read where the host was suspended with it', async () => {
    const adapter = open([first.proxy.url, second.proxy.url]);
    await read(adapter);
    pass(60 * MINUTE_MILLISECONDS);
    laterMilliseconds = 0;
    catchUp(30);
    expect((await read(adapter)).snapshot.slot).toBe(second.slot);
  });

  it('is compared once a minute while it is not behind', async () => {
    const adapter = open([first.proxy.url]);
    for (let minutes = 0; minutes < 3; minutes++) {
      pass(MINUTE_MILLISECONDS);
      catchUp(150);
      for (let reads = 0; reads < 3; reads++) await read(adapter);
    }
    expect(first.proxy.calls.filter(({ method }) => method === 'getBlockTime')).toHaveLength(3);
  });

  it('is read where the times of its blocks are not known', async () => {
    const adapter = open([first.proxy.url]);
    first.responses.set('getBlockTime', () => ({ result: null }));
    await read(adapter);
    pass(60 * MINUTE_MILLISECONDS);
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
  });
});

describe('after a slot that the chain cannot have reached', () => {
  const FALSE_SLOT = 1e15;
  const MINUTE_MILLISECONDS = 60_000;
  /** Opens both nodes; the first one begins with this slot, and the newest block of the second one is 13 s old. */
  async function openAfter(
    slot: number,
    secondsOld: number | null = 13,
    others: readonly CannedNode[] = [],
  ): Promise<AltChainAdapter> {
    first.slot = slot;
    second.responses.set('getBlockTime', () => ({
      result: secondsOld === null ? null : harness.time.milliseconds / 1000 - secondsOld,
    }));
    const rpcUrls = [first, second, ...others].map(({ proxy }) => proxy.url);
    const adapter = harness.open({ rpcUrls, stopwatch });
    expect((await read(adapter)).snapshot.slot).toBe(slot);
    return adapter;
  }

  it.each([
    ['for ten minutes', CANNED_SLOT + 1_499],
    ['since the newest block of the others', CANNED_SLOT + 216],
  ])('%s, reads from the other nodes after a minute', async (_when, slot) => {
    const adapter = await openAfter(slot);
    first.proxy.inject({ kind: 'cut' });
    laterMilliseconds += MINUTE_MILLISECONDS;
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
  });

  it('reads from the other nodes once no response has reached it for a minute', async () => {
    const adapter = await openAfter(FALSE_SLOT);
    first.proxy.inject({ kind: 'cut' });
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
    laterMilliseconds += MINUTE_MILLISECONDS;
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
    // The slot is refused from now on.
    first.proxy.heal();
    second.proxy.resetCounts();
    expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
    expect(second.proxy.calls.map(({ method }) => method)).toStrictEqual(['getMultipleAccounts']);
  });

  it('reads from the other nodes also when the last of them is busy', async () => {
    const third = await startCannedNode();
    try {
      const adapter = await openAfter(FALSE_SLOT, 13, [third]);
      first.proxy.inject({ kind: 'cut' });
      third.proxy.inject({ kind: 'status', status: 500 });
      laterMilliseconds += MINUTE_MILLISECONDS;
      expect((await read(adapter)).snapshot.slot).toBe(CANNED_SLOT);
    } finally {
      await third.close();
    }
  });

  it('reads from the node that sent it while that one still does', async () => {
    const adapter = await openAfter(FALSE_SLOT);
    laterMilliseconds += MINUTE_MILLISECONDS;
    first.slot += 1;
    expect((await read(adapter)).snapshot.slot).toBe(FALSE_SLOT + 1);
    first.proxy.inject({ kind: 'cut' });
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
  });

  it.each<[about: string, slot: number, secondsOld: number | null]>([
    ['may have reached it', CANNED_SLOT + 215, 13],
    ['is behind', FALSE_SLOT, 301],
    ['is ahead of the clock', FALSE_SLOT, -301],
    ['does not know the time of its block', FALSE_SLOT, null],
  ])('reads nothing from a node that %s', async (_about, slot, secondsOld) => {
    const adapter = await openAfter(slot, secondsOld);
    first.proxy.inject({ kind: 'cut' });
    laterMilliseconds += MINUTE_MILLISECONDS;
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
  });

  it('asks the nodes for their slots once a minute', async () => {
    const adapter = await openAfter(CANNED_SLOT + 215);
    first.proxy.inject({ kind: 'cut' });
    laterMilliseconds += MINUTE_MILLISECONDS;
    for (let reads = 0; reads < 3; reads++) await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
    const countProbes = () => second.proxy.calls.filter(({ method }) => method === 'getSlot').length;
    expect(countProbes()).toBe(1);
    laterMilliseconds += MINUTE_MILLISECONDS;
    await expect(read(adapter)).rejects.toMatchObject(unreadable('rpc-error'));
    expect(countProbes()).toBe(2);
  });
});

describe('a node of another cluster', () => {
  it('is never used, and the next node is', async () => {
    first.genesisHash = programOf('stranger');
    const adapter = harness.open({
      genesisHash: second.genesisHash as never,
      rpcUrls: [first.proxy.url, second.proxy.url],
    });
    await read(adapter);
    expect(first.proxy.calls.map(({ method }) => method)).toStrictEqual(['getGenesisHash']);
    expect((await adapter.checkDeployment()).map(formatDeploymentProblem)).toStrictEqual([
      'ALT_GENESIS_HASH: the node serves another chain than the configured one (endpoint 1 serves another cluster)',
    ]);
  });

  it('is detected by the deployment check when the cluster changes later', async () => {
    const adapter = harness.open();
    await read(adapter);
    first.genesisHash = programOf('stranger');
    expect(await adapter.checkDeployment()).toHaveLength(2);
    await expect(read(adapter)).rejects.toMatchObject(unreadable('wrong-chain'));
    first.genesisHash = second.genesisHash;
    await expect(read(adapter)).resolves.toMatchObject({ snapshot: { id: FULL_ID } });
  });

  it('is asked for its genesis hash once by concurrent reads', async () => {
    const adapter = harness.open();
    await Promise.all([read(adapter), adapter.bindings!.readBinding(WALLET), adapter.machines!.history.readSlot()]);
    expect(first.proxy.calls.filter(({ method }) => method === 'getGenesisHash')).toHaveLength(1);
  });
});

it('a closed adapter throws ChainUnreadable', async () => {
  const adapter = harness.open();
  await read(adapter);
  await adapter.close();
  await expect(read(adapter)).rejects.toMatchObject(unreadable('transport'));
});
