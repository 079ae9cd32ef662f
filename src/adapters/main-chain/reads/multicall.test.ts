/** Aggregated reads against a real node: requests, proof of the block, splitting, fallback without Multicall3. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ALL_EVENTS } from '../../../../testing/harness/main-chain.ts';
import { lower, OWNER, SELECTORS, startMachineHarness, UNDECODABLE } from '../../../../testing/fixtures/machines.ts';
import type { MachineHarness } from '../../../../testing/fixtures/machines.ts';
import {
  respondFromOlderBlock,
  respondInner,
  respondWith,
  type ProxyCall,
  type ProxyResponse,
  changeInner,
  type RpcFault,
} from '../../../../testing/harness/rpc-proxy.ts';
import { toFunctionSelector, type Hex } from 'viem';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { Header } from '../../../ports/main-chain.ts';
import { REAL_STOPWATCH } from '../../rpc/deadline.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';
import { AGGREGATE_RETRY_MILLISECONDS } from './multicall.ts';

let harness: MachineHarness;
const ids: MachineId[] = [];

beforeAll(async () => {
  harness = await startMachineHarness();
  for (let i = 0; i < 40; i++) ids.push((await harness.activate()) as MachineId);
});
afterAll(() => harness.close());
beforeEach(() => harness.proxy.heal());

/** Opens an adapter that knows the head, its chain and its deployment, as in normal operation. */
async function openWarm(overrides: Parameters<typeof harness.open>[0] = {}): Promise<MainChainAdapter> {
  const adapter = harness.open(overrides);
  await harness.reportHead(adapter);
  await adapter.chain.readDeployment();
  harness.proxy.resetCounts();
  return adapter;
}

const read = (adapter: MainChainAdapter, id: MachineId) => adapter.chain.readMachine(id, ALL_EVENTS);

describe('the adapter sends', () => {
  test('one request for an uncached machine with a known head', async () => {
    const adapter = await openWarm();
    await read(adapter, ids[0]!);
    expect(harness.proxy.calls.map(({ method }) => method)).toEqual(['eth_call']);
    expect(adapter.counters).toMatchObject({ machineReads: 1, snapshotHits: 0, snapshotCount: 1 });
  });

  test('one more request for the chain id of the first machine, whose call includes the deployment', async () => {
    const adapter = harness.open();
    await harness.reportHead(adapter);
    harness.proxy.resetCounts();
    await Promise.all([adapter.chain.readDeployment(), read(adapter, ids[0]!)]);
    expect(harness.proxy.calls.map(({ method }) => method)).toEqual(['eth_chainId', 'eth_call']);
  });

  test('one request for a thousand identical readers, which get the same object', async () => {
    const adapter = await openWarm();
    const snapshots = await Promise.all(Array.from({ length: 1_000 }, () => read(adapter, ids[0]!)));
    expect(harness.proxy.requests).toBe(1);
    expect(new Set(snapshots).size).toBe(1);
    expect(await read(adapter, ids[0]!)).toBe(snapshots[0]);
    expect(harness.proxy.requests).toBe(1);
  });

  test('one request for different machines of one tick, up to the weight of a call', async () => {
    const few = await openWarm();
    const snapshots = await Promise.all(ids.slice(0, 10).map((id) => read(few, id)));
    expect(harness.proxy.requests).toBe(1);
    expect(snapshots.map(({ id }) => id)).toEqual(ids.slice(0, 10));
    const many = await openWarm({ limits: { maxMulticallWeight: 200 } });
    await Promise.all(ids.map((id) => read(many, id)));
    expect(harness.proxy.requests).toBe(10);
  });

  test('at most one eth_call a second for readiness until the head is followed, and none afterwards', async () => {
    const adapter = harness.open();
    await adapter.chain.readDeployment();
    harness.proxy.resetCounts();
    const countCalls = () => harness.proxy.calls.filter(({ method }) => method === 'eth_call').length;
    await Promise.all(Array.from({ length: 50 }, () => adapter.chain.readReadiness()));
    await adapter.chain.readReadiness();
    expect(countCalls()).toBe(1);
    harness.time.milliseconds += 1_000;
    await adapter.chain.readReadiness();
    expect(countCalls()).toBe(2);
    await harness.reportHead(adapter);
    await adapter.chain.readReadiness();
    harness.proxy.resetCounts();
    harness.time.milliseconds += 1_000;
    await adapter.chain.readReadiness();
    expect(harness.proxy.requests).toBe(0);
  });
});

const isByHash = ({ params }: ProxyCall) => typeof params[1] === 'object';
const isAtHash = ({ params }: ProxyCall, hash: string) =>
  (params[1] as { readonly blockHash?: string } | undefined)?.blockHash === hash;

describe('the proof of the block', () => {
  test.each<[string, RpcFault]>([
    ['an older block', respondFromOlderBlock(1)],
    [
      'a block of another branch',
      changeInner((result, { callData }) =>
        callData === '0x27e86d6e' ? { ...result, returnData: `0x${'5'.repeat(64)}` } : result,
      ),
    ],
    [
      'another time',
      changeInner((result, { callData }) =>
        callData === '0x0f28c97d' ? { ...result, returnData: `0x${'0'.repeat(63)}1` } : result,
      ),
    ],
  ])('repeats the read once for %s, then throws', async (_, fault) => {
    const adapter = await openWarm();
    harness.proxy.inject(fault);
    await expect(read(adapter, ids[0]!)).rejects.toMatchObject({
      kind: 'ChainUnreadable',
      context: { chain: 'main', cause: 'block-mismatch' },
    });
    expect(harness.proxy.calls.filter((call) => !isByHash(call))).toHaveLength(2);
    expect(adapter.counters.snapshotCount).toBe(0);
    harness.proxy.heal();
    harness.proxy.inject(fault, 1);
    expect(await read(adapter, ids[0]!)).toMatchObject({ owner: present(lower(OWNER)) });
  });

  test('repeats the read once after a delay when the node does not have the block yet', async () => {
    const adapter = await openWarm();
    const late = respondWith('eth_call', { error: { code: -32000, message: 'header not found' } });
    harness.proxy.inject(late, 1);
    expect(await read(adapter, ids[0]!)).toMatchObject({ owner: present(lower(OWNER)) });
    expect(adapter.counters.retries).toBe(1);
    harness.proxy.inject(late);
    await expect(read(adapter, ids[1]!)).rejects.toMatchObject({ context: { cause: 'block-mismatch' } });
  });
});

describe('a call that is too large', () => {
  test.each([
    ['an error that says so', { error: { code: -32000, message: 'out of gas' } }],
    ['a revert of the aggregate', { error: { code: 3, message: 'reverted', data: '0x' } }],
  ])('is split until it passes, by %s', async (_, tooLarge) => {
    const adapter = await openWarm();
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { params }) => (JSON.stringify(params).length > 30_000 ? tooLarge : answer),
    });
    const snapshots = await Promise.all(ids.slice(0, 10).map((id) => read(adapter, id)));
    expect(snapshots.map(({ id, owner }) => [id, owner])).toEqual(
      ids.slice(0, 10).map((id) => [id, present(lower(OWNER))]),
    );
    expect(harness.proxy.requests).toBeGreaterThan(1);
    expect(adapter.counters).toMatchObject({ retries: 0, failures: {} });
  });

  test('is not sent again: later reads of one tick are divided at once', async () => {
    const adapter = await openWarm();
    let refused = 0;
    harness.proxy.inject({
      kind: 'answer',
      change(answer, { params }) {
        if (JSON.stringify(params).length <= 30_000) return answer;
        refused += 1;
        return { error: { code: -32000, message: 'out of gas' } };
      },
    });
    await Promise.all(ids.slice(0, 10).map((id) => read(adapter, id)));
    expect(refused).toBeGreaterThan(0);
    refused = 0;
    await Promise.all(ids.slice(10, 20).map((id) => read(adapter, id)));
    expect(refused).toBe(0);
  });

  test.each([
    ['several machines', 30_000, 10],
    ['one machine', 4_000, 1],
  ])(
    'is split until it passes where the error is unclear, for %s, and is not sent again',
    async (_, limit, machines) => {
      const adapter = await openWarm();
      let refused = 0;
      harness.proxy.inject({
        kind: 'answer',
        change(answer, { params }) {
          if (JSON.stringify(params).length <= limit) return answer;
          refused += 1;
          return { error: { code: -32000, message: 'execution aborted (policy 7)' } };
        },
      });
      const first = ids.slice(0, machines);
      const snapshots = await Promise.all(first.map((id) => read(adapter, id)));
      expect(snapshots.map(({ id, owner }) => [id, owner])).toEqual(first.map((id) => [id, present(lower(OWNER))]));
      expect(refused).toBeGreaterThan(0);
      refused = 0;
      await Promise.all(ids.slice(20, 20 + machines).map((id) => read(adapter, id)));
      expect(refused).toBe(0);
    },
  );

  test.each([
    [-32050, 'unclear', 'rpc-error', 3],
    [-32000, 'unclear', 'rpc-error', 5],
    [-32601, 'no such method', 'rpc-error', 1],
    [-32000, 'header not found', 'block-mismatch', 2],
  ])('is not assumed by error %i "%s" where the proofs alone fail too', async (code, message, cause, calls) => {
    const adapter = await openWarm();
    harness.proxy.inject(respondWith('eth_call', { error: { code, message } }));
    const results = await Promise.allSettled(ids.slice(0, 10).map((id) => read(adapter, id)));
    for (const result of results) expect(result).toMatchObject({ reason: { context: { cause } } });
    expect(harness.proxy.calls).toHaveLength(calls);
  });

  test('is not assumed where a node serves the proofs of the block and no state', async () => {
    const adapter = await openWarm();
    const words = ids.slice(0, 24).map((id) => id.toString(16).padStart(64, '0'));
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { params }) =>
        words.some((word) => JSON.stringify(params).includes(word))
          ? { error: { code: -32050, message: 'policy 7' } }
          : answer,
    });
    const results = await Promise.allSettled(ids.slice(0, 24).map((id) => read(adapter, id)));
    for (const result of results) expect(result).toMatchObject({ reason: { context: { cause: 'rpc-error' } } });
    expect(harness.proxy.calls.length).toBeLessThan(10);
  });

  test('is split where every host of a quorum refuses it with an unclear error', async () => {
    const rpcUrls = [harness.proxy.url, `${harness.proxy.url}?b`];
    const adapter = await openWarm({ rpcUrls, rpcHosts: ['a', 'b'], quorum: 2 });
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { params }) =>
        JSON.stringify(params).length > 4_000 ? { error: { code: -32050, message: 'policy 7' } } : answer,
    });
    expect(await read(adapter, ids[0]!)).toMatchObject({ id: ids[0]!, owner: present(lower(OWNER)) });
    harness.proxy.inject(respondWith('eth_call', { error: { code: -32050, message: 'policy 7' } }));
    await expect(read(adapter, ids[1]!)).rejects.toMatchObject({ context: { cause: 'rpc-error' } });
  });

  test('is split where it is read at the hash of the block', async () => {
    const expected = await harness.readMachine(ids[0]!);
    const adapter = await openWarm();
    const { number, parentHash } = await harness.readHead();
    const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;
    harness.proxy.inject(respondInner('0x42cbb15c', { success: true, returnData: word(7) }));
    harness.proxy.inject(respondInner('0xa3b1b31d', { success: true, returnData: word(number) }));
    harness.proxy.inject(respondInner('0x2b407a82', { success: true, returnData: parentHash as Hex }));
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { params }) =>
        JSON.stringify(params).length > 4_000 ? { error: { code: -32050, message: 'policy 7' } } : answer,
    });
    expect(await read(adapter, ids[0]!)).toEqual(expected);
    expect(await read(adapter, ids[1]!)).toMatchObject({ id: ids[1]!, owner: present(lower(OWNER)) });
  });

  test('is split within one machine, at once from the second machine on', async () => {
    const adapter = await openWarm();
    let refused = 0;
    harness.proxy.inject({
      kind: 'answer',
      change(answer, { params }) {
        if (JSON.stringify(params).length <= 4_000) return answer;
        refused += 1;
        return { error: { code: -32000, message: 'out of gas' } };
      },
    });
    expect(await read(adapter, ids[0]!)).toEqual(await harness.readMachine(ids[0]!));
    expect(refused).toBeGreaterThan(0);
    refused = 0;
    expect(await read(adapter, ids[1]!)).toMatchObject({ id: ids[1]!, owner: present(lower(OWNER)) });
    expect(refused).toBe(0);
  });

  test('makes all facts unreadable when it cannot be split further', async () => {
    const adapter = harness.open();
    await adapter.chain.readDeployment();
    harness.proxy.inject(respondWith('eth_call', { error: { code: -32000, message: 'out of gas' } }));
    expect(await read(adapter, ids[0]!)).toMatchObject({ owner: UNDECODABLE, events: UNDECODABLE });
    await expect(adapter.chain.readReadiness()).resolves.toMatchObject({ rpcConnected: true, machineRegistry: false });
  });

  test('is repeated without events, which are then read separately', async () => {
    const adapter = await openWarm();
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { params }) =>
        JSON.stringify(params).includes(SELECTORS.getEvents.slice(2)) && JSON.stringify(params).length > 3_000
          ? { error: { code: -32000, message: 'proof size exceeded' } }
          : answer,
    });
    expect(await read(adapter, ids[0]!)).toEqual(await harness.readMachine(ids[0]!));
  });

  test.each([
    ['an error that says so', 'out of gas'],
    ['an unclear error', 'policy 7'],
  ])('is halved where it is a page of events, by %s', async (_, message) => {
    const id = (await harness.activate()) as MachineId;
    await harness.mine(...Array.from({ length: 4 }, (__, i) => harness.revenue(id, BigInt(i))));
    const expected = await harness.readMachine(id);
    const adapter = await openWarm();
    const word = (value: bigint) => value.toString(16).padStart(64, '0');
    const page = (limit: bigint) => `${SELECTORS.getEvents.slice(2)}${word(id)}${word(0n)}${word(limit)}`;
    const refusedPages = [100n, 4n].map(page);
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { params }) =>
        refusedPages.some((each) => JSON.stringify(params).includes(each))
          ? { error: { code: -32050, message } }
          : answer,
    });
    expect(await read(adapter, id)).toEqual(expected);
  });

  test.each(['out of gas', 'policy 7'])(
    'with the error "%s" fails no other read of its tick where it is the first one',
    async (message) => {
      const adapter = await openWarm();
      const call = SELECTORS.ownerOf.slice(2) + ids[0]!.toString(16).padStart(64, '0');
      harness.proxy.inject({
        kind: 'answer',
        change: (answer, { params }) =>
          JSON.stringify(params).includes(call) ? { error: { code: -32050, message } } : answer,
      });
      const snapshots = await Promise.all(ids.slice(0, 4).map((id) => read(adapter, id)));
      const owner = present(lower(OWNER));
      expect(snapshots.map((each) => each.owner)).toEqual([UNDECODABLE, owner, owner, owner]);
    },
  );
});

describe('an invalid response', () => {
  test('is malformed for all calls when an inner result is missing', async () => {
    const adapter = await openWarm();
    harness.proxy.inject(
      changeInner((result, { callData }) => (callData.startsWith('0x6352211e') ? undefined : result)),
    );
    await expect(read(adapter, ids[0]!)).rejects.toMatchObject({ context: { cause: 'malformed' } });
  });

  test.each([
    ['0x for the aggregate', { result: '0x' }, 'malformed'],
    ['half a word', { result: '0x0000' }, 'malformed'],
    ['odd hex', { result: '0x000' }, 'malformed'],
    ['a result that is not text', { result: null }, 'malformed'],
    ['an internal error', { error: { code: -32603, message: 'internal' } }, 'rpc-error'],
    ['an unknown error', { error: { code: -32601, message: 'no such method' } }, 'rpc-error'],
  ])('such as %s makes the read fail', async (_, answer, cause) => {
    const adapter = await openWarm();
    harness.proxy.inject(respondWith('eth_call', answer));
    await expect(read(adapter, ids[0]!)).rejects.toMatchObject({ context: { cause } });
  });
});

describe('a chain whose contracts see the block number of another chain', () => {
  const GET_BLOCK_NUMBER = '0x42cbb15c';
  const ARB_BLOCK_NUMBER = '0xa3b1b31d';
  const ARB_BLOCK_HASH = '0x2b407a82';
  const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;

  /** Makes contracts see another chain's block number, and `ArbSys` the given block. */
  const respondAsArbitrum = ({ number, parentHash }: Pick<Header, 'number' | 'parentHash'>) => {
    harness.proxy.inject(respondInner(GET_BLOCK_NUMBER, { success: true, returnData: word(7) }));
    harness.proxy.inject(respondInner(ARB_BLOCK_NUMBER, { success: true, returnData: word(number) }));
    harness.proxy.inject(respondInner(ARB_BLOCK_HASH, { success: true, returnData: parentHash as Hex }));
  };

  test('is read at the hash of the block, at once from the second read on', async () => {
    const expected = [await harness.readMachine(ids[0]!), await harness.readMachine(ids[1]!)];
    const adapter = await openWarm();
    respondAsArbitrum(await harness.readHead());
    expect(await read(adapter, ids[0]!)).toEqual(expected[0]);
    harness.proxy.resetCounts();
    expect(await read(adapter, ids[1]!)).toEqual(expected[1]);
    expect([harness.proxy.requests, harness.proxy.calls.every(isByHash)]).toEqual([1, true]);
  });

  test('is read at the hash by the next process from its first read on', async () => {
    const first = await openWarm();
    respondAsArbitrum(await harness.readHead());
    await read(first, ids[2]!);
    const next = harness.open({}, first.listProfiles());
    await harness.reportHead(next);
    harness.proxy.resetCounts();
    await read(next, ids[2]!);
    expect(harness.proxy.calls.filter(({ method }) => method === 'eth_call').every(isByHash)).toBe(true);
  });

  test.each([
    ['number', { number: 1 }],
    ['parent', { parentHash: `0x${'5'.repeat(64)}` }],
  ])('is not read from a node that ignores hashes and serves a block with another %s', async (_, other) => {
    const adapter = await openWarm();
    const head = await harness.readHead();
    const latest = `0x${head.number.toString(16)}`;
    respondAsArbitrum({ ...head, ...other });
    harness.proxy.inject({
      kind: 'call',
      change: (call) => (isAtHash(call, head.hash) ? { ...call, params: [call.params[0], latest] } : call),
    });
    await expect(read(adapter, ids[0]!)).rejects.toMatchObject({ context: { cause: 'block-mismatch' } });
  });

  test('is not read at the first block, which has no parent to be proven by', async () => {
    const first = await openWarm();
    respondAsArbitrum(await harness.readHead());
    await read(first, ids[0]!);
    const next = harness.open({}, first.listProfiles());
    await harness.reportHead(next, { head: { ...(await harness.readHead()), number: 0 } });
    await expect(read(next, ids[0]!)).rejects.toMatchObject({ context: { cause: 'block-mismatch' } });
  });

  test('is not read where ArbSys does not exist', async () => {
    const adapter = await openWarm();
    harness.proxy.inject(respondInner(GET_BLOCK_NUMBER, { success: true, returnData: word(7) }));
    await expect(read(adapter, ids[0]!)).rejects.toMatchObject({ context: { cause: 'block-mismatch' } });
  });
});

describe('a chain without Multicall3', () => {
  const multicall3 = `0x${'9'.repeat(40)}` as Address;

  test('is read by single calls between two reads of the header of the block, in one batch', async () => {
    const adapter = await openWarm({ addresses: { multicall3 } });
    const snapshot = await read(adapter, ids[0]!);
    expect(harness.proxy.requests).toBe(1);
    const methods = harness.proxy.calls.map(({ method }) => method);
    const header = 'eth_getBlockByNumber';
    expect([methods[0], new Set(methods.slice(1, -1)), methods.at(-1)]).toEqual([
      header,
      new Set(['eth_call']),
      header,
    ]);
    expect(snapshot).toEqual(await harness.readMachine(ids[0]!));
  });

  test('is not assumed by a code and results of another chain, nor by the code alone that a check finds', async () => {
    const adapter = await openWarm();
    const asOtherChain: RpcFault = {
      kind: 'answer',
      change: (answer, { method }) =>
        method === 'eth_getBlockByNumber' && 'result' in answer
          ? { result: { ...(answer.result as object), hash: `0x${'5'.repeat(64)}` } }
          : { result: '0x' },
    };
    harness.proxy.inject(asOtherChain, 3);
    expect(await read(adapter, ids[0]!)).toEqual(await harness.readMachine(ids[0]!));
    harness.proxy.inject(respondWith('eth_getCode', { result: '0x' }));
    await adapter.checkDeployment();
    harness.proxy.resetCounts();
    await read(adapter, ids[1]!);
    expect([harness.proxy.calls.length, adapter.log.listLacks?.()]).toEqual([1, []]);
  });

  test('is read by single calls where the node returns an error for an address without code, also after ten minutes', async () => {
    let laterMilliseconds = 0;
    const nowMilliseconds = () => REAL_STOPWATCH.nowMilliseconds() + laterMilliseconds;
    const adapter = harness.open({ addresses: { multicall3 } }, undefined, { ...REAL_STOPWATCH, nowMilliseconds });
    await harness.reportHead(adapter);
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { params }) =>
        (params[0] as { to?: string } | undefined)?.to === multicall3
          ? { error: { code: -32000, message: 'no code' } }
          : answer,
    });
    await adapter.chain.readDeployment();
    const countCalls = async (id: MachineId) => {
      harness.proxy.resetCounts();
      expect((await read(adapter, id)).owner).toEqual(present(lower(OWNER)));
      return harness.proxy.calls.length;
    };
    const single = await countCalls(ids[0]!);
    for (const id of ids.slice(1, 9)) {
      laterMilliseconds += AGGREGATE_RETRY_MILLISECONDS;
      await countCalls(id);
    }
    expect([await countCalls(ids[9]!), adapter.log.listLacks?.()]).toEqual([single, ['multicall']]);
  });

  test('is not assumed by single calls that return nothing', async () => {
    const adapter = await openWarm();
    harness.proxy.inject(respondWith('eth_call', { result: '0x' }));
    harness.proxy.inject(respondWith('eth_getCode', { result: '0x' }));
    await read(adapter, ids[0]!);
    harness.proxy.heal();
    expect(adapter.log.listLacks?.()).toEqual([]);
  });

  test('is tried again by an aggregate after ten minutes', async () => {
    let laterMilliseconds = 0;
    const stopwatch = {
      ...REAL_STOPWATCH,
      nowMilliseconds: () => REAL_STOPWATCH.nowMilliseconds() + laterMilliseconds,
    };
    const adapter = harness.open({ addresses: { multicall3 } }, undefined, stopwatch);
    await harness.reportHead(adapter);
    await adapter.chain.readDeployment();
    const countCalls = async (id: MachineId) => {
      harness.proxy.resetCounts();
      await read(adapter, id);
      return harness.proxy.calls.length;
    };
    const single = await countCalls(ids[0]!);
    laterMilliseconds = AGGREGATE_RETRY_MILLISECONDS - 60_000;
    expect(await countCalls(ids[1]!)).toBe(single);
    laterMilliseconds += 60_000;
    expect([await countCalls(ids[2]!), adapter.log.listLacks?.()]).toEqual([single + 2, ['multicall']]);
    expect(await countCalls(ids[3]!)).toBe(single);
    harness.proxy.inject({
      kind: 'call',
      change: (call) =>
        JSON.parse(
          JSON.stringify(call).replaceAll(multicall3.slice(2), harness.addresses.multicall3!.slice(2)),
        ) as ProxyCall,
    });
    laterMilliseconds += AGGREGATE_RETRY_MILLISECONDS;
    expect([await countCalls(ids[4]!), adapter.log.listLacks?.()]).toEqual([1, []]);
  });

  test('is read by smaller batches when the node refuses larger ones', async () => {
    const adapter = await openWarm({ addresses: { multicall3 } });
    harness.proxy.inject({
      kind: 'body',
      change: (body) => {
        const answers = JSON.parse(body) as unknown[];
        const error = { code: -32600, message: 'batch too long' };
        return Array.isArray(answers) && answers.length > 6
          ? JSON.stringify({ jsonrpc: '2.0', id: null, error })
          : body;
      },
    });
    expect(await read(adapter, ids[0]!)).toEqual(await harness.readMachine(ids[0]!));
  });

  test('identifies an unknown machine by the revert data of the node', async () => {
    const adapter = await openWarm({ addresses: { multicall3 } });
    expect(await read(adapter, 4711n as MachineId)).toMatchObject({
      owner: ABSENT,
      operator: ABSENT,
      events: present({ offset: 0, records: [] }),
    });
  });

  test.each<[string, unknown]>([
    ['an object that holds it', (data: unknown) => ({ data, message: 'reverted' })],
    ['hex text', (data: unknown) => data],
  ] as [string, unknown][])('accepts revert data as %s', async (_, wrap) => {
    const adapter = await openWarm({ addresses: { multicall3 } });
    harness.proxy.inject({
      kind: 'answer',
      change: (answer) =>
        'error' in answer
          ? { error: { ...answer.error, data: (wrap as (data: unknown) => unknown)(answer.error.data) } }
          : answer,
    });
    expect((await read(adapter, 4711n as MachineId)).owner).toEqual(ABSENT);
  });

  test('makes a fact unreadable, never absent, for a revert without data', async () => {
    const adapter = await openWarm({ addresses: { multicall3 } });
    harness.proxy.inject({
      kind: 'answer',
      change: (answer) => ('error' in answer ? { error: { code: 3, message: 'ERC721NonexistentToken' } } : answer),
    });
    expect(await read(adapter, 4711n as MachineId)).toMatchObject({ owner: UNDECODABLE, homeOrdinal: present(0) });
  });

  test.each<[string, string, ProxyResponse, object]>([
    ['unreadable', 'an error that says it is too large', { error: { code: -32000, message: 'timeout' } }, UNDECODABLE],
    ['unreadable', 'an unclear error', { error: { code: -32050, message: 'policy 7' } }, UNDECODABLE],
    ['unreadable', 'a result that is no data', { result: null }, UNDECODABLE],
    ['absent', 'a revert without data', { error: { code: 3, message: 'execution reverted' } }, ABSENT],
  ])('has a count of chip logs that is %s for %s', async (_, __, answer, chipLogCount) => {
    const adapter = await openWarm({ addresses: { multicall3 } });
    const selector = toFunctionSelector('chipLogCount(uint256)');
    harness.proxy.inject({
      kind: 'answer',
      change: (served, { params }) => (JSON.stringify(params).includes(selector) ? answer : served),
    });
    expect(await read(adapter, ids[0]!)).toMatchObject({ owner: present(lower(OWNER)), chipLogCount });
  });

  test.each([
    ['hash', `0x${'5'.repeat(64)}`],
    ['timestamp', '0x7fffffff'],
  ])('verifies the %s of the block', async (member, value) => {
    const adapter = await openWarm({ addresses: { multicall3 } });
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { method }) =>
        method === 'eth_getBlockByNumber' && 'result' in answer
          ? { result: { ...(answer.result as object), [member]: value } }
          : answer,
    });
    await expect(read(adapter, ids[0]!)).rejects.toMatchObject({ context: { cause: 'block-mismatch' } });
  });
});
