/** Tests the background proof (design/real-chains.md 1): what a node can hide or forge, and how it is found and repaired. */
import { LogLimits } from '../../domain/index-rules/log-limits.ts';
import { describe, expect, it } from 'vitest';
import type { IndexProof } from '../../domain/index-rules/index-proof.ts';
import { buildBloom, ZERO_BLOOM } from '../../domain/index-rules/bloom.ts';
import { judgeIndexFreshness } from '../../domain/index-rules/index-freshness.ts';
import { chainUnreadable, type Fault } from '../../domain/faults.ts';
import { ABSENT_VALUES } from '../../domain/changes/machine-change.ts';
import type { Address, MachineId } from '../../domain/identifiers/identifiers.ts';
import { LogQueryRefused, type ChainLog, type ChainWitness, type Header } from '../../ports/main-chain.ts';
import type { Store } from '../../ports/store.ts';
import { FakeChain } from '../../../testing/fakes/fake-main-chain.ts';
import {
  controlled,
  emitted,
  imported,
  submitted,
  transferred,
  type FakeLog,
} from '../../../testing/fakes/fake-logs.ts';
import { createHarness, FINGERPRINT, NEVER } from '../../../testing/fixtures/indexer-harness.ts';
import { A, B, advance, openHarness, seqsOf } from '../../../testing/fixtures/main-index-harness.ts';
import { findNewestGap } from './absence-proof.ts';
import { createBackgroundProver } from './background-prover.ts';
import { replaceEventLogs, replaceRegistryLogs } from '../../../testing/fixtures/replace-logs.ts';

const FOREIGN = `0x${'cc'.repeat(20)}`;
const OWNER = `0x${'0b'.repeat(20)}` as Address;
const BUYER = `0x${'bb'.repeat(20)}` as Address;
const FINALIZED = 3_000;

/** Mines 3,000 final blocks in which other contracts log; these have logs of the machines too. */
function createChain(logs: Readonly<Record<number, readonly FakeLog[]>>): FakeChain {
  const chain = new FakeChain();
  chain.servesReceipts = true;
  for (let number = 1; number <= FINALIZED + chain.finalityLag; number++) chain.mine(logs[number] ?? [], [FOREIGN]);
  return chain;
}

const HISTORY = {
  10: [submitted(A, { value: 1n })],
  600: [submitted(A, { value: 2n }), submitted(B, { value: 20n })],
  1_500: [transferred(B)],
  2_900: [submitted(A, { value: 3n })],
};
const ROWS_OF_A = [
  [0, 10, 1n],
  [1, 600, 2n],
  [2, 2_900, 3n],
];

/** Logs in more blocks than one step proves. */
const LATER_LOGS = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [2_000 + 10 * i, [submitted(B)]]));

/** Lets the receipts of these blocks prove nothing, as those with state that Polygon syncs. */
function failReceipts(chain: FakeChain, blocks: readonly number[]): void {
  const readProvenLogs = chain.readProvenLogs.bind(chain);
  chain.readProvenLogs = (headers, take) => {
    const at = headers.findIndex(({ number }) => blocks.includes(number));
    if (at === -1) return readProvenLogs(headers, take);
    return at === 0 ? Promise.resolve(false) : readProvenLogs(headers.slice(0, at), take).then(() => false);
  };
}

/** Another host with the same chain, which may alter its logs. */
function witness(
  chain: FakeChain,
  node: number,
  alter: (logs: ChainLog[]) => ChainLog[] = (logs) => logs,
): ChainWitness {
  return {
    node,
    logLimits: new LogLimits(),
    readLogs: ({ fromBlock, toBlock }) =>
      Promise.resolve(
        alter(
          Array.from({ length: toBlock - fromBlock + 1 }, (_, i) => fromBlock + i).flatMap((number) => [
            ...chain.logsAt(number),
          ]),
        ),
      ),
    readHeaders: (numbers) => Promise.resolve(numbers.map((number) => chain.headerAt(number))),
  };
}

const without = (number: number) => (logs: readonly ChainLog[]) =>
  logs.filter(({ blockNumber }) => blockNumber !== number);

interface Options {
  readonly proof?: IndexProof;
  readonly store?: Store;
  /** Blocks of the sample, counted from the start of its range. */
  readonly sample?: readonly number[];
}

/** Backfills from a node that alters its logs, which then stops altering them. */
async function openProver(
  chain: FakeChain,
  alter: (logs: readonly ChainLog[]) => readonly ChainLog[],
  options: Options = {},
) {
  const { proof = 'background', sample = [], store } = options;
  chain.faults.logs = alter;
  const harness = await openHarness({ chain, proof, ...(store && { store }) });
  expect(await advance(harness)).toBe('caught-up');
  chain.faults = {};
  chain.requests.length = 0;
  let drawn = 0;
  const prover = createBackgroundProver({
    ...{ chain, proof, startBlock: 0, store: harness.store, clock: harness.time, log: harness.log },
    random: (bound) => (sample.length === 0 ? 7 : sample[drawn++ % sample.length]!) % bound,
  });
  return { ...harness, prover };
}

type Opened = Awaited<ReturnType<typeof openProver>>;

async function proveAll({ prover }: Opened): Promise<void> {
  while ((await prover.prove(NEVER)) === 'more');
}

const differenceOf = ({ log }: Opened) =>
  log.lines.find(({ message }) => message.startsWith('stored logs differed'))?.fields;

const asTold = (logs: readonly ChainLog[]) => logs;

describe('the background proof', () => {
  it('replaces what a repair read from a node that hides and moves logs', async () => {
    const chain = createChain({ 10: [transferred(A)], 600: [transferred(A, OWNER, BUYER)] });
    const opened = await openProver(chain, asTold);
    await proveAll(opened);
    const listTransfers = async () => (await opened.store.readIndexedMachine(A))!.transfers;
    const stored = await listTransfers();
    // The mint is hidden, and the sale is in a block without logs.
    await replaceRegistryLogs(opened.store, 'transfers', A, FINALIZED, [{ ...stored[1]!, blockNumber: 650 }]);
    expect(await opened.store.areBlocksProven(0, FINALIZED)).toBe(false);
    await opened.time.advance(60_000);
    await proveAll(opened);
    expect(await listTransfers()).toEqual(stored);
    expect(await opened.store.areBlocksProven(0, FINALIZED)).toBe(true);
  });

  it('finds the logs of final blocks that a node which is behind did not have, and trusts the sample of the others', async () => {
    const chain = createChain({ 10: [submitted(A)], 2_997: [transferred(B)] });
    const opened = await openProver(chain, without(2_997), { sample: [7] });
    await proveAll(opened);
    expect(differenceOf(opened)).toMatchObject({ blocks: [2_997] });
    expect(await opened.store.listOwnership(OWNER, 0, 10)).toMatchObject({ ids: [B] });
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'sample' }]);
  });

  it('proves blocks with logs newest first, then that no other block of the range has any', async () => {
    const chain = createChain(HISTORY);
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, asTold);
    const read: number[] = [];
    chain.faults.before = (request, numbers) => {
      if (request === 'receipts') read.push(...numbers);
    };
    await proveAll(opened);
    expect(read).toEqual([2_900, 1_500, 600, 10]);
    expect(await opened.store.readUnprovenExtent()).toBeUndefined();
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
    expect(opened.prover.report()).toEqual({ differences: 0, unproven: 0 });
    expect(await opened.store.listLogBlocks(0, FINALIZED)).toMatchObject([{ blockNumber: 2_900 }]);
  });

  it('continues in a new process where the last one stopped', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, asTold);
    expect(await opened.prover.prove(NEVER)).toBe('more');
    chain.requests.length = 0;
    await proveAll(await openProver(chain, asTold, { store: opened.store }));
    expect(chain.requests.filter((name) => name === 'receipts')).toEqual([]);
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'sample' }]);
  });

  it('does nothing before the first checkpoint', async () => {
    const harness = await openHarness({ proof: 'background' });
    const { chain, store, time, log } = harness;
    const options = { chain, store, clock: time, log, proof: 'background', startBlock: 0, random: () => 0 } as const;
    expect(await createBackgroundProver(options).prove(NEVER)).toBe('idle');
  });

  const falsehoods: [string, (logs: readonly ChainLog[]) => readonly ChainLog[]][] = [
    [
      'a hidden log of a block',
      (logs) => logs.filter(({ event }) => event?.kind !== 'submitted' || event.value !== 2n),
    ],
    ['an altered value', (logs) => logs.map((log) => alterEvent(log, 2n, { value: 99n }))],
    ['an altered machine', (logs) => logs.map((log) => alterEvent(log, 2n, { machineId: B }))],
    [
      'a false time',
      (logs) =>
        logs.map((log) => (log.blockNumber === 600 ? { ...log, blockTimestamp: log.blockTimestamp! - 5 } : log)),
    ],
    [
      'a block of a fork',
      (logs) => logs.map((log) => (log.blockNumber === 600 ? { ...log, blockHash: `0x${'f0'.repeat(32)}` } : log)),
    ],
    [
      'logs of an empty block',
      (logs) =>
        logs.map((log) =>
          log.blockNumber === 600 ? { ...log, blockNumber: 601, blockHash: `0x${'f0'.repeat(32)}` } : log,
        ),
    ],
    [
      'a forged import',
      (logs) =>
        logs.map((log) =>
          log.blockNumber === 1_500
            ? { ...log, event: { kind: 'imported', generation: 'current', machineId: A } as const }
            : log,
        ),
    ],
  ];

  it.each(falsehoods)('replaces %s by what the receipts prove', async (_name, alter) => {
    const chain = createChain(HISTORY);
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, alter);
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(await seqsOf(opened, B)).toEqual([[0, 600, 20n]]);
    const rows = await opened.store.listEventLogs('current', A, 0, 9);
    expect(
      rows.map(({ blockTimestamp, blockNumber }) => blockTimestamp - chain.headerAt(blockNumber).timestamp),
    ).toEqual([0, 0, 0]);
    expect(opened.prover.report().differences).toBeGreaterThan(0);
    expect(await opened.store.readUnprovenExtent()).toBeUndefined();
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
  });

  it('finds a hidden block by a second host and names that host', async () => {
    const chain = createChain(HISTORY);
    chain.witnesses = [witness(chain, 0, without(600)), witness(chain, 1), witness(chain, 2)];
    const opened = await openProver(chain, without(600));
    expect(await seqsOf(opened)).toHaveLength(2);
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(opened.prover.report().differences).toBe(1);
    const warnings = opened.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
    expect(warnings).toContainEqual({ blocks: [600], node: 2 });
    expect(warnings).toContainEqual({ fromBlock: expect.any(Number), toBlock: expect.any(Number), node: 1 });
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
  });

  it.each(falsehoods.filter(([name]) => name !== 'logs of an empty block'))(
    'names the hosts that return %s, and the node whose header shows it',
    async (_name, alter) => {
      const chain = createChain(HISTORY);
      const refusing = { ...witness(chain, 3), readLogs: () => Promise.reject(new LogQueryRefused('rate-limited')) };
      chain.witnesses = [witness(chain, 0, (logs) => [...alter(logs)]), witness(chain, 1), refusing];
      const opened = await openProver(chain, alter);
      chain.faults.header = (header) => ({ ...header, node: 1 });
      await proveAll(opened);
      expect(differenceOf(opened)).toEqual({ blocks: [expect.any(Number)], node: 2, wrongNodes: [1] });
    },
  );

  it('names the only node, whose receipts are not its logs', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, (logs) => logs.map((log) => alterEvent(log, 2n, { value: 99n })));
    chain.faults.header = (header) => ({ ...header, node: 0 });
    await proveAll(opened);
    expect(differenceOf(opened)).toEqual({ blocks: [600], node: 1 });
  });

  const C = `0x${'0c'.repeat(20)}` as Address;
  const TAKEN_BACK: [string, readonly [FakeLog, FakeLog]][] = [
    ['transfers from A to B and back to A', [transferred(B, OWNER, C), transferred(B, C, OWNER)]],
    ['controller changes that were taken back', [controlled(B, OWNER, C), controlled(B, C, OWNER)]],
  ];
  const D = 4_444n as MachineId;

  // Counters cannot see these (design/real-chains.md 1): nothing that they count differs.
  it.each(TAKEN_BACK)(
    'finds a pair of hidden %s, which changes no owner and no count',
    async (_name, [first, second]) => {
      const chain = createChain({ ...HISTORY, 2_000: [first], 2_001: [second] });
      chain.witnesses = [witness(chain, 0), witness(chain, 1)];
      const opened = await openProver(chain, (logs) => without(2_000)(without(2_001)(logs)));
      const before = await opened.store.listOwnership(OWNER, 0, 9);
      expect((await opened.store.listLogBlocks(2_000, 2_001)).length).toBe(0);
      await proveAll(opened);
      expect(opened.prover.report().differences).toBe(2);
      expect(opened.log.lines.map(({ fields }) => fields)).toContainEqual({ blocks: [2_000, 2_001], node: 1 });
      expect(await opened.store.listOwnership(OWNER, 0, 9)).toEqual(before);
      expect(await opened.store.listProofSegments()).toEqual([
        { fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' },
      ]);
    },
  );

  it('finds the hidden mint of a machine, which its controller does not own and no balance of it counts', async () => {
    const chain = createChain({ ...HISTORY, 2_000: [transferred(D), controlled(D, undefined, C)] });
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, without(2_000));
    const listing = await opened.store.listOwnership(C, 0, 9);
    expect(listing).toMatchObject({ indexedBlock: FINALIZED, total: 0, tokens: { count: 0 } });
    // The listing is served: the counter of the contract agrees with it.
    expect(await chain.readBalanceAt(C, chain.headerAt(FINALIZED))).toBe(0n);
    await proveAll(opened);
    expect(opened.prover.report().differences).toBe(1);
    expect(opened.log.lines.map(({ fields }) => fields)).toContainEqual({ blocks: [2_000], node: 1 });
    expect(await opened.store.listOwnership(C, 0, 9)).toMatchObject({ total: 1, ids: [D], tokens: { count: 0 } });
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
  });

  it('reads the owners of machines that a hidden block names', async () => {
    const chain = createChain(HISTORY);
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, without(1_500));
    expect((await opened.store.listOwnership(OWNER, 0, 9)).total).toBe(0);
    await proveAll(opened);
    expect(await opened.store.listOwnership(OWNER, 0, 9)).toMatchObject({
      indexedBlock: FINALIZED,
      total: 1,
      ids: [B],
    });
  });

  it('makes machines due for observation that a hidden block names, and those of an operator', async () => {
    const operator = `0x${'0e'.repeat(20)}` as Address;
    const C = 3_333n as MachineId;
    const hidden = [transferred(C), emitted({ kind: 'operator-kyb', operator })];
    const chain = createChain({ ...HISTORY, 800: hidden });
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, without(800));
    const { store } = opened;
    const listDue = async () => (await store.listDueMachines(1, 9)).map(({ id }) => id);
    const writes = (await store.listDueMachines(1, 9)).map((machine) => {
      const values = { ...ABSENT_VALUES, owner: OWNER, operator: machine.id === A ? operator : OWNER };
      return { machine, values, isAbsent: false, changes: [], dueAt: 9_000 };
    });
    await store.writeObservations(writes);
    expect(await listDue()).toEqual([]);
    await proveAll(opened);
    expect(await listDue()).toEqual([A, C].toSorted((a, b) => Number(a - b)));
  });

  it('restarts a history whose import was hidden', async () => {
    const chain = createChain({ ...HISTORY, 800: [imported(A, 2n)] });
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, without(800));
    const { epoch } = await opened.store.readEventLogCount('current', A);
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual([[0, 2_900, 3n]]);
    expect((await opened.store.readEventLogCount('current', A)).epoch).toBeGreaterThan(epoch);
  });

  it('leaves a range unproven, and the index as it is, while two hosts differ', async () => {
    const chain = createChain(HISTORY);
    const lie = (logs: ChainLog[]) => logs.map((log) => alterEvent(log, 2n, { value: 99n }));
    chain.witnesses = [witness(chain, 0), witness(chain, 1, lie)];
    const opened = await openProver(chain, asTold);
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(opened.prover.report().differences).toBe(0);
    const isProven = (await opened.store.listProofSegments()).some(
      ({ fromBlock, toBlock }) => fromBlock <= 600 && toBlock >= 600,
    );
    expect(isProven).toBe(false);
    chain.witnesses = [witness(chain, 0), witness(chain, 1), witness(chain, 2, lie)];
    opened.time.jump(3_600_000);
    await proveAll(opened);
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
  });

  it('does not accept a log that only a host invents', async () => {
    const chain = createChain(HISTORY);
    const invent = (logs: ChainLog[]) => [
      ...logs.map((log) => (log.blockNumber === 600 ? { ...log, blockNumber: 601 } : log)),
    ];
    chain.witnesses = [witness(chain, 0, invent), witness(chain, 1), witness(chain, 2)];
    const opened = await openProver(chain, asTold);
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(opened.prover.report().differences).toBe(0);
  });

  it('asks hosts for smaller ranges after a refusal, and leaves out a host that fails', async () => {
    const chain = createChain(HISTORY);
    const capped = witness(chain, 0);
    const failing = witness(chain, 2);
    chain.witnesses = [
      {
        ...capped,
        readLogs: (query) =>
          query.toBlock - query.fromBlock >= 100
            ? Promise.reject(new LogQueryRefused('range-too-large'))
            : capped.readLogs(query),
      },
      witness(chain, 1),
      { ...failing, readLogs: () => Promise.reject(chainUnreadable('main', 'transport')) },
    ];
    const opened = await openProver(chain, asTold);
    await proveAll(opened);
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
  });

  it.each([
    ['log queries', 'logs-refused'],
    ['logs as old as these', 'history-pruned'],
    ['log queries of even one block', 'range-too-large'],
  ] as const)('samples headers where the second host refuses %s', async (_name, reason) => {
    const chain = createChain(HISTORY);
    const refusing = { ...witness(chain, 1), readLogs: () => Promise.reject(new LogQueryRefused(reason)) };
    chain.witnesses = [witness(chain, 0), refusing];
    const opened = await openProver(chain, without(600), { sample: [5, 600, 1_500, 2_999] });
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'headers' }]);
  });

  it('leaves a range unproven while the second host does not answer for now', async () => {
    const chain = createChain(HISTORY);
    const limited = { ...witness(chain, 1), readLogs: () => Promise.reject(new LogQueryRefused('rate-limited')) };
    chain.witnesses = [witness(chain, 0), limited];
    const opened = await openProver(chain, asTold);
    await proveAll(opened);
    expect(await opened.store.listProofSegments()).toEqual([]);
  });

  it('tries one range a minute while a host does not answer, and all within a minute of its return', async () => {
    const chain = createChain(HISTORY);
    const other = witness(chain, 1);
    let queries = 0;
    const limited = {
      ...other,
      readLogs: () => {
        queries += 1;
        return Promise.reject(new LogQueryRefused('rate-limited'));
      },
    };
    chain.witnesses = [witness(chain, 0), limited];
    const opened = await openProver(chain, asTold);
    for (let minute = 0; minute < 10; minute++) {
      queries = 0;
      await proveAll(opened);
      expect(queries).toBe(1);
      opened.time.jump(60_000);
    }
    chain.witnesses = [witness(chain, 0), other];
    await proveAll(opened);
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
  });

  it('compares smaller ranges after one that a host does not answer in time', async () => {
    const chain = createChain(HISTORY);
    const slow = witness(chain, 1);
    const widths: number[] = [];
    const readLogs: ChainWitness['readLogs'] = (query) => {
      widths.push(query.toBlock - query.fromBlock + 1);
      return widths.at(-1)! > 100 ? Promise.reject(chainUnreadable('main', 'deadline')) : slow.readLogs(query);
    };
    chain.witnesses = [witness(chain, 0), { ...slow, readLogs }];
    const opened = await openProver(chain, asTold);
    for (let minute = 0; minute < 30; minute++) {
      await proveAll(opened);
      opened.time.jump(60_000);
    }
    expect(Math.max(...widths)).toBeGreaterThan(100);
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
  });

  it('reads every header of a range where a sample finds hidden logs', async () => {
    const chain = createChain(HISTORY);
    const hidden = (logs: readonly ChainLog[]) => without(1_500)(without(600)(logs));
    const opened = await openProver(chain, hidden, { sample: [5, 600, 2_999] });
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(opened.prover.report().differences).toBe(2);
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'headers' }]);
  });

  it('looks up only the blocks of a sample, and forgets the stored ones afterwards, also in a new process', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, asTold, { sample: [5, 1_500] });
    const { store } = opened;
    const { forgetProvenBlocks, listLogBlocks } = store;
    const lookedUp: number[] = [];
    const { filterLogBlocks } = store;
    store.filterLogBlocks = (numbers) => {
      lookedUp.push(...numbers);
      return filterLogBlocks(numbers);
    };
    store.listLogBlocks = () => Promise.reject(new Error('listed'));
    store.forgetProvenBlocks = () => Promise.reject(new Error('stopped'));
    await expect(proveAll(opened)).rejects.toThrow('stopped');
    const newest = [2_993, 2_994, 2_995, 2_996, 2_997, 2_998, 2_999, FINALIZED];
    expect(lookedUp).toEqual([5, 1_500, 2_900, ...newest]);
    expect(await store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'sample' }]);
    Object.assign(store, { forgetProvenBlocks, listLogBlocks });
    expect(await store.listLogBlocks(0, FINALIZED)).toHaveLength(4);
    await proveAll(await openProver(chain, asTold, { store }));
    expect(await store.listLogBlocks(0, FINALIZED)).toMatchObject([{ blockNumber: 2_900 }]);
  });

  it('takes a sample without hidden logs as proof, which is what a sample means', async () => {
    const missed = await openProver(createChain(HISTORY), without(600), { sample: [5] });
    await proveAll(missed);
    expect(await seqsOf(missed)).toHaveLength(2);
    expect(await missed.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'sample' }]);
  });

  it('repairs owners to those at the checkpoint, also behind a node that is older', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, without(1_500), { sample: [1_500] });
    chain.mine([transferred(B, OWNER, BUYER)], [FOREIGN]);
    chain.mineMany(chain.finalityLag);
    expect(await advance(opened)).toBe('caught-up');
    const readHeader = chain.readHeader.bind(chain);
    chain.readHeader = async (block) =>
      block === 'finalized' ? chain.headerAt((await readHeader(block)).number - 2) : readHeader(block);
    await proveAll(opened);
    expect(opened.prover.report().differences).toBe(1);
    expect((await opened.store.listOwnership(BUYER, 0, 9)).ids).toEqual([B]);
  });

  it.each([
    ['zero', ZERO_BLOOM],
    ['of other contracts', buildBloom([`0x${'dd'.repeat(20)}`])],
  ])('reads the receipts of sampled blocks where blooms are %s', async (_name, logsBloom) => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, without(600), { sample: [600] });
    chain.faults.header = (header) => ({ ...header, logsBloom });
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
  });

  it.each<[IndexProof, string]>([
    ['background', 'sample'],
    ['full', 'headers'],
  ])('reads fewer headers at a time behind a node that serves 60 of them in time (%s)', async (proof, kind) => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, asTold, { proof });
    chain.faults.before = (request, numbers) => {
      if (request === 'headers' && numbers.length > 60) throw chainUnreadable('main', 'deadline');
    };
    for (let step = 0, outcome = ''; outcome !== 'idle' && step < 500; step++)
      outcome = await opened.prover.prove(NEVER).catch(() => 'failed');
    const segments = await opened.store.listProofSegments();
    expect(segments).toContainEqual({ fromBlock: 0, toBlock: FINALIZED, kind });
  });

  it('proves and repairs by hash where receipts prove nothing and blooms are real', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, without(600), { sample: [600, 601] });
    chain.servesReceipts = false;
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(opened.prover.report()).toEqual({ differences: 1, unproven: 0 });
    expect(await opened.store.readUnprovenExtent()).toBeUndefined();
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'headers' }]);
  });

  it('proves nothing by hash where the logs by number are others', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, asTold);
    chain.servesReceipts = false;
    chain.faults.logs = without(600);
    await proveAll(opened);
    expect(await opened.store.readUnprovenExtent()).toEqual({ blocks: 1, oldest: 600, newest: 600 });
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
  });

  it.each<[IndexProof, number, string]>([
    ['background', 2_900, 'sample'],
    ['full', 1_000, 'headers'],
  ])('proves the others where the logs of a block are refused by hash (%s)', async (proof, refused, kind) => {
    const chain = createChain({ ...HISTORY, ...LATER_LOGS });
    const opened = await openProver(chain, asTold, { proof });
    failReceipts(chain, [refused]);
    chain.faults.before = (request, numbers) => {
      if (request === 'block-logs' && numbers.includes(refused)) throw new LogQueryRefused('range-too-large');
    };
    // Its bloom does not show that it holds no logs.
    chain.faults.header = (header) =>
      header.number === 1_000 ? { ...header, logsBloom: `0x${'ff'.repeat(256)}` } : header;
    await proveAll(opened);
    const unproven = await opened.store.listUnprovenBlocks(FINALIZED, 99);
    expect(unproven.map(({ blockNumber }) => blockNumber)).toEqual(proof === 'full' ? [] : [refused]);
    const segments = await opened.store.listProofSegments();
    expect(segments).toContainEqual({ fromBlock: 0, toBlock: expect.any(Number) as number, kind });
  });

  it('proves by receipts all blocks but those whose receipts prove nothing', async () => {
    const chain = createChain({ ...HISTORY, ...LATER_LOGS });
    const opened = await openProver(chain, asTold);
    const failing = [2_900, 2_580, 2_570, 2_560, 2_550, 2_000];
    failReceipts(chain, failing);
    chain.faults.blockLogs = () => [];
    await proveAll(opened);
    const unproven = await opened.store.listUnprovenBlocks(FINALIZED, 99);
    expect(unproven.map(({ blockNumber }) => blockNumber)).toEqual(failing);
  });

  it('tries the receipts of one block at a time after five in a row that prove nothing', async () => {
    const chain = createChain({ ...HISTORY, ...LATER_LOGS });
    const opened = await openProver(chain, asTold);
    chain.faults.receipts = () => 'unproven';
    await opened.prover.prove(NEVER);
    await opened.prover.prove(NEVER);
    expect(chain.requests.filter((name) => name === 'receipts')).toHaveLength(1 + 5 + 1);
    expect(await opened.store.readUnprovenExtent()).toBeUndefined();
  });

  describe('with more blocks in a row that it cannot prove than it tries', () => {
    const failing = Array.from({ length: 250 }, (_, i) => 2_000 + 2 * i).reverse();

    async function openFailing() {
      const logs = Object.fromEntries(failing.map((number) => [number, [submitted(B)]]));
      const chain = createChain({ ...HISTORY, ...logs });
      const opened = await openProver(chain, asTold);
      failReceipts(chain, failing);
      chain.faults.blockLogs = (found) => found.filter(({ blockNumber }) => !failing.includes(blockNumber));
      await proveAll(opened);
      return opened;
    }

    const listUnproven = async ({ store }: Opened) =>
      (await store.listUnprovenBlocks(FINALIZED, 999)).map(({ blockNumber }) => blockNumber);

    it('proves the older ones in later passes, each of which continues below the one before', async () => {
      const opened = await openFailing();
      expect(await listUnproven(opened)).toEqual([...failing, 1_500, 600, 10]);
      for (let pass = 0; pass < 2; pass++) {
        opened.time.jump(3_600_000);
        await proveAll(opened);
      }
      expect(await listUnproven(opened)).toEqual(failing);
    });

    it('proves in the next pass a newer one that was reopened', async () => {
      const opened = await openFailing();
      const { store } = opened;
      await replaceEventLogs(store, (await store.readMainChainCheckpoint())!, 'current', A, []);
      expect((await listUnproven(opened))[0]).toBe(2_900);
      opened.time.jump(3_600_000);
      await proveAll(opened);
      expect((await listUnproven(opened))[0]).toBe(failing[0]);
      expect(await seqsOf(opened)).toEqual([[0, 2_900, 3n]]);
    });
  });

  it('tries again later what a rate limit refused by hash', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, asTold);
    chain.servesReceipts = false;
    chain.faults.before = (request) => {
      if (request === 'block-logs') throw new LogQueryRefused('rate-limited');
    };
    await expect(opened.prover.prove(NEVER)).rejects.toThrow('rate-limited');
    chain.faults = {};
    await proveAll(opened);
    expect(opened.prover.report()).toEqual({ differences: 0, unproven: 0 });
  });

  it('tries again after the clock was set back by a day', async () => {
    const chain = createChain(HISTORY);
    let isHiding = true;
    chain.witnesses = [witness(chain, 0), witness(chain, 1, (logs) => (isHiding ? [] : logs))];
    const opened = await openProver(chain, asTold);
    chain.servesReceipts = false;
    chain.faults.header = (header) => ({ ...header, logsBloom: ZERO_BLOOM });
    await proveAll(opened);
    expect(opened.prover.report().unproven).toBe(4);
    const whole = { fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' };
    expect(await opened.store.listProofSegments()).not.toEqual([whole]);
    chain.servesReceipts = true;
    chain.faults = {};
    isHiding = false;
    opened.time.jump(-86_400_000);
    await proveAll(opened);
    expect(opened.prover.report().unproven).toBe(0);
    expect(await opened.store.listProofSegments()).toEqual([whole]);
  });

  it('leaves blocks unproven where neither receipts nor blooms prove anything, and tries again later', async () => {
    const chain = createChain(HISTORY);
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, asTold);
    chain.servesReceipts = false;
    chain.faults.header = (header) => ({ ...header, logsBloom: ZERO_BLOOM });
    await proveAll(opened);
    expect(opened.prover.report()).toEqual({ differences: 0, unproven: 4 });
    expect(await opened.store.readUnprovenExtent()).toEqual({ blocks: 4, oldest: 10, newest: 2_900 });
    // That no other block has logs is known all the same.
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'second-node' }]);
    expect(await advance(opened)).toBe('caught-up');
    chain.servesReceipts = true;
    await proveAll(opened);
    expect(opened.prover.report().unproven).toBe(4);
    opened.time.jump(3_600_000);
    await proveAll(opened);
    expect(opened.prover.report().unproven).toBe(0);
    expect(await opened.store.readUnprovenExtent()).toBeUndefined();
  });

  describe('behind a URL with a machine on another fork', () => {
    /** Lets a machine with other logs from block 500 on serve these headers of each batch, and the receipts of its blocks. */
    async function openFork(isForked: (numbers: readonly number[], position: number) => boolean) {
      const chain = createChain(HISTORY);
      const opened = await openProver(chain, asTold);
      const rival = chain.fork(chain.head.number - 499);
      rival.servesReceipts = true;
      while (rival.head.number < chain.head.number)
        rival.mine(rival.head.number === 599 ? [submitted(A, { value: 66n })] : [], [FOREIGN]);
      const readProvenLogs = chain.readProvenLogs.bind(chain);
      chain.readProvenLogs = async (headers, take) => {
        const isOfChain = ({ hash, number }: Header) => hash === chain.headerAt(number).hash;
        for (const header of headers) await (isOfChain(header) ? readProvenLogs : readRival)([header], take);
        return true;
      };
      const readRival: FakeChain['readProvenLogs'] = (headers, take) => rival.readProvenLogs(headers, take);
      chain.readHeaders = (numbers) =>
        Promise.resolve(numbers.map((number, i) => (isForked(numbers, i) ? rival : chain).headerAt(number)));
      return opened;
    }

    it.each<[string, (numbers: readonly number[], position: number) => boolean]>([
      ['with which another block comes than that of the checkpoint', () => true],
      ['that another machine contradicts, where a batch came in parts', ({ length }, i) => length > 2 && i === 3],
      ['of a batch in parts, and again with another checkpoint', ({ length }, i) => length <= 2 || i === 3],
    ])('rejects headers %s', async (_name, isForked) => {
      const opened = await openFork(isForked);
      await expect(proveAll(opened)).rejects.toThrow('hash-mismatch');
      expect(opened.prover.report()).toEqual({ differences: 0, unproven: 0 });
      expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
      expect(await opened.store.areBlocksProven(600, 600)).toBe(false);
    });
  });

  it('does not repair when another process moved the checkpoint', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, (logs) => logs.map((log) => alterEvent(log, 2n, { value: 99n })));
    const { store } = opened;
    const repairBlocks = store.repairBlocks.bind(store);
    store.repairBlocks = (expected, ...rest) =>
      repairBlocks({ ...expected, blockHash: `0x${'ab'.repeat(32)}` }, ...rest);
    await opened.prover.prove(NEVER);
    expect(opened.prover.report().differences).toBe(0);
    expect(await store.readUnprovenExtent()).toMatchObject({ oldest: 600, newest: 600 });
  });
});

describe('the mode that serves proven blocks only', () => {
  const ask = (harness: Awaited<ReturnType<typeof openHarness>>, hasPriorEvents: boolean) =>
    harness.eventTimes
      .readEventLogs({ generation: 'current', id: A, from: 0, to: 1, block: harness.chain.head, hasPriorEvents })
      .then(
        ([row]) => row?.blockTimestamp,
        (error: unknown) => (error as Fault).kind,
      );

  it('serves nothing that another mode stored until it is proven', async () => {
    const chain = createChain(HISTORY);
    const isFalse = ({ blockNumber }: ChainLog) => blockNumber === 10;
    chain.faults.logs = (logs) =>
      logs.map((log) => (isFalse(log) ? { ...log, blockTimestamp: log.blockTimestamp! - 86_400 } : log));
    const { store } = await openHarness({ chain, proof: 'background' }).then(async (first) => {
      expect(await advance(first)).toBe('caught-up');
      return first;
    });
    chain.faults = {};
    const opened = await openProver(chain, asTold, { proof: 'before', store });
    await opened.follower.poll();
    expect(await ask(opened, false)).toBe('EventIndexSyncing');
    const held = await opened.status.readMainChainIndex();
    expect(held).toMatchObject({ isHeldBack: true, servesRatings: false });
    expect(judgeIndexFreshness(held, opened.time.nowMilliseconds(), 60)).toMatchObject({ kind: 'syncing' });
    await proveAll(opened);
    opened.time.jump(10_000);
    expect(await ask(opened, false)).toBe(chain.headerAt(10).timestamp);
    expect(await ask(opened, true)).toBe(chain.headerAt(10).timestamp);
    expect(await opened.status.readMainChainIndex()).toMatchObject({ isHeldBack: false });
  });

  it('serves its own index at once, and has nothing to prove', async () => {
    const chain = createChain(HISTORY);
    const opened = await openProver(chain, asTold, { proof: 'before' });
    await opened.follower.poll();
    expect(await ask(opened, false)).toBe(chain.headerAt(10).timestamp);
    const restarted = createHarness({ chain, proof: 'before', store: opened.store });
    expect(await restarted.status.readMainChainIndex()).toMatchObject({ isHeldBack: false });
    expect(await opened.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'headers' }]);
    chain.requests.length = 0;
    await proveAll(opened);
    expect(chain.requests).toEqual([]);
  });
});

describe('the full proof', () => {
  it('reads every other header in ranges of their own', async () => {
    const chain = createChain(HISTORY);
    chain.witnesses = [witness(chain, 0, without(600)), witness(chain, 1, without(600))];
    const opened = await openProver(chain, without(600), { proof: 'full' });
    await proveAll(opened);
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect(await opened.store.listProofSegments()).toContainEqual({
      fromBlock: 0,
      toBlock: FINALIZED,
      kind: 'headers',
    });
    expect(await opened.store.listLogBlocks(0, FINALIZED)).toMatchObject([{ blockNumber: 2_900 }]);
  });

  describe('after the background proof has ended', () => {
    const logs = { ...HISTORY, 700: [imported(B, 1n)], 800: [emitted({ kind: 'operator-kyb', operator: OWNER })] };

    /** Proves in mode `background`, and opens the index in mode `full`. */
    async function switchMode(chain: FakeChain, alter: (logs: readonly ChainLog[]) => readonly ChainLog[]) {
      const first = await openProver(chain, alter, { sample: [5] });
      await proveAll(first);
      expect(await first.store.listProofSegments()).toEqual([{ fromBlock: 0, toBlock: FINALIZED, kind: 'sample' }]);
      expect(await first.store.listLogBlocks(0, FINALIZED)).toHaveLength(1);
      const opened = await openProver(chain, asTold, { proof: 'full', store: first.store });
      await opened.folder.fold(chain.headerAt(FINALIZED), NEVER);
      return opened;
    }

    const readStates = async ({ store }: Opened) => ({
      counts: [await store.readEventLogCount('current', A), await store.readEventLogCount('current', B)],
      ratings: [
        await store.readRatingState('current', A, FINGERPRINT),
        await store.readRatingState('current', B, FINGERPRINT),
      ],
      due: await store.listDueMachines(1, 9),
    });
    const expectProven = async ({ store }: Opened) => {
      const whole = { fromBlock: 0, toBlock: FINALIZED, kind: 'headers' };
      expect(await store.listProofSegments()).toContainEqual(whole);
      expect(await store.areBlocksProven(0, FINALIZED)).toBe(true);
      expect(await store.listLogBlocks(0, FINALIZED)).toMatchObject([{ blockNumber: 2_900 }]);
    };

    it('repairs nothing that is stored as the receipts prove it', async () => {
      const opened = await switchMode(createChain(logs), asTold);
      const states = await readStates(opened);
      expect(states.ratings).toMatchObject([expect.anything(), undefined]);
      await proveAll(opened);
      expect(opened.prover.report()).toEqual({ differences: 0, unproven: 0 });
      expect(differenceOf(opened)).toBeUndefined();
      expect(await readStates(opened)).toEqual(states);
      await expectProven(opened);
    });

    it('repairs the logs that the sample missed, and no other history', async () => {
      const chain = createChain(logs);
      const opened = await switchMode(chain, (all) =>
        all.filter(({ event }) => event?.kind !== 'submitted' || event.value === 1n || event.value === 3n),
      );
      const states = await readStates(opened);
      await proveAll(opened);
      expect(opened.prover.report()).toEqual({ differences: 1, unproven: 0 });
      expect(differenceOf(opened)).toEqual({ blocks: [600] });
      expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
      expect((await readStates(opened)).counts[0]!.epoch).toBe(states.counts[0]!.epoch + 1);
      await expectProven(opened);
    });

    it('reads the owners that logs without rows changed and the sample missed', async () => {
      const moved = { ...transferred(B), registry: undefined };
      const opened = await switchMode(createChain({ ...logs, 900: [moved] }), without(900));
      const read: number[] = [];
      opened.chain.faults.before = (request, numbers) => {
        if (request === 'ownership') read.push(...numbers);
      };
      await proveAll(opened);
      expect(read).toEqual([FINALIZED]);
      expect(opened.prover.report().differences).toBe(0);
      await expectProven(opened);
    });
  });

  it('proves blocks of zero blooms by the bloom of a known block, in a new process behind nodes without receipts', async () => {
    const chain = new FakeChain();
    const logs: Readonly<Record<number, readonly FakeLog[]>> = { ...HISTORY, 1_500: [] };
    for (let number = 1; number <= FINALIZED + chain.finalityLag; number++) chain.mine(logs[number] ?? []);
    const opened = await openProver(chain, asTold, { proof: 'full' });
    const { store } = opened;
    await store.recordProvenBlocks(await store.listLogBlocks(0, FINALIZED));
    await store.addProofSegment({ fromBlock: 0, toBlock: FINALIZED, kind: 'sample' });
    await store.addProofSegment({ fromBlock: 2_000, toBlock: FINALIZED, kind: 'headers' });
    await store.addProofSegment({ fromBlock: 0, toBlock: 999, kind: 'headers' });
    expect(await store.listLogBlocks(0, FINALIZED)).toHaveLength(3);
    // Transactions without logs.
    chain.faults.header = (header) => ({ ...header, receiptsRoot: undefined });
    const listed: number[] = [];
    const { listLogBlocks } = store;
    store.listLogBlocks = (fromBlock, toBlock) => {
      listed.push(toBlock - fromBlock + 1);
      return listLogBlocks(fromBlock, toBlock);
    };
    await proveAll(opened);
    // Never the 200,000 blocks around a header.
    expect(Math.max(...listed)).toBeLessThanOrEqual(500);
    expect(await store.listProofSegments()).toContainEqual({ fromBlock: 0, toBlock: FINALIZED, kind: 'headers' });
  });

  const breakLinkAt = (number: number) => (header: Header) =>
    header.number === number ? { ...header, parentHash: `0x${'f0'.repeat(32)}` } : header;
  const breakLink = breakLinkAt(1_000);

  /** Returns a host whose header of this block is not the child of the one before it. */
  const broken = (number: number, { readHeaders, ...rest }: ChainWitness): ChainWitness => ({
    ...rest,
    readHeaders: async (numbers) => (await readHeaders(numbers)).map(breakLinkAt(number)),
  });

  it('records a broken link as unprovable when two hosts return it alike', async () => {
    const chain = createChain(HISTORY);
    chain.witnesses = [broken(1_000, witness(chain, 0)), broken(1_000, witness(chain, 1))];
    const opened = await openProver(chain, asTold, { proof: 'full' });
    chain.faults.header = breakLink;
    await proveAll(opened);
    const segments = await opened.store.listProofSegments();
    expect(segments.filter(({ kind }) => kind !== 'second-node')).toEqual([
      { fromBlock: 0, toBlock: 999, kind: 'headers' },
      { fromBlock: 1_000, toBlock: 1_000, kind: 'unprovable' },
      { fromBlock: 1_001, toBlock: FINALIZED, kind: 'headers' },
    ]);
  });

  it.each([
    ['no block with the stored logs', asTold, 0],
    ['a block whose logs every node hid', without(600), 1],
  ])('repairs %s at a broken link', async (_, alter, differences) => {
    const chain = createChain(HISTORY);
    chain.witnesses = [0, 1].map((node) =>
      broken(
        600,
        witness(chain, node, (logs) => [...alter(logs)]),
      ),
    );
    const opened = await openProver(chain, alter, { proof: 'full' });
    const { epoch } = await opened.store.readEventLogCount('current', A);
    chain.faults.header = breakLinkAt(600);
    await proveAll(opened);
    expect(opened.prover.report()).toEqual({ differences, unproven: 0 });
    expect(await seqsOf(opened)).toEqual(ROWS_OF_A);
    expect((await opened.store.readEventLogCount('current', A)).epoch).toBe(epoch + differences);
    expect(await opened.store.areBlocksProven(0, FINALIZED)).toBe(true);
    expect(await opened.store.listProofSegments()).toContainEqual({
      fromBlock: 600,
      toBlock: 600,
      kind: 'unprovable',
    });
  });

  it('leaves a broken link unproven when one host alone returns it, and continues below', async () => {
    const chain = createChain(HISTORY);
    chain.witnesses = [witness(chain, 0), witness(chain, 1)];
    const opened = await openProver(chain, asTold, { proof: 'full' });
    chain.faults.header = breakLink;
    await proveAll(opened);
    const segments = await opened.store.listProofSegments();
    expect(segments.filter(({ kind }) => kind !== 'second-node')).toEqual([
      { fromBlock: 0, toBlock: 999, kind: 'headers' },
      { fromBlock: 1_001, toBlock: FINALIZED, kind: 'headers' },
    ]);
    expect(await advance(opened)).toBe('caught-up');
  });
});

it.each([
  [[], [0, 99]],
  [[[0, 99]], undefined],
  [[[50, 120]], [0, 49]],
  [[[0, 40]], [41, 99]],
  [
    [
      [60, 80],
      [90, 99],
    ],
    [81, 89],
  ],
  [
    [
      [10, 99],
      [20, 30],
    ],
    [0, 9],
  ],
  [
    [
      [0, 50],
      [40, 99],
    ],
    undefined,
  ],
] as [number[][], number[] | undefined][])('finds the newest gap between %j as %j', (covered, expected) => {
  const segments = covered.map(([fromBlock, toBlock]) => ({ fromBlock: fromBlock!, toBlock: toBlock! }));
  const gap = findNewestGap({ fromBlock: 0, toBlock: 99 }, segments);
  expect(gap && [gap.fromBlock, gap.toBlock]).toEqual(expected);
});

function alterEvent(log: ChainLog, value: bigint, change: object): ChainLog {
  const { event } = log;
  return event?.kind === 'submitted' && event.value === value ? { ...log, event: { ...event, ...change } } : log;
}
