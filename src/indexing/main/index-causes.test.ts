/** Causes that stop or slow the index: named while they last, in the log and for `/status`, and withdrawn afterwards. */
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import { judgeIndexFreshness } from '../../domain/index-rules/index-freshness.ts';
import { explainCause, type FirstIndexLimit, type PlainIndexCause } from '../../domain/index-rules/index-cause.ts';
import { ResponseRejected } from '../../domain/index-rules/rejected-response.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused, type CallSaving, type ChainLog, type MainChainLog } from '../../ports/main-chain.ts';
import { FakeChain, type RequestName } from '../../../testing/fakes/fake-main-chain.ts';
import { submitted, transferred } from '../../../testing/fakes/fake-logs.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { FixedRates, machine } from '../../../testing/fixtures/indexer-harness.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { createIndexCauses } from './index-causes.ts';
import { createMainChainIndexers } from './main-chain-indexers.ts';

const A = machine(11);

async function openIndexers(chain: FakeChain, startBlock = 0) {
  const store = await createMemoryStore();
  const time = new VirtualTime();
  const log = createRecordingLog();
  const indexers = createMainChainIndexers({
    ...{ chain, balances: chain, store, log, clock: time, timers: time, random: () => 0 },
    fxRates: new FixedRates(),
    deployment: {
      chainId: 1,
      startBlock,
      machineRegistry: chain.addresses[0] as Address,
      crossChainMirror: chain.addresses[0] as Address,
      eventRegistry: chain.addresses[1] as Address,
      legacyEventRegistry: chain.addresses[2],
    },
    proof: 'background',
    pollIntervalMilliseconds: 60_000,
    listeners: [],
  });
  indexers.worker.start();
  indexers.head.start();
  return {
    ...{ indexers, time, log },
    causes: () => indexers.health.listCauses().map(({ kind }) => kind),
    servesRatings: async () => (await indexers.index.readMainChainIndex()).servesRatings,
    stop: () => Promise.all([indexers.worker.stop(), indexers.head.stop()]),
  };
}

function createChain(blocks = 20): FakeChain {
  const chain = new FakeChain();
  chain.mine([submitted(A), transferred(A)]);
  chain.mineMany(blocks);
  return chain;
}

const refuse = (chain: FakeChain, requests: readonly RequestName[], error: () => Error) => {
  chain.faults.before = (request) => {
    if (requests.includes(request)) throw error();
  };
};

describe('a cause', () => {
  it('is logged and listed while it lasts, and withdrawn afterwards', async () => {
    const chain = createChain(300);
    refuse(chain, ['logs', 'head'], () => new LogQueryRefused('history-pruned'));
    const { indexers, time, log, causes, stop } = await openIndexers(chain);
    await time.advance(5_000);
    expect(causes()).toEqual(['history-pruned']);
    const { text, remedy } = indexers.health.listCauses()[0]!;
    const logged = () => log.lines.filter(({ message }) => message === text);
    expect(logged()).toHaveLength(1);
    expect(logged()[0]).toMatchObject({ level: 'warn', fields: { cause: 'history-pruned', remedy } });
    await time.advance(120_000);
    expect(logged().length).toBeGreaterThan(1);
    expect(logged().length).toBeLessThan(4);

    delete chain.faults.before;
    await time.advance(130_000);
    expect(causes()).toEqual([]);
    await stop();
  });

  it('is forgotten in a process whose loop no longer runs', async () => {
    const chain = createChain(300);
    refuse(chain, ['logs'], () => new LogQueryRefused('history-pruned'));
    const { indexers, time, causes, stop } = await openIndexers(chain);
    await time.advance(5_000);
    await indexers.worker.stop();
    expect(causes()).toEqual(['history-pruned']);
    await time.advance(1_000_000);
    expect(causes()).toEqual([]);
    await stop();
  });

  it.each<[RequestName[], () => Error, string]>([
    [['logs', 'head'], () => new LogQueryRefused('range-too-large'), 'logs-refused'],
    [['logs', 'head'], () => new LogQueryRefused('rate-limited', 1), 'rate-limited'],
    [['logs', 'head'], () => new LogQueryRefused('calls-used-up', 60), 'calls-used-up'],
    [['header'], () => chainUnreadable('main', 'rate-limited'), 'rate-limited'],
    [['header'], () => chainUnreadable('main', 'calls-used-up'), 'calls-used-up'],
    [['logs', 'head'], () => chainUnreadable('main', 'own-calls-used-up'), 'own-calls-used-up'],
    [['logs', 'head'], () => chainUnreadable('main', 'rpc-error'), 'logs-refused'],
    [['ownership'], () => chainUnreadable('main', 'block-mismatch'), 'state-missing'],
    [['header'], () => chainUnreadable('main', 'wrong-chain'), 'wrong-chain'],
    [['header'], () => chainUnreadable('main', 'transport'), 'node-unreachable'],
    [['header'], () => chainUnreadable('main', 'disagreement'), 'nodes-disagree'],
    [['logs', 'head'], () => new ResponseRejected('hash-mismatch'), 'answers-contradict'],
  ])('is named where %j fails: %s', async (requests, error, kind) => {
    const chain = createChain(300);
    refuse(chain, requests, error);
    const { time, causes, stop } = await openIndexers(chain);
    await time.advance(240_000);
    expect(causes()).toContain(kind);
    await stop();
  });

  it.each<[number, string]>([
    [1, 'hosts-missing'],
    [2, 'nodes-disagree'],
  ])('with %i of 2 hosts that must agree is %s', async (hosts, kind) => {
    const chain = createChain(300);
    Object.assign(chain, { countHosts: () => ({ hosts, quorum: 2 }) });
    refuse(chain, ['header'], () => chainUnreadable('main', 'disagreement'));
    const { time, causes, stop } = await openIndexers(chain);
    await time.advance(5_000);
    expect(causes()).toEqual([kind]);
    await stop();
  });

  it('is named for a node whose malformed responses others replace', async () => {
    const chain = createChain(300);
    let malformed: number[] = [];
    Object.assign(chain, { listMalformedNodes: () => malformed });
    const { time, causes, stop } = await openIndexers(chain);
    await time.advance(5_000);
    expect(causes()).toEqual([]);
    malformed = [0, 2];
    expect(causes()).toEqual(['node-answers-malformed']);
    expect(explainCause({ kind: 'node-answers-malformed', nodes: malformed }).text).toMatch(
      /^responses of endpoints 1, 3 /,
    );
    await stop();
  });

  it('is not named for a node that serves', async () => {
    const { time, causes, log, stop } = await openIndexers(createChain(300));
    await time.advance(240_000);
    expect(causes()).toEqual([]);
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    await stop();
  });

  it('names the measured distance to finality', async () => {
    const chain = createChain(300);
    chain.finalityLag = 150;
    const { indexers, time, stop } = await openIndexers(chain);
    await time.advance(5_000);
    expect(indexers.health.listCauses()).toEqual([
      expect.objectContaining({
        kind: 'finality-distant',
        text: expect.stringMatching(/^150 blocks behind/) as string,
      }),
    ]);
    await stop();
  });
});

it('names a start block that is not final yet, until it is', async () => {
  const chain = createChain(20);
  const { time, causes, stop } = await openIndexers(chain, 20);
  await time.advance(5_000);
  expect(causes()).toEqual(['start-block-ahead']);
  chain.mineMany(20);
  await time.advance(120_000);
  expect(causes()).toEqual([]);
  await stop();
});

describe('a first index that takes days', () => {
  const FINALIZED = 10_000_000;
  const logsOf = (chain: MainChainLog, from: number) => chain.readLogs({ fromBlock: from, toBlock: from + 2 });
  const headersOf = (chain: MainChainLog, from: number) => chain.readHeaders([from, from + 1, from + 2]);

  it.each<[name: string, read: (chain: MainChainLog, from: number) => Promise<unknown>, limit: FirstIndexLimit]>([
    ['the range that the node serves', logsOf, 'log queries'],
    ['the headers of all blocks that INDEX_PROOF=before reads', headersOf, 'headers of all blocks'],
    [
      'these headers also where the node serves no receipts',
      (chain, from) => Promise.all([logsOf(chain, from), headersOf(chain, from)]),
      'headers of all blocks',
    ],
    [
      'the range also while blocks at the head are read by their headers',
      (chain, from) => Promise.all([logsOf(chain, from), headersOf(chain, FINALIZED + 1)]),
      'log queries',
    ],
  ])('names %s, as svc doctor does', async (_name, read, limit) => {
    const time = new VirtualTime();
    const causes = createIndexCauses({
      clock: time,
      log: createRecordingLog(),
      pollIntervalMilliseconds: 60_000,
      startBlock: 0,
    });
    const chain = causes.watch({
      readHeader: () => Promise.resolve({ number: FINALIZED }),
      readHeaders: () => Promise.resolve([]),
      readLogs: () => Promise.resolve([]),
    } as unknown as MainChainLog);
    await chain.readHeader('finalized');
    for (let block = 0; block < 60 * 25 * 3; block += 3) await read(chain, block);
    expect(causes.list()).toEqual([]);
    await time.advance(60_000);
    const seconds = ((FINALIZED - (60 * 25 * 3 - 1)) / (60 * 25 * 3)) * 60;
    expect(causes.list()).toEqual([explainCause({ kind: 'first-index-slow', limit, rangeBlocks: 3, seconds })]);
  });
});

describe('what costs calls', () => {
  const untimed = { blockTimestamp: undefined } as ChainLog;
  const timed = { blockTimestamp: 1 } as ChainLog;

  function openCauses(lacks: readonly CallSaving[], logs: readonly ChainLog[]) {
    const time = new VirtualTime();
    const log = createRecordingLog();
    const causes = createIndexCauses({ clock: time, log, pollIntervalMilliseconds: 60_000, startBlock: 0 });
    const chain = causes.watch({
      readLogs: () => Promise.resolve(logs),
      listLacks: () => lacks,
    } as unknown as MainChainLog);
    const step = (outcome: 'more' | 'idle') =>
      causes.observe('index', async () => {
        await chain.readLogs({ fromBlock: 0, toBlock: 9 });
        return outcome;
      });
    return { time, log, step, list: () => causes.list().map(({ kind }) => kind) };
  }

  it.each<[string, CallSaving[], ChainLog[], PlainIndexCause]>([
    ['logs without times', [], [untimed], 'log-times-missing'],
    ['a node without batches', ['batches'], [timed], 'batches-missing'],
    ['a chain without Multicall3', ['multicall'], [], 'multicall-missing'],
  ])('is named in the log and for /status while the index reads history: %s', async (_name, lacks, logs, kind) => {
    const { time, log, step, list } = openCauses(lacks, logs);
    expect(list()).toEqual([]);
    await step('more');
    expect(list()).toEqual([kind]);
    const { text, subject, remedy } = explainCause({ kind });
    expect(log.lines).toMatchObject([{ level: 'warn', message: text, fields: { cause: kind, subject, remedy } }]);
    await time.advance(1_000_000);
    // Another process indexes now.
    expect(list()).toEqual([]);
    await step('more');
    await step('idle');
    expect(list()).toEqual([]);
  });

  it('is not named where nothing is missing', async () => {
    const { log, step, list } = openCauses([], [timed]);
    await step('more');
    expect(list()).toEqual([]);
    expect(log.lines).toEqual([]);
  });
});

describe('a rating', () => {
  it('is served while every block above the index is known', async () => {
    const chain = createChain();
    const { servesRatings, time, stop } = await openIndexers(chain);
    await time.advance(5_000);
    expect(await servesRatings()).toBe(true);
    for (let minute = 0; minute < 3; minute++) {
      chain.mineMany(5);
      await time.advance(60_000);
      expect(await servesRatings()).toBe(true);
    }
    await stop();
  });

  it('is reported as not served behind a node that refuses what ratings need, although the index looks fresh', async () => {
    const chain = createChain();
    const { indexers, servesRatings, time, causes, stop } = await openIndexers(chain);
    await time.advance(5_000);
    refuse(chain, ['head', 'block-logs', 'headers'], () => chainUnreadable('main', 'rpc-error'));
    chain.mine([submitted(A)]);
    await time.advance(30_000);
    const query = { generation: 'current', id: A, from: 0, to: 2, block: chain.head, hasPriorEvents: false } as const;
    await expect(indexers.eventTimes.readEventLogs(query)).rejects.toMatchObject({
      kind: 'EventIndexSyncing',
    });
    const progress = await indexers.index.readMainChainIndex();
    expect(judgeIndexFreshness(progress, time.nowMilliseconds(), 60).kind).toBe('fresh');
    expect(progress.servesRatings).toBe(false);
    expect(causes()).toEqual(['logs-refused']);
    delete chain.faults.before;
    await time.advance(10_000);
    expect(await servesRatings()).toBe(true);
    expect(causes()).toEqual([]);
    await stop();
  });
});
