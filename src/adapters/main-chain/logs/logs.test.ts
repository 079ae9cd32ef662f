/** Logs and headers for the indexers, against a real node behind a faulty proxy. */
import { encodeEventTopics, parseAbi } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BUYER, OWNER, startMachineHarness, word, type MachineHarness } from '../../../../testing/fixtures/machines.ts';
import {
  respondWith,
  dropResponsesTo,
  PROXY_KEY,
  rateLimit,
  startRpcProxy,
  type ProxyResponse,
} from '../../../../testing/harness/rpc-proxy.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { buildBloom, ZERO_BLOOM } from '../../../domain/index-rules/bloom.ts';
import { LogQueryRefused, type MainChainLog } from '../../../ports/main-chain.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';
import { LogRows } from './log-rows.ts';
import { createMainChainLog, type MainChainLogOptions } from './logs.ts';
import type { RawLog } from './raw-log.ts';

let harness: MachineHarness;
let adapter: MainChainAdapter;
let log: MainChainLog;

beforeAll(async () => {
  harness = await startMachineHarness();
  for (let i = 0; i < 5; i++) await harness.mine();
});
afterAll(() => harness.close());
beforeEach(() => {
  harness.proxy.heal();
  adapter = harness.open();
  log = adapter.log;
});

const machines = (...ids: readonly bigint[]) => ({ kind: 'machines', ids });

describe('the head', () => {
  test('is read with all newer logs in one request, and with none when nothing is new', async () => {
    const { number } = await harness.readHead();
    const id = await harness.activate();
    await log.readHeader('latest');
    harness.proxy.resetCounts();
    const { head, logs } = await log.readHeadAndLogs(number, false);
    expect(harness.proxy.requests).toBe(1);
    expect(head).toMatchObject(await harness.readHead());
    expect(logs.map(({ effect }) => effect)).toEqual(Array(6).fill(machines(id)));
    expect((await log.readHeadAndLogs(head.number, false)).logs).toEqual([]);
    const behind = await log.readHeadAndLogs(head.number + 5, false);
    expect([behind.head.number, behind.logs]).toEqual([head.number, []]);
  });

  test('is awaited with one call a poll where calls are counted, and read with its logs once it is new', async () => {
    const metered = harness.open({ callsPerSecond: 100 });
    const methods = () => harness.proxy.calls.map(({ method }) => method);
    const { number } = await harness.readHead();
    await metered.log.readHeadAndLogs(number, true);
    harness.proxy.resetCounts();
    expect(await metered.log.readHeadAndLogs(number, true)).toMatchObject({ head: { number }, logs: [] });
    expect(methods()).toEqual(['eth_getBlockByNumber']);
    const id = await harness.activate();
    harness.proxy.resetCounts();
    const { head, logs } = await metered.log.readHeadAndLogs(number, false);
    expect([head, logs.map(({ effect }) => effect)]).toMatchObject([
      await harness.readHead(),
      Array(6).fill(machines(id)),
    ]);
    expect(methods().slice(0, 3)).toEqual(['eth_getBlockByNumber', 'eth_getBlockByNumber', 'eth_getLogs']);
  });

  test('is read with all logs of its block when requested', async () => {
    const { number } = await harness.readHead();
    await harness.activate();
    const expected = await log.readHeadAndLogs(number, false);
    harness.proxy.resetCounts();
    const { head, logs, headLogs } = await log.readHeadAndLogs(number, true);
    expect(harness.proxy.requests).toBe(1);
    expect([{ head, logs, headLogs: undefined }, [headLogs]]).toEqual([expected, await log.readBlockLogs([head])]);
    expect(headLogs!.logs).toEqual(logs);
    expect(headLogs!.bloom).toBe(head.logsBloom);
  });

  test('is that of the others when the first of three nodes is behind, without the logs of that node', async () => {
    const nodes = await Promise.all([0, 1, 2].map(() => startRpcProxy(harness.chain.rpcUrl)));
    onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => undefined));
    const { number, timestamp } = await harness.readHead();
    await harness.chain.writer.rpc.request('evm_mine', [timestamp + 13]);
    const toOld = (value: unknown) => (value === 'latest' ? `0x${number.toString(16)}` : value);
    nodes[0]!.inject({ kind: 'call', change: (call) => ({ ...call, params: call.params.map(toOld) }) });
    const config = { rpcUrls: nodes.map(({ url }) => url), rpcHosts: ['a', 'b', 'c'], quorum: 2 };
    const head = await harness.readHead();
    expect(await harness.open(config).log.readHeader('latest')).toMatchObject(head);
    const followed = harness.open(config).log;
    await expect(followed.readHeadAndLogs(number, false)).rejects.toMatchObject({ context: { cause: 'disagreement' } });
    expect((await followed.readHeadAndLogs(number, false)).head).toMatchObject(head);
  });

  test('is final where two of three nodes say so, whatever the first one names', async () => {
    const nodes = await Promise.all([0, 1, 2].map(() => startRpcProxy(harness.chain.rpcUrl)));
    onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => undefined));
    const finalized = await log.readHeader('finalized');
    const toLatest = (value: unknown) => (value === 'finalized' ? 'latest' : value);
    nodes[0]!.inject({ kind: 'call', change: (call) => ({ ...call, params: call.params.map(toLatest) }) });
    const config = { rpcUrls: nodes.map(({ url }) => url), rpcHosts: ['a', 'b', 'c'], quorum: 2 };
    const { node: _node, ...expected } = finalized;
    expect(await harness.open(config).log.readHeader('finalized')).toEqual(expected);
  });

  test('has the hash that two of three nodes return for its number, whatever the first one returns', async () => {
    const nodes = await Promise.all([0, 1, 2].map(() => startRpcProxy(harness.chain.rpcUrl)));
    onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => undefined));
    const { number, hash } = await log.readHeader('finalized');
    const forge = (body: string) => body.replaceAll(hash, word(7n));
    nodes[0]!.inject({ kind: 'body', change: forge });
    const config = { rpcUrls: nodes.map(({ url }) => url), rpcHosts: ['a', 'b', 'c'], quorum: 2 };
    expect(await harness.open(config).log.readHeader(number)).toMatchObject({ number, hash });
  });

  test('is read without logs that may belong to another block', async () => {
    const { number } = await harness.readHead();
    await harness.activate();
    const { logs: ofHead } = await log.readHeadAndLogs(number, true);
    const strange = (whole: readonly object[]) => whole.map((raw) => ({ ...raw, blockHash: word(7n) }));
    for (const spoil of [() => [], strange]) {
      harness.proxy.inject({
        kind: 'body',
        change(body) {
          const [header, found, whole] = JSON.parse(body) as [unknown, unknown, { result: object[] }];
          return JSON.stringify([header, found, { ...whole, result: spoil(whole.result) }]);
        },
      });
      expect(await log.readHeadAndLogs(number, true)).toMatchObject({ logs: ofHead, headLogs: undefined });
    }
  });

  test('is ahead of the finalized block, and many headers are read in one request and in order', async () => {
    const latest = await log.readHeader('latest');
    const finalized = await log.readHeader('finalized');
    expect(latest.number - finalized.number).toBe(2);
    harness.proxy.resetCounts();
    const numbers = [3, 1, 2, latest.number];
    const headers = await log.readHeaders(numbers);
    expect(headers.map(({ number }) => number)).toEqual(numbers);
    expect(headers[2]!.parentHash).toBe(headers[1]!.hash);
    expect(harness.proxy.requests).toBe(1);
  });

  test('names the node that returned its header, like every header of a list', async () => {
    const [unreachable, url] = ['http://127.0.0.1:1', harness.proxy.url];
    expect(await harness.open({ rpcUrls: [url, unreachable] }).log.readHeader('latest')).toMatchObject({ node: 0 });
    const { log: ofSecond } = harness.open({ rpcUrls: [unreachable, url] });
    expect(await ofSecond.readHeader(1)).toMatchObject({ node: 1 });
    expect((await ofSecond.readHeaders([1, 2])).map(({ node }) => node)).toEqual([1, 1]);
  });

  test('is followed by smaller header batches when the node refuses large ones', async () => {
    const error = { code: -32600, message: 'batch too large' };
    harness.proxy.inject({
      kind: 'body',
      change: (body) => {
        const answers = JSON.parse(body) as unknown[];
        return Array.isArray(answers) && answers.length > 2
          ? JSON.stringify({ jsonrpc: '2.0', id: null, error })
          : body;
      },
    });
    expect((await log.readHeaders([1, 2, 3, 4, 5])).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    harness.proxy.resetCounts();
    await log.readHeaders([1, 2, 3, 4]);
    expect(harness.proxy.requests).toBe(2);
  });

  test.each<[string, ProxyResponse, string]>([
    ['unknown', { result: null }, 'block-mismatch'],
    ['of another number', { result: header({ number: '0x1' }) }, 'malformed'],
    ['without hash', { result: header({ number: '0x2', hash: null }) }, 'malformed'],
    ['with a short bloom', { result: header({ number: '0x2', logsBloom: '0x00' }) }, 'malformed'],
    ['with a number that is no safe integer', { result: header({ number: '0x20000000000000' }) }, 'malformed'],
    ['an error', { error: { code: -32601, message: PROXY_KEY } }, 'rpc-error'],
  ])('is unreadable when its header is %s', async (_, answer, cause) => {
    harness.proxy.inject(respondWith('eth_getBlockByNumber', answer));
    await expect(log.readHeader(2)).rejects.toMatchObject({
      kind: 'ChainUnreadable',
      context: { chain: 'main', cause },
    });
  });

  test.each([
    ['null', null],
    ['missing', undefined],
  ])('has a zero bloom when its bloom is %s', async (_, logsBloom) => {
    const result = JSON.parse(JSON.stringify(header({ number: '0x2', logsBloom }))) as unknown;
    harness.proxy.inject(respondWith('eth_getBlockByNumber', { result }));
    expect((await log.readHeader(2)).logsBloom).toBe(ZERO_BLOOM);
  });
});

function header(rest: object) {
  const hash = word(1n);
  return { timestamp: '0x1', hash, parentHash: hash, logsBloom: `0x${'0'.repeat(512)}`, ...rest };
}

test('reads the last header of a batch once, also for the owners at its block', async () => {
  const id = (await harness.activate()) as MachineId;
  const { number } = await harness.readHead();
  const [, last] = await log.readHeaders([number - 1, number]);
  harness.proxy.resetCounts();
  expect(await log.readOwnership(last!, [id])).toMatchObject([{ kind: 'held', id }]);
  expect(harness.proxy.calls.map(({ method }) => method)).toEqual(['eth_call']);
  await expect(log.readOwnership({ ...last!, hash: word(7n) }, [id])).rejects.toThrow('ChainUnreadable');
});

describe('an entry of eth_getLogs', () => {
  const transferTopics = encodeEventTopics({
    abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)']),
    args: { from: OWNER, to: BUYER, tokenId: 9n },
  });
  const entry = (rest: object) => ({
    address: harness.addresses.machineRegistry,
    blockNumber: '0x1',
    blockHash: word(1n),
    logIndex: '0x0',
    transactionHash: word(2n),
    topics: transferTopics,
    data: '0x',
    removed: false,
    ...rest,
  });
  const answerLogs = (result: unknown) => harness.proxy.inject(respondWith('eth_getLogs', { result }));

  test('is accepted with or without the time of its block', async () => {
    answerLogs([entry({}), entry({ blockTimestamp: '0x10', logIndex: '0x1' })]);
    const logs = await log.readLogs({ fromBlock: 1, toBlock: 1 });
    expect(logs.map(({ effect, blockTimestamp }) => [effect, blockTimestamp])).toEqual([
      [machines(9n), undefined],
      [machines(9n), 16],
    ]);
  });

  test.each<[string, () => unknown]>([
    ['of another address', () => [entry({ address: BUYER })]],
    ['of a block below the range', () => [entry({ blockNumber: '0x0' })]],
    ['of a block above the range', () => [entry({ blockNumber: '0x2' })]],
    ['that was removed', () => [entry({ removed: true })]],
    ['with a topic too few', () => [entry({ topics: transferTopics.slice(0, 3) })]],
    ['with five topics', () => [entry({ topics: [...transferTopics, word(1n)] })]],
    ['with a short topic', () => [entry({ topics: ['0x01'] })]],
    ['without data', () => [entry({ data: null })]],
    ['of a pending block', () => [entry({ blockNumber: null, blockHash: null })]],
    ['without transaction', () => [entry({ transactionHash: undefined })]],
    ['null', () => [null]],
    ['not a list', () => ({})],
    ['null instead of a list', () => null],
  ])('is malformed when it is %s', async (_, result) => {
    answerLogs(result());
    await expect(log.readLogs({ fromBlock: 1, toBlock: 1 })).rejects.toMatchObject({
      kind: 'ChainUnreadable',
      context: { chain: 'main', cause: 'malformed' },
    });
  });

  test('is rejected as a log of another block', async () => {
    answerLogs([entry({})]);
    const [block] = await log.readHeaders([1]);
    await expect(log.readBlockLogs([block!])).rejects.toMatchObject({ context: { cause: 'malformed' } });
  });

  test('is withheld when the log indexes of a block have a gap', async () => {
    await harness.activate();
    const head = await log.readHeader('latest');
    expect((await log.readBlockLogs([head]))[0]!.logs).toHaveLength(6);
    harness.proxy.inject({
      kind: 'body',
      change: (body) => {
        const answer = JSON.parse(body) as { result: unknown[] };
        return JSON.stringify({ ...answer, result: answer.result.toSpliced(2, 1) });
      },
    });
    await expect(log.readBlockLogs([head])).rejects.toMatchObject({ problem: 'withheld-logs' });
  });

  test('is malformed when the batch lacks the response', async () => {
    harness.proxy.inject(dropResponsesTo('eth_getLogs'));
    await expect(log.readHeadAndLogs(1, false)).rejects.toMatchObject({ context: { cause: 'malformed' } });
  });
});

describe('the logs of one block', () => {
  /** Largest number of logs whose topics were read in one tick. */
  let mostInTick = 0;

  /** Unwatched logs of one block with different topics, which count how often these are read in one tick. */
  class CountedRows extends LogRows {
    override *[Symbol.iterator](): Generator<RawLog, undefined> {
      let inTick = 0;
      for (let logIndex = 0; logIndex < 1_600; logIndex++) {
        yield {
          address: BUYER.toLowerCase(),
          data: '0x',
          blockNumber: 1,
          blockHash: word(1n),
          logIndex,
          transactionHash: word(2n),
          blockTimestamp: undefined,
          get topics() {
            if (inTick++ === 0) setImmediate(() => (inTick = 0));
            mostInTick = Math.max(mostInTick, inTick);
            return [word(BigInt(logIndex))];
          },
        };
      }
    }
  }

  test('are handled in several ticks', async () => {
    const rows = new CountedRows(Buffer.alloc(0));
    const request = () => Promise.resolve([{ ok: true, result: rows }]);
    const options = { addresses: harness.addresses, nodes: { request }, startRead: () => undefined };
    const { readBlockLogs } = createMainChainLog(options as unknown as MainChainLogOptions);
    const bloom = buildBloom([BUYER, ...Array.from({ length: 1_600 }, (_, i) => word(BigInt(i)))]);
    expect(await readBlockLogs([{ number: 1, hash: word(1n), timestamp: 1 }])).toEqual([{ logs: [], bloom }]);
    expect(mostInTick).toBeLessThanOrEqual(500);
  });
});

describe('a refused query', () => {
  // Verifies the chain id before any call is refused.
  beforeEach(async () => {
    await log.readHeader('latest');
  });

  const refusal = async (promise: Promise<unknown>) => {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(LogQueryRefused);
    expect(`${JSON.stringify(error)}${(error as Error).stack}`).not.toContain(PROXY_KEY);
    const { reason, retryAfterSeconds } = error as LogQueryRefused;
    return [reason, retryAfterSeconds];
  };
  const logsError = (code: number, message: string) => respondWith('eth_getLogs', { error: { code, message } });

  test.each([
    ['HTTP 413', { kind: 'status' as const, status: 413 }],
    ['-32614', logsError(-32614, 'no')],
    ['-32005', logsError(-32005, `${PROXY_KEY} exceeded`)],
    ['a text that names a range', logsError(-32602, 'query exceeds max block range 500')],
    ['a text that names a result limit', logsError(-32000, 'query returned more than 10000 results')],
    ['an unclear error', logsError(-32050, 'refused by policy 7')],
  ])('by %s requests a smaller range', async (_, fault) => {
    harness.proxy.inject(fault);
    expect(await refusal(log.readLogs({ fromBlock: 0, toBlock: 9_999 }))).toEqual(['range-too-large', undefined]);
    harness.time.milliseconds += 1_000;
    expect(await refusal(log.readHeadAndLogs(0, false))).toEqual(['range-too-large', undefined]);
  });

  test.each([
    ['HTTP 429', rateLimit(9), 9],
    ['-32029', logsError(-32029, 'block range'), undefined],
    ['-32005 with a text that names a rate', logsError(-32005, 'request rate limited: 10 per second'), undefined],
  ])('by %s is a rate limit, which takes precedence over a range', async (_, fault, seconds) => {
    harness.proxy.inject(fault);
    expect(await refusal(log.readLogs({ fromBlock: 0, toBlock: 9_999 }))).toEqual(['rate-limited', seconds]);
  });

  test('of several blocks with very many logs requests a smaller range; of one block they are malformed', async () => {
    await harness.activate();
    const { number } = await harness.readHead();
    harness.proxy.inject({
      kind: 'answer',
      change: (answer, { method }) =>
        method === 'eth_getLogs' && 'result' in answer
          ? { result: Array(50_001).fill((answer.result as readonly object[])[0]) }
          : answer,
    });
    expect(await refusal(log.readLogs({ fromBlock: number - 1, toBlock: number }))).toEqual([
      'range-too-large',
      undefined,
    ]);
    await expect(log.readLogs({ fromBlock: number, toBlock: number })).rejects.toMatchObject({
      context: { cause: 'malformed' },
    });
  });

  test('of several blocks by any other error may succeed with a smaller range', async () => {
    harness.proxy.inject(logsError(-32603, `internal ${PROXY_KEY}`));
    expect(await refusal(log.readLogs({ fromBlock: 0, toBlock: 1 }))).toEqual(['range-too-large', undefined]);
  });

  test('of one block by any other error makes the chain unreadable', async () => {
    harness.proxy.inject(logsError(-32603, `internal ${PROXY_KEY}`));
    await expect(log.readLogs({ fromBlock: 1, toBlock: 1 })).rejects.toMatchObject({ context: { cause: 'rpc-error' } });
  });

  test.each([
    [4444, 'pruned history unavailable', 'history-pruned'],
    [-32601, 'the method eth_getLogs does not exist', 'logs-refused'],
  ])('by code %i is named', async (code, text, reason) => {
    harness.proxy.inject(logsError(code, text));
    expect(await refusal(log.readLogs({ fromBlock: 0, toBlock: 1 }))).toEqual([reason, undefined]);
  });
});

test('does not read legacy events without legacy contracts', async () => {
  const { log: without } = harness.open({ addresses: { legacy: undefined } });
  expect(without.addresses).not.toContain(harness.addresses.legacy!.eventRegistry);
  const eventsOf = { generation: 'legacy', machineId: 1n as MachineId } as const;
  await expect(without.readLogs({ fromBlock: 0, toBlock: 1, eventsOf })).rejects.toThrow();
});
