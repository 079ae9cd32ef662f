/** Rehearsal of the first start against nodes that refuse single reads. */
import { describe, expect, it } from 'vitest';
import { chainUnreadable } from '../../../src/domain/faults.ts';
import { explainCause } from '../../../src/domain/index-rules/index-cause.ts';
import type { IndexProof } from '../../../src/domain/index-rules/index-proof.ts';
import { LogQueryRefused, type Header } from '../../../src/ports/main-chain.ts';
import { submitted } from '../../../testing/fakes/fake-logs.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';
import { MAIN_BEHAVIORS } from '../../../testing/harness/provider-proxy/behaviors.ts';
import { startProviderProxy } from '../../../testing/harness/provider-proxy/provider-proxy.ts';
import { rehearseFirstStart, type RehearsalOptions } from './rehearse.ts';

/** Mines 51 blocks, of which the last has a log. */
function createChain(): FakeChain {
  const chain = new FakeChain();
  chain.mineMany(50);
  chain.mine([submitted(machine(11))]);
  return chain;
}

interface Setup {
  readonly startBlock?: number;
  /** First block of which the node serves state. */
  readonly stateFrom?: number;
  /** First block in which the contracts have code. */
  readonly codeFrom?: number;
  /** Name of a behavior of the provider. */
  readonly behavior?: string;
  /** URLs before that of the node. */
  readonly otherUrls?: readonly string[];
}

/** Rehearses in front of a node that answers every other call with code. */
async function rehearse(
  chain: FakeChain,
  proof: IndexProof,
  finalized: Header,
  { startBlock = 0, stateFrom = 0, codeFrom = 0, behavior, otherUrls = [] }: Setup = {},
) {
  const proxy = await startProviderProxy(
    ({ method, params }) => {
      const block = method === 'eth_getCode' && typeof params[1] === 'string' ? Number(params[1]) : Infinity;
      if (block < stateFrom) return { error: { code: -32_000, message: 'missing trie node' } };
      return { result: block < codeFrom ? '0x' : '0x60' };
    },
    MAIN_BEHAVIORS.filter(({ name }) => name === behavior),
  );
  try {
    return await rehearseFirstStart({
      settings: {
        rpcUrls: [...otherUrls, proxy.url],
        rpcHosts: [],
        startBlock,
        addresses: { eventRegistry: chain.addresses[0] },
      },
      adapter: { log: chain, counters: { rpcCalls: 0 } },
      proof,
      finalized,
      nodeUrl: proxy.url,
    } as unknown as RehearsalOptions);
  } finally {
    await proxy.close();
  }
}

it('passes before a proof behind a node without receipts, as the service starts', async () => {
  const chain = createChain();
  const findings = await rehearse(chain, 'before', await chain.readHeader(51));
  expect(findings.find(({ text }) => text === 'serves no receipts by block')?.state).toBe('warn');
  expect(findings.filter(({ state }) => state === 'fail' || state === 'unreachable')).toEqual([]);
});

it.each<[name: string, otherUrls: readonly string[], text: RegExp]>([
  ['only the calls of a single node', [], /^\d+ calls sent$/],
  ['the node that it rehearsed', ['http://127.0.0.1:1'], /sent; endpoint 2 of 2 was rehearsed, so run svc doctor with/],
])('names %s', async (_, otherUrls, text) => {
  const chain = createChain();
  const findings = await rehearse(chain, 'background', await chain.readHeader(51), { otherUrls });
  expect(findings.at(-1)).toMatchObject({ state: 'ok', subject: 'rehearsal', text: expect.stringMatching(text) });
});

it.each([
  ['the rate limit of the node', 'rate-limited'],
  ['the page of a gateway', 'malformed'],
] as const)('repeats a read of the block of a log that %s ended', async (_, cause) => {
  const chain = createChain();
  const finalized = await chain.readHeader(51);
  let reads = 0;
  chain.faults.before = (request, [block]) => {
    // The first read belongs to the check of the newest blocks.
    if (request === 'header' && block === 51 && ++reads === 2) throw chainUnreadable('main', cause);
  };
  const findings = await rehearse(chain, 'background', finalized);
  expect(reads).toBe(3);
  expect(findings.filter(({ state }) => state === 'fail' || state === 'unreachable')).toEqual([]);
});

it.each([
  ['passes', 'batch-limit-gnosis', 0],
  ['passes', 'batch-limit-drpc-items', 0],
  ['warns', 'batches-off-http-400', 1],
])('%s for the batches of a node with %s', async (_, behavior, warnings) => {
  const chain = createChain();
  const findings = await rehearse(chain, 'background', await chain.readHeader(51), { behavior });
  const { text } = explainCause({ kind: 'batches-missing' });
  expect(findings.filter((each) => each.text === text)).toHaveLength(warnings);
});

it('names what pins a read with and without Multicall3 where calls at a block hash are missing', async () => {
  const chain = createChain();
  const setup = { behavior: 'no-hash-pins' };
  const findings = await rehearse(chain, 'background', await chain.readHeader(51), setup);
  expect(findings.find(({ text }) => text.includes('EIP-1898'))?.remedy).toMatch(
    /by number, time and parent hash in the same call, or without Multicall3 by the hash before and after$/,
  );
});

describe('MAIN_START_BLOCK after the finalized block', () => {
  const { text, remedy } = explainCause({ kind: 'start-block-ahead' });

  it.each<[name: string, setup: Setup, finding: object]>([
    [
      'fails where a contract has code',
      { codeFrom: 20 },
      {
        state: 'fail',
        text: `${text} (60 is later than block 20, the first with code of a contract)`,
        remedy: 'set MAIN_START_BLOCK=20; otherwise logs are missing',
      },
    ],
    [
      'fails where a contract has code in the first block with state',
      { stateFrom: 40 },
      {
        state: 'fail',
        text: `${text} (60 is later than block 40, in which a contract has code already)`,
        remedy: 'set MAIN_START_BLOCK to the block of the first contract; otherwise logs are missing',
      },
    ],
    [
      'fails where no contract has code yet',
      { codeFrom: 55 },
      { state: 'fail', text: `${text} (60; block 51 is final)`, remedy },
    ],
  ])('%s, with the sentence of the cause', async (_, setup, finding) => {
    const chain = createChain();
    const findings = await rehearse(chain, 'background', await chain.readHeader(51), { startBlock: 60, ...setup });
    expect(findings.filter(({ subject }) => subject === 'MAIN_START_BLOCK')).toMatchObject([finding]);
  });
});

describe('a chain whose contracts were deployed long after MAIN_START_BLOCK', () => {
  const NO_RECEIPTS = 'serves no receipts by block';
  const UNEXAMINED = /^no log of the contracts was found in the ranges read, so times, blooms and receipts were not/;

  /** Rehearses 2,000 blocks, with code from block 1,000 on, behind a node that serves ranges of ten blocks. */
  async function rehearseLate(firstLog: number) {
    const chain = new FakeChain();
    chain.mineMany(firstLog - 1);
    chain.mine([submitted(machine(11))]);
    chain.mineMany(2_000 - firstLog);
    chain.faults.before = (request, [from, to]) => {
      if (request === 'logs' && to! - from! >= 10) throw new LogQueryRefused('range-too-large');
    };
    const findings = await rehearse(chain, 'background', await chain.readHeader(2_000), { codeFrom: 1_000 });
    expect(findings.find(({ subject }) => subject === 'MAIN_START_BLOCK')?.remedy).toMatch(
      /^set MAIN_START_BLOCK=1000,/,
    );
    return findings.filter(({ subject }) => subject === 'node').map(({ text }) => text);
  }

  it.each([
    ['logs after the first block with code', 1_005],
    ['the newest logs where these blocks hold none', 1_990],
  ])('is examined by %s', async (_, firstLog) => {
    expect(await rehearseLate(firstLog)).toEqual([NO_RECEIPTS]);
  });

  it('is reported as not examined where the ranges read hold no log', async () => {
    expect(await rehearseLate(1_500)).toEqual([expect.stringMatching(UNEXAMINED)]);
  });
});

describe('a node that no longer has the logs of MAIN_START_BLOCK', () => {
  /** Rehearses with code from block 20 on behind a node that has logs from a later or earlier block on. */
  async function rehearsePruned(logsFrom: number) {
    const chain = createChain();
    chain.faults.before = (request, [block]) => {
      if (request === 'logs' && block! < logsFrom) throw new LogQueryRefused('history-pruned');
    };
    const findings = await rehearse(chain, 'background', await chain.readHeader(51), { codeFrom: 20 });
    return { findings, failures: findings.filter(({ state }) => state === 'fail') };
  }

  it('is rehearsed from the first block with code, which the remedy names', async () => {
    const { findings, failures } = await rehearsePruned(15);
    const { subject, text, remedy } = explainCause({ kind: 'history-pruned' });
    expect(remedy).toContain('set MAIN_START_BLOCK ');
    expect(failures).toEqual([
      { state: 'fail', subject, text, remedy },
      {
        state: 'fail',
        subject: 'MAIN_START_BLOCK',
        text: '0 is earlier than block 20, the first with code of a contract; the node has the logs from there on',
        remedy: 'set MAIN_START_BLOCK=20',
      },
    ]);
    expect(findings.find(({ subject: each }) => each === 'logs')?.text).toMatch(/1 log in 32 blocks$/);
    expect(findings.map((each) => each.subject)).toContain('first start');
  });

  it('fails with the cause where it lacks the logs of that block too', async () => {
    const { failures } = await rehearsePruned(30);
    expect(failures).toMatchObject([
      {
        text: `${explainCause({ kind: 'history-pruned' }).text}, nor those of block 20, the first with code of a contract`,
        remedy: 'name another node in MAIN_RPC_URLS that serves the history from that block on',
      },
    ]);
  });
});
