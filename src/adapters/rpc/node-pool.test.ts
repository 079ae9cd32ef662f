/** Pool of one and two nodes in front of a rate limit: what a refusal changes for other requests. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { Fault } from '../../domain/faults.ts';
import type { NodeProfiles } from '../../ports/node-profiles.ts';
import { createCallBudget, type CallBudget, type CallPurpose } from './call-budget.ts';
import { REAL_STOPWATCH, startDeadline, type Stopwatch } from './deadline.ts';
import { postToNode, type PostRpc } from './http-post.ts';
import { openNodePool, type Exchange, type NodePool, type PoolNode } from './node-pool.ts';
import { createPoolCounters, type PoolCounters } from './pool-counters.ts';
import { PAYMENT_REQUIRED, RpcFailure } from './rpc-failure.ts';

const CALLER: CallPurpose = { work: { kind: 'caller', networks: ['192.0.2.1'] }, isKnown: false };
const OTHER_CALLER: CallPurpose = { work: { kind: 'caller', networks: ['192.0.2.2'] }, isKnown: false };
const HEAD: CallPurpose = { work: { kind: 'head' }, isKnown: true };
const INDEX: CallPurpose = { work: { kind: 'index' }, isKnown: true };
const START = 1_799_971_200_000;
const clock = { nowMilliseconds: () => now };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let now: number;
let stopwatch: Stopwatch;
let budget: CallBudget;
let counters: PoolCounters;
let pool: NodePool<string>;
/** Positions of the nodes that refuse every call. */
let refusing: Set<number>;
let purposes: CallPurpose[];

beforeEach(() => {
  now = START;
  stopwatch = REAL_STOPWATCH;
  refusing = new Set();
  purposes = [];
});

function open(nodes: number, profiles?: NodeProfiles, post?: PostRpc, needed?: number, callsPerDay?: number): void {
  budget = createCallBudget({ clock, stopwatch, callsPerDay });
  counters = createPoolCounters();
  pool = openNodePool(
    {
      rpcUrls: Array.from({ length: nodes }, (_, i) => `http://192.0.2.${i + 1}/`),
      clock,
      log: silent,
      limits: {
        connectionsPerNode: 1,
        requestTimeoutMilliseconds: 1_000,
        firstOpenMilliseconds: 250,
        maxOpenMilliseconds: 10_000,
        maxRetryAfterMilliseconds: 60_000,
        maxResponseBytes: 1_024,
      },
      counters,
      budget,
      profiles,
      post,
      stopwatch,
      needed,
    },
    {
      chain: 'main',
      expected: 'chain',
      readIdentity(_, { purpose }) {
        purposes.push(purpose);
        return Promise.resolve('chain');
      },
    },
  );
}

const hashUrl = (url: string) => createHash('sha256').update(url).digest('hex');

/** Sends one call to the nodes in this order; returns the position of the node that served it. */
async function send(
  purpose = CALLER,
  failure = new RpcFailure('transport', 'rate', { retryAfterSeconds: 60 }),
  order = pool.nodes,
) {
  const deadline = startDeadline(5_000, 1_000, stopwatch, purpose);
  const { value } = await pool.tryNodes(
    deadline,
    (node) =>
      pool.exchange(
        node,
        {
          methods: ['eth_call'],
          send: () => (refusing.has(node.position) ? Promise.reject(failure) : Promise.resolve(node.position)),
          outcomes: () => ['answered'],
          countRateLimited: () => 0,
        },
        deadline,
      ),
    order,
  );
  return value;
}

describe('a report of a gateway that it is overloaded', () => {
  const overload = new RpcFailure('transport', 'failed', { code: 503, isOfGateway: true, isOverload: true });

  test('paces the only node while it serves other calls, and does not stop it', async () => {
    open(1);
    await send();
    refusing.add(0);
    for (let i = 0; i < 3; i++) await expect(send(CALLER, overload)).rejects.toMatchObject({ kind: 'failed' });
    expect(pool.nodes[0]!.profile.rate.callsPerSecond).toBe(5);
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(false);
    expect(budget.report().refusals).toBe(0);
  });

  test('stops a node that serves nothing', async () => {
    open(1);
    refusing.add(0);
    await expect(send(CALLER, overload)).rejects.toMatchObject({ kind: 'failed' });
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(true);
  });
});

describe('a refusal for the rate', () => {
  test('of one caller does not stop the only node for others', async () => {
    open(1);
    refusing.add(0);
    await expect(send()).rejects.toMatchObject({ kind: 'rate' });
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(false);
    refusing.clear();
    expect(await send(HEAD)).toBe(0);
    expect(budget.report()).toMatchObject({ refusals: 1, callsPerSecond: 5, isDayExhausted: false });
  });

  test('leaves the node to another one, and limits nothing while that one serves', async () => {
    open(2);
    refusing.add(0);
    expect(await send()).toBe(1);
    expect(pool.nodes.map(({ breaker }) => breaker.isOpen())).toEqual([true, false]);
    expect(budget.report()).toMatchObject({ refusals: 0, callsPerSecond: undefined });
  });

  test('of the last usable node does not open its circuit breaker', async () => {
    open(2);
    refusing.add(0).add(1);
    await expect(send()).rejects.toMatchObject({ kind: 'rate' });
    expect(pool.nodes.map(({ breaker }) => breaker.isOpen())).toEqual([true, false]);
    expect(budget.report().refusals).toBe(1);
  });
});

describe('HTTP 402, because the calls of a day are used up,', () => {
  const USED_UP = new RpcFailure('transport', 'rate', { code: PAYMENT_REQUIRED, retryAfterSeconds: 60 });

  test('of the only node stops proof and lowers the rate, until it serves a call', async () => {
    open(1);
    refusing.add(0);
    await expect(send(CALLER, USED_UP)).rejects.toMatchObject({ code: 402 });
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(false);
    expect(budget.report()).toMatchObject({ isDayExhausted: true, callsPerSecond: 1 });
    refusing.clear();
    expect(await send(HEAD)).toBe(0);
    expect(budget.report()).toMatchObject({ isDayExhausted: false, callsPerSecond: undefined });
  });

  test.each([
    ['leaves the node to another one', [0, 1, 2], 1],
    ['of a node that is used alone leaves it out', [0], undefined],
    ['of the last node that is used alone leaves it out', [2], undefined],
  ])('%s, and limits nothing while others serve', async (_, order, served) => {
    open(3);
    refusing.add(order[0]!);
    const nodes = order.map((position) => pool.nodes[position]!);
    const sent = await send(CALLER, USED_UP, nodes).catch((error: unknown) => error);
    if (served === undefined) expect(sent).toMatchObject({ code: 402 });
    else expect(sent).toBe(served);
    expect(nodes[0]!.breaker.isOpen()).toBe(true);
    expect(budget.report()).toMatchObject({ isDayExhausted: false, callsPerSecond: undefined });
    // The reason is still known while the node is left out.
    await expect(send(CALLER, USED_UP, nodes.slice(0, 1))).rejects.toMatchObject({ kind: 'rate', code: 402 });
  });

  test('of every node lowers the rate', async () => {
    open(2);
    refusing.add(0).add(1);
    await expect(send(CALLER, USED_UP)).rejects.toMatchObject({ code: 402 });
    expect(budget.report()).toMatchObject({ isDayExhausted: true, callsPerSecond: 1 });
  });

  test('limits nothing while the other node fails for a moment', async () => {
    open(2);
    refusing.add(0);
    expect(await send(CALLER, USED_UP)).toBe(1);
    refusing.add(1);
    await expect(send(CALLER, new RpcFailure('transport'))).rejects.toMatchObject({ kind: 'failed' });
    expect(pool.nodes.map(({ breaker }) => breaker.isOpen())).toEqual([true, true]);
    expect(budget.report()).toMatchObject({ isDayExhausted: false, callsPerSecond: undefined });
  });
});

test('leaves a request that this process has no memory for to another node, without blame', async () => {
  open(2);
  refusing.add(0);
  expect(await send(CALLER, new RpcFailure('transport', 'local'))).toBe(1);
  expect(pool.nodes.map(({ breaker }) => breaker.isOpen())).toEqual([false, false]);
});

test.each(['succeeds', 'fails'])('holds the body of a response until its request %s', async (how) => {
  let used: Promise<unknown> | undefined;
  const post: PostRpc = (_node, _body, options) => {
    ({ used } = options);
    return Promise.resolve({ status: 200, retryAfterSeconds: undefined, body: '' });
  };
  open(1, undefined, post);
  const parsed = Promise.withResolvers<unknown>();
  const exchange = {
    methods: [],
    send: async (...[node, options]: Parameters<Exchange<void>['send']>) => {
      await postToNode(node, '', options);
      await parsed.promise;
    },
    outcomes: () => [],
    countRateLimited: () => 0,
  };
  const sent = pool.exchange(pool.nodes[0]!, exchange, startDeadline(5_000, 1_000, REAL_STOPWATCH, HEAD));
  const isUsed = () => Promise.race([used!.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
  await new Promise(setImmediate);
  expect(await isUsed()).toBe(false);
  if (how === 'fails') parsed.reject(new RpcFailure('malformed'));
  else parsed.resolve(undefined);
  await Promise.allSettled([sent]);
  expect(await isUsed()).toBe(true);
});

test('repeats a request whose connection, the only one, was lost, and counts its calls again', async () => {
  let posted = 0;
  const post: PostRpc = () => {
    posted += 1;
    if (posted === 1) return Promise.reject(Object.assign(new Error('connection lost'), { code: 'ECONNRESET' }));
    return Promise.resolve({ status: 200, retryAfterSeconds: undefined, body: '' });
  };
  open(1, undefined, post);
  const deadline = startDeadline(5_000, 1_000, REAL_STOPWATCH, HEAD);
  const response = await pool.exchange(
    pool.nodes[0]!,
    {
      methods: ['eth_call', 'eth_call'],
      send: (node, options) => postToNode(node, '[]', options),
      outcomes: () => ['answered', 'answered'],
      countRateLimited: () => 0,
    },
    deadline,
  );
  expect(response).toMatchObject({ status: 200 });
  expect([posted, counters.httpRequests, budget.report().calls.head]).toEqual([2, 2, 4]);
});

describe('a request that is not repeated after its connection was lost', () => {
  /** Sends a request whose connection is lost, and whose second turn is this one. */
  async function loseConnection(secondTurn: () => Promise<void>): Promise<unknown> {
    open(1, undefined, () => Promise.reject(Object.assign(new Error('connection lost'), { code: 'ECONNRESET' })));
    const turns = [() => undefined, secondTurn];
    budget.admit = () => turns.shift()!();
    const exchange: Exchange<unknown> = {
      methods: ['eth_call'],
      async send(node, options) {
        const reply = await postToNode(node, '', options);
        if (typeof reply === 'string') throw new RpcFailure('transport');
        return reply;
      },
      outcomes: () => [],
      countRateLimited: () => 0,
    };
    const deadline = startDeadline(5_000, 10, stopwatch, CALLER);
    return pool.tryNodes(deadline, (node) => pool.exchange(node, exchange, deadline)).catch((error: unknown) => error);
  }

  test.each([
    ['its second turn is refused', new Fault('LookupsExceeded', { retryAfterSeconds: 7 })],
    ['the calls of the day are used up', new RpcFailure('own-calls-used-up', 'local')],
  ])('because %s fails with that, and opens no circuit breaker', async (_, refusal) => {
    expect(await loseConnection(() => Promise.reject(refusal))).toBe(refusal);
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(false);
  });

  test('because its second turn came too late opens no circuit breaker', async () => {
    const late = () => new Promise<void>((resolve) => setTimeout(resolve, 50));
    expect(await loseConnection(late)).toMatchObject({ kind: 'local' });
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(false);
    expect(counters.httpRequests).toBe(1);
  });
});

describe('a request whose deadline expires', () => {
  const exchange = {
    methods: ['eth_call'],
    send: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new RpcFailure('deadline')), { once: true });
      }),
    outcomes: () => [],
    countRateLimited: () => 0,
  };

  test.each([
    ['of a wait for the calls of the day', 'own-calls-used-up', 1_000],
    ['of a silent node', 'deadline', 0],
  ] as const)('%s fails with %s, and opens no circuit breaker', async (_of, unreadable, used) => {
    open(1, undefined, undefined, undefined, 1_000);
    budget.takeTurn(used, HEAD, { granted: () => undefined, refused: () => undefined });
    const deadline = startDeadline(20, 1_000, stopwatch, HEAD);
    const read = pool.tryNodes(deadline, (node) => pool.exchange(node, exchange, deadline));
    await expect(read).rejects.toMatchObject({ unreadable });
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(false);
    expect(counters.failures).toEqual({});
  });
});

test.each([
  ['a caller', 'that another one can replace', CALLER, 2, 1, 1_500],
  ['a caller', 'that no other one can replace', CALLER, 1, 1, 2_500],
  ['the head', 'that another one can replace', HEAD, 2, 1, 1_500],
  ['the head', 'that no other one can replace', HEAD, 1, 1, 2_500],
  ['the head', 'without which two others still agree', HEAD, 3, 2, 1_500],
  ['the head', 'that must agree with the only other one', HEAD, 2, 2, 2_500],
  ['a check of each node', 'that another one can replace', { ...HEAD, isForOneNode: true }, 2, 1, 2_500],
  ['the index', 'that another one can replace', INDEX, 2, 1, 2_500],
])('limits how long %s waits for a silent node %s', async (_who, _which, purpose, nodeCount, needed, expected) => {
  const timeouts: number[] = [];
  stopwatch = {
    ...REAL_STOPWATCH,
    startTimeout(milliseconds) {
      timeouts.push(milliseconds);
      return new AbortController().signal;
    },
  };
  open(nodeCount, undefined, undefined, needed);
  const first = pool.nodes[0]!;
  const nothing = { methods: [], send: () => Promise.resolve(), outcomes: () => [], countRateLimited: () => 0 };
  await pool.exchange(first, nothing, startDeadline(60_000, 2_500, REAL_STOPWATCH, purpose));
  expect(timeouts).toEqual([expected]);
});

describe('a node that fails the head', () => {
  const silence = new RpcFailure('deadline');
  /** Sends a call of the head, which the first node does not serve, once that node's circuit breaker has closed. */
  async function failHead(): Promise<void> {
    refusing.add(0);
    await send(HEAD, silence);
    refusing.clear();
    now += 10_000;
    expect(pool.nodes[0]!.breaker.isOpen()).toBe(false);
  }

  test('is asked last by the head for longer with each failure, and first by others', async () => {
    open(2);
    await failHead();
    expect(await send(HEAD)).toBe(0);
    for (let i = 0; i < 3; i++) await failHead();
    expect([await send(HEAD), await send(CALLER)]).toEqual([1, 0]);
    now += 60_000;
    expect([await send(HEAD), await send(CALLER)]).toEqual([0, 0]);
  });

  test('is asked last although it serves other calls in between', async () => {
    open(2);
    for (let i = 0; i < 3; i++) {
      await failHead();
      await send(CALLER);
      await send(HEAD, silence, [pool.nodes[0]!]);
    }
    expect(await send(HEAD)).toBe(1);
  });

  test('serves the head while the other one fails', async () => {
    open(2);
    await failHead();
    await failHead();
    refusing.add(1);
    expect(await send(HEAD, silence)).toBe(0);
  });

  test('is asked for its identity alone when each node is asked', async () => {
    open(2);
    await pool.readIdentities(startDeadline(5_000, 1_000, stopwatch, CALLER));
    expect(purposes).toEqual(Array(2).fill({ ...HEAD, isForOneNode: true }));
  });
});

test('queries the identity of a node with the share of the head', async () => {
  open(1);
  await send();
  expect(purposes).toEqual([HEAD]);
});

describe('the profiles of the nodes', () => {
  const FIRST = hashUrl('http://192.0.2.1/');

  test('are listed by the SHA-256 of the URL, where something was learned', async () => {
    open(2);
    refusing.add(0);
    expect(await send()).toBe(1);
    expect([...pool.listProfiles().keys()]).toEqual([FIRST]);
  });

  test('pace a node from the start as an earlier process was paced', () => {
    open(2, new Map([[FIRST, '{"callsPerSecond":25}']]));
    expect(pool.nodes.map(({ profile }) => profile.rate.callsPerSecond)).toEqual([25, undefined]);
  });
});

describe('a node whose learned rate is lower than the ceiling', () => {
  const CALLS_PER_SECOND = 10;
  const SECONDS = 30;
  let time: VirtualTime;
  let waits: { readonly name: string; readonly milliseconds: number; readonly error: unknown }[];

  beforeEach(() => {
    time = new VirtualTime();
    waits = [];
    stopwatch = {
      nowMilliseconds: () => time.nowMilliseconds(),
      startTimeout: () => new AbortController().signal,
      async pause(milliseconds, signal) {
        await time.wait(milliseconds, signal);
        signal.throwIfAborted();
      },
    };
  });

  /** Opens nodes of which each has learned a rate, which does not grow. */
  function openPaced(...rates: readonly number[]): void {
    const profiles = rates.map(
      (callsPerSecond, i) => [hashUrl(`http://192.0.2.${i + 1}/`), JSON.stringify({ callsPerSecond })] as const,
    );
    open(rates.length, new Map(profiles));
    for (const { profile } of pool.nodes) profile.rate.recordAccepted = () => undefined;
  }

  async function sendTimed(name: string, purpose: CallPurpose, order = pool.nodes): Promise<void> {
    const startedAt = time.nowMilliseconds();
    const error = await send(purpose, undefined, order).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    waits.push({ name, milliseconds: time.nowMilliseconds() - startedAt, error });
  }

  /** Sends one call after the other, with a pause between them. */
  async function sendSteadily(name: string, purpose: CallPurpose, order: readonly PoolNode[], pauseMilliseconds = 10) {
    const end = time.nowMilliseconds() + SECONDS * 1_000;
    while (time.nowMilliseconds() < end) {
      await sendTimed(name, purpose, order);
      await time.wait(pauseMilliseconds, new AbortController().signal);
    }
  }

  async function flood(order = pool.nodes): Promise<void> {
    for (let i = 0; i < 40; i++) void sendSteadily('flood', CALLER, order);
    for (let i = 0; i < 10; i++) void sendSteadily('other', OTHER_CALLER, order);
    for (let i = 0; i < 3; i++) void sendSteadily('index', INDEX, order);
    void sendSteadily('head', HEAD, order, 1_000);
    await time.advance((SECONDS + 5) * 1_000);
  }

  const of = (name: string) => waits.filter((each) => each.name === name);
  const countServed = (name: string) => of(name).filter(({ error }) => error === undefined).length;

  /** Asserts the shares of the call budget. */
  function expectShares(): void {
    const served = ['head', 'index', 'flood', 'other'].map(countServed).reduce((sum, each) => sum + each, 0);
    expect(served).toBeLessThanOrEqual(CALLS_PER_SECOND * (SECONDS + 6));
    expect(served).toBeGreaterThan(0.8 * CALLS_PER_SECOND * SECONDS);
    expect(Math.max(...of('head').map(({ milliseconds }) => milliseconds))).toBeLessThanOrEqual(1_100);
    expect(countServed('index')).toBeGreaterThanOrEqual(0.18 * CALLS_PER_SECOND * SECONDS);
    expect(countServed('other')).toBeGreaterThan(0.9 * countServed('flood'));
  }

  test('is shared as the ceiling is: between the head, the index and each caller', async () => {
    openPaced(CALLS_PER_SECOND);
    await flood();
    expectShares();
  });

  test('is shared by the calls of the second node alone, too', async () => {
    openPaced(1_000, CALLS_PER_SECOND);
    await flood([pool.nodes[1]!]);
    expectShares();
  });

  test('refuses reads that wait for two seconds', async () => {
    openPaced(CALLS_PER_SECOND);
    await flood();
    const reads = [...of('flood'), ...of('other')];
    const refused = reads.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    for (const { error, milliseconds } of refused) {
      expect(error).toMatchObject({ kind: 'LookupsExceeded', context: { retryAfterSeconds: expect.any(Number) } });
      expect(milliseconds).toBeLessThanOrEqual(2_000);
    }
    expect(Math.max(...reads.map(({ milliseconds }) => milliseconds))).toBeLessThanOrEqual(2_000);
  });

  describe('stalls: requests beyond its connections', () => {
    let sentAt: number[];
    let stall: PromiseWithResolvers<undefined>;

    beforeEach(() => {
      sentAt = [];
      stall = Promise.withResolvers();
    });

    /** Sends one call to the nodes in their order, of which the first responds when the stall has ended. */
    async function sendStalled(purpose = INDEX): Promise<number> {
      const deadline = startDeadline(60_000, 60_000, stopwatch, purpose);
      const exchangeWith = (node: PoolNode) =>
        pool.exchange(
          node,
          {
            methods: ['eth_call'],
            async send() {
              sentAt.push(time.nowMilliseconds());
              if (node.position === 0) await stall.promise;
              return node.position;
            },
            outcomes: () => ['answered'],
            countRateLimited: () => 0,
          },
          deadline,
        );
      return (await pool.tryNodes(deadline, exchangeWith)).value;
    }

    test('wait without a turn, and leave within the rate once it serves again', async () => {
      openPaced(CALLS_PER_SECOND);
      const sent = Array.from({ length: 30 }, () => sendStalled());
      await time.advance(5_000);
      expect([sentAt.length, budget.report().calls.index]).toEqual([1, 1]);
      stall.resolve(undefined);
      await time.advance(10_000);
      expect(await Promise.all(sent)).toHaveLength(30);
      expect(budget.report().calls.index).toBe(30);
      for (const at of sentAt) {
        expect(sentAt.filter((each) => each >= at && each < at + 1_000).length).toBeLessThanOrEqual(CALLS_PER_SECOND);
      }
    });

    test('do not wait while another node can be used', async () => {
      openPaced(CALLS_PER_SECOND, CALLS_PER_SECOND);
      for (let i = 0; i < 5; i++) void sendStalled();
      await time.advance(0);
      expect(sentAt).toHaveLength(5);
    });

    test('wait where no rate is known too, and those of the head leave first', async () => {
      open(1);
      const served: string[] = [];
      const send = (name: string, purpose: CallPurpose) => void sendStalled(purpose).then(() => served.push(name));
      for (let i = 0; i < 15; i++) send('index', INDEX);
      send('head', HEAD);
      await time.advance(1_000);
      expect(sentAt).toHaveLength(1);
      stall.resolve(undefined);
      await time.advance(0);
      expect(served).toHaveLength(16);
      expect(served[1]).toBe('head');
    });
  });
});
