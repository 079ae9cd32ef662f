/**
 * Property test of the alt-chain index with random histories and random failures of node and process. Every history
 * reported as complete equals the plain replay of the chain, as far as the node's responses determine it, and all
 * histories are complete once the node has recovered.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { Fault } from '../../domain/faults.ts';
import {
  PROPERTY_RUNS,
  PROPERTY_TIMEOUT_MILLISECONDS,
  SEED_TITLE,
} from '../../../testing/arbitraries/property-runs.ts';
import type { AltEventStore } from '../../ports/alt-store.ts';
import type { SignatureRow } from '../../ports/alt-chain.ts';
import {
  busy,
  FakeHistory,
  recordOf,
  type FakeChange,
  type FakeTransaction,
} from '../../../testing/fakes/fake-alt-history.ts';
import { createAltHarness } from '../../../testing/fixtures/alt-index-harness.ts';
import { FINGERPRINT, machine } from '../../../testing/fixtures/indexer-harness.ts';

const MACHINES = [machine(11), machine(12), machine(13)];

type Plan = readonly (readonly FakeTransaction[])[];

interface Trouble {
  /** Rows omitted from the program's list, by position from the oldest. */
  readonly missing: readonly number[];
  /** Rows omitted from the lists of machines as well. */
  readonly lost: readonly number[];
  readonly duplicated: boolean;
  readonly reversed: boolean;
  /** Transactions that are unreadable, null or busy, with the number of times. */
  readonly odd: readonly {
    readonly at: number;
    readonly how: 'unreadable' | 'null' | 'busy';
    readonly times: number;
  }[];
  /** The n-th page of a round is empty, or repeats the one before. */
  readonly badPage: { readonly at: number; readonly how: 'empty' | 'top' } | undefined;
  /** The process dies before or after its n-th write. */
  readonly death: { readonly at: number; readonly isWritten: boolean } | undefined;
  readonly pruned: boolean;
  readonly staleCounts: boolean;
}

const changes: fc.Arbitrary<readonly FakeChange[]> = fc
  .record({
    machineId: fc.constantFrom(...MACHINES),
    value: fc.nat(9_999),
    prior: fc.bigInt(0n, 9n),
    choice: fc.nat(99),
  })
  .map(({ machineId, value, prior, choice }): readonly FakeChange[] => {
    const record = recordOf(value, { timestamp: 1_700_000_000n + prior });
    if (choice < 6) return [{ kind: 'closed', machineId }];
    if (choice < 10) return [{ kind: 'adopted', machineId, prior, record: value % 2 === 0 ? record : undefined }];
    if (choice > 13) return [{ kind: 'submitted', machineId, record }];
    const anchor = value % 2 === 0 ? record : undefined;
    return [
      { kind: 'closed', machineId },
      { kind: 'imported', machineId, prior, record: anchor },
    ];
  });

const transaction: fc.Arbitrary<FakeTransaction> = fc.record({
  changes: fc.array(changes, { maxLength: 3 }).map((parts) => parts.flat()),
  hasFailed: fc.nat(9).map((choice) => choice === 0),
  hasLogs: fc.nat(2).map((choice) => choice > 0),
  mentions: fc.subarray(MACHINES),
});

const plan: fc.Arbitrary<Plan> = fc.array(fc.array(transaction, { maxLength: 4 }), { maxLength: 12 });

const trouble: fc.Arbitrary<Trouble> = fc.record({
  missing: fc.array(fc.nat(40), { maxLength: 3 }),
  lost: fc.array(fc.nat(40), { maxLength: 1 }),
  duplicated: fc.boolean(),
  reversed: fc.boolean(),
  odd: fc.array(
    fc.record({
      at: fc.nat(40),
      how: fc.constantFrom('unreadable' as const, 'null' as const, 'busy' as const),
      times: fc.constantFrom(1, 2, 5, 1_000),
    }),
    { maxLength: 3 },
  ),
  badPage: fc.option(fc.record({ at: fc.nat(4), how: fc.constantFrom('empty' as const, 'top' as const) }), {
    nil: undefined,
  }),
  death: fc.option(fc.record({ at: fc.nat(9), isWritten: fc.boolean() }), { nil: undefined }),
  pruned: fc.nat(5).map((choice) => choice === 0),
  staleCounts: fc.nat(3).map((choice) => choice === 0),
});

const rounds = fc.array(fc.record({ plan, trouble }), { minLength: 1, maxLength: 3 });

/** Injects the faults into the node; returns a function that removes them. */
function disturb(chain: FakeHistory, { missing, lost, odd, ...given }: Trouble): () => void {
  const rights = { counts: chain.readEventLogCounts.bind(chain) };
  const isMissing = (row: SignatureRow, places: readonly number[]) => places.includes(Number(row.signature.slice(2)));
  let pages = 0;
  if (given.reversed) chain.orderInSlot = (rows) => rows.toReversed();
  chain.alterPage = (page, _, about) => {
    pages += 1;
    const known = page.filter((row) => !isMissing(row, lost));
    const rows = about === 'event-registry' ? known.filter((row) => !isMissing(row, missing)) : known;
    if (given.badPage !== undefined && pages === given.badPage.at + 2) return given.badPage.how === 'empty' ? [] : page;
    return given.duplicated ? rows.flatMap((row) => [row, row]) : rows;
  };
  const left = new Map(odd.map(({ at, how, times }) => [`tx${at}`, { how, times }]));
  chain.alterReading = (reading, { signature }) => {
    const fault = left.get(signature);
    if (fault === undefined || fault.times === 0) return reading;
    fault.times -= 1;
    if (fault.how === 'busy') throw busy(fault.times);
    return fault.how === 'null' ? { state: 'not-here-yet' } : { state: 'unreadable' };
  };
  chain.firstAvailableSlot = given.pruned ? 12 : 0;
  if (given.staleCounts) {
    const slot = chain.slot - 2;
    chain.readEventLogCounts = async () => ({ slot, counts: new Map() });
  }
  return () => {
    chain.alterPage = (rows) => rows;
    chain.alterReading = (reading) => reading;
    chain.firstAvailableSlot = 0;
    chain.readEventLogCounts = rights.counts;
  };
}

/**
 * Wraps the store of a process that dies at one of its writes: no call returns after that, whether or not the write was
 * stored.
 */
function mortal(store: AltEventStore, death: Trouble['death']): AltEventStore {
  let writes = 0;
  return {
    ...store,
    async writeAltIndex(revision, given) {
      if (death === undefined || writes++ < death.at) return store.writeAltIndex(revision, given);
      if (death.isWritten && writes === death.at + 1) await store.writeAltIndex(revision, given);
      throw new Error('the process is no more');
    },
  };
}

async function endProcess(store: AltEventStore, chain: FakeHistory): Promise<void> {
  const operations = await Promise.all(MACHINES.map((id) => store.listAltOperations(id)));
  chain.forgetUnstored(new Set(operations.flat().map(({ signature }) => signature)));
}

describe(`whatever the node and the process do, ${SEED_TITLE}`, { timeout: PROPERTY_TIMEOUT_MILLISECONDS }, () => {
  it('never reports an incomplete history as complete, and completes all of them after recovery', async () => {
    let complete = 0;
    let incomplete = 0;
    await fc.assert(
      fc.asyncProperty(rounds, fc.integer({ min: 2, max: 7 }), async (given, pageRows) => {
        const chain = new FakeHistory();
        chain.pageRows = pageRows;
        const store = await createMemoryStore();
        for (const { plan: blocks, trouble: fault } of given) {
          for (const block of blocks) chain.finalize(...block);
          const restore = disturb(chain, fault);
          await createAltHarness({ chain, store: mortal(store, fault.death) }).settle(2);
          await endProcess(store, chain);
          await expectNoLie(store, chain);
          await createAltHarness({ chain, store }).settle(1);
          await endProcess(store, chain);
          await expectNoLie(store, chain);
          restore();
        }
        const harness = createAltHarness({ chain, store });
        await harness.settle(4);
        // A request may be the first to find the last event wrong.
        await expectNoLie(store, chain);
        await harness.settle(4);
        for (const id of MACHINES) {
          expect(await store.listAltEvents(id, 0, 9_999)).toEqual(chain.knowableEventsOf(id));
          expect((await harness.read(id)).isComplete).toBe(true);
        }
        await store.close();
      }),
      PROPERTY_RUNS,
    );
    expect(complete).toBeGreaterThan(PROPERTY_RUNS.numRuns);
    expect(incomplete).toBeGreaterThan(PROPERTY_RUNS.numRuns / 10);

    async function expectNoLie(store: AltEventStore, chain: FakeHistory): Promise<void> {
      const { index } = createAltHarness({ chain, store });
      for (const id of MACHINES) {
        const read = await index.readHistory(chain.snapshotOf(id), FINGERPRINT).catch((error: unknown) => {
          if (error instanceof Fault && error.kind === 'ChainUnreadable') return undefined;
          throw error;
        });
        if (read?.isComplete !== true) {
          incomplete += 1;
          continue;
        }
        complete += 1;
        expect(read.tail.map(({ value, blockTimestamp }) => [value, blockTimestamp])).toEqual(
          chain.knowableEventsOf(id).map(({ record, blockTime }) => [record.value, blockTime]),
        );
      }
    }
  });
});

describe('the expected events', () => {
  const A = MACHINES[0]!;
  const expectedValues = (chain: FakeHistory) => chain.knowableEventsOf(A).map(({ record }) => record.value);

  /** Reads a history without the one transaction in which the machine leaves and returns. */
  async function omitReturn(prior: bigint, hasLogs: boolean): Promise<FakeHistory> {
    const chain = new FakeHistory();
    chain.finalize({ changes: [{ kind: 'imported', machineId: A, prior: 3n, record: recordOf(1) }], hasLogs });
    const [omitted] = chain.finalize({
      changes: [
        { kind: 'closed', machineId: A },
        { kind: 'imported', machineId: A, prior, record: recordOf(2_444) },
      ],
      hasLogs,
    });
    chain.finalize({ changes: [{ kind: 'submitted', machineId: A, record: recordOf(3) }], hasLogs });
    for (const { row } of chain.transactions) if (row.signature !== omitted) await chain.readTransaction(row);
    return chain;
  }

  it.each([true, false])('are the ones that were read when no response shows others (logs: %s)', async (hasLogs) => {
    expect(expectedValues(await omitReturn(3n, hasLogs))).toEqual([1n, 3n]);
  });

  it('are those of the chain when the prior count differs', async () => {
    expect(expectedValues(await omitReturn(4n, true))).toEqual([2_444n, 3n]);
  });

  it('are those of the chain when the count differs', async () => {
    const chain = await omitReturn(3n, true);
    chain.submit(A, recordOf(4));
    expect(expectedValues(chain)).toEqual([2_444n, 3n, 4n]);
  });

  it('are those of the chain when the last record differs', async () => {
    const chain = await omitReturn(3n, true);
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.finalize({ changes: [{ kind: 'imported', machineId: A, prior: 3n, record: recordOf(5) }] });
    chain.submit(A, recordOf(6));
    expect(expectedValues(chain)).toEqual([5n, 6n]);
  });

  it('are the ones that are stored when the process that read another one has ended', async () => {
    const chain = await omitReturn(3n, true);
    const [first, omitted, last] = chain.transactions.map(({ row }) => row);
    await chain.readTransaction(omitted!);
    chain.forgetUnstored(new Set([first!.signature, last!.signature]));
    expect(expectedValues(chain)).toEqual([1n, 3n]);
  });

  it('are those of the chain once the omitted transaction is read', async () => {
    const chain = await omitReturn(3n, true);
    await chain.readTransaction(chain.transactions[1]!.row);
    expect(expectedValues(chain)).toEqual([2_444n, 3n]);
  });
});
