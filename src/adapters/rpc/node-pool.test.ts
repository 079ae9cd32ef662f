/** Pool of one and two nodes in front of a rate limit: what a refusal changes for other requests. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { CallCounter } from '../../domain/metrics/call-counter.ts';
import { LatencyHistogram } from '../../domain/metrics/latency-histogram.ts';
import type { NodeProfiles } from '../../ports/node-profiles.ts';
import { createCallBudget, type CallBudget, type CallPurpose } from './call-budget.ts';
import { REAL_STOPWATCH, startDeadline } from './deadline.ts';
import { postToNode, type PostRpc } from './http-post.ts';
import { openNodePool, type NodePool, type PoolCounters } from './node-pool.ts';
import { PAYMENT_REQUIRED, RpcFailure } from './rpc-failure.ts';

const CALLER: CallPurpose = { work: { kind: 'caller', networks: ['192.0.2.1'] }, isKnown: false };
const HEAD: CallPurpose = { work: { kind: 'head' }, isKnown: true };
const clock = { nowMilliseconds: () => 1_799_971_200_000 };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let budget: CallBudget;
let counters: PoolCounters;
let pool: NodePool<string>;
/** Positions of the nodes that refuse every call. */
let refusing: Set<number>;
let purposes: CallPurpose[];

beforeEach(() => {
  refusing = new Set();
  purposes = [];
});

function open(nodes: number, profiles?: NodeProfiles, post?: PostRpc): void {
  budget = createCallBudget({ clock, stopwatch: REAL_STOPWATCH });
  counters = { httpRequests: 0, durations: new LatencyHistogram(), calls: new CallCounter(), failures: {} };
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

/** Sends one call; returns the position of the node that served it. */
async function send(purpose = CALLER, failure = new RpcFailure('transport', 'rate', { retryAfterSeconds: 60 })) {
  const deadline = startDeadline(5_000, 1_000, REAL_STOPWATCH, purpose);
  const { value } = await pool.tryNodes(deadline, (node) =>
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
  );
  return value;
}

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

  test('by HTTP 402 stops proof for the day and lowers the rate', async () => {
    open(1);
    refusing.add(0);
    const exhausted = new RpcFailure('transport', 'rate', { code: PAYMENT_REQUIRED });
    await expect(send(CALLER, exhausted)).rejects.toMatchObject({ code: 402 });
    expect(budget.report()).toMatchObject({ isDayExhausted: true, callsPerSecond: 1 });
  });

  test('is not counted when the pace of the node is the reason', async () => {
    open(1);
    refusing.add(0);
    await expect(send()).rejects.toMatchObject({ kind: 'rate' });
    const deadline = startDeadline(50, 50, REAL_STOPWATCH, {
      ...HEAD,
      prepaid: { calls: 100, untilMilliseconds: Infinity },
    });
    const attempt = pool.tryNodes(deadline, async ({ profile }) => profile.rate.admit(100, deadline));
    await expect(attempt).rejects.toMatchObject({ kind: 'rate', isPaced: true });
    expect(budget.report().refusals).toBe(1);
    expect(counters.failures).toEqual({ transport: 1 });
  });
});

test('counts the calls of a request that is repeated after its connection was lost', async () => {
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

test('takes its turn after the pace of the node, so that calls count when they are sent', async () => {
  open(1);
  refusing.add(0);
  await expect(send()).rejects.toMatchObject({ kind: 'rate' });
  refusing.clear();
  const { rate } = pool.nodes[0]!.profile;
  const counts: number[] = [];
  rate.admit = () => Promise.resolve(void counts.push(budget.report().calls.head));
  const before = budget.report().calls.head;
  await send(HEAD);
  expect([counts, budget.report().calls.head]).toEqual([[before], before + 1]);
});

test('queries the identity of a node with the share of the head', async () => {
  open(1);
  await send();
  expect(purposes).toEqual([HEAD]);
});

describe('the profiles of the nodes', () => {
  const FIRST = createHash('sha256').update('http://192.0.2.1/').digest('hex');

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
