/** Tests of the alt-chain index against the chain's history under every fault of a node (chain-svm 6). */
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import type { TransactionReadResult } from '../../domain/alt-chain/event-operation.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import { previewFold } from '../../domain/rating/rating-state.ts';
import type { AltEventStore } from '../../ports/alt-store.ts';
import type { SignatureRow } from '../../ports/alt-chain.ts';
import type { Store } from '../../ports/store.ts';
import { busy, FakeHistory, recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { createAltEventMerge } from './event-merge.ts';
import { createSharedBackoff } from './shared-backoff.ts';
import { AltHistoryRejected } from './history-rejected.ts';
import { createAltHarness } from '../../../testing/fixtures/alt-index-harness.ts';
import { FINGERPRINT, machine, NEVER } from '../../../testing/fixtures/indexer-harness.ts';
import { present } from '../../domain/read-result.ts';

const [A, B, C] = [machine(11), machine(12), machine(13)];

let chain: FakeHistory;
let store: Store;
let harness: ReturnType<typeof createAltHarness>;

beforeEach(async () => {
  chain = new FakeHistory();
  store = await createMemoryStore();
  harness = createAltHarness({ chain, store });
});

const values = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);
const records = (from: number, to: number) => values(from, to).map((value) => recordOf(value));
const storedOf = (id: typeof A) => store.listAltEvents(id, 0, Number.MAX_SAFE_INTEGER);

/** Returns pages of failed transactions that never end, in the slots that the function returns. Throws after 400 pages. */
function endlessPages(of: unknown, slotOfPage: (page: number) => number): FakeHistory['alterPage'] {
  let pages = 0;
  return (rows, _, about) => {
    if (about !== of) return rows;
    pages += 1;
    if (pages > 400) throw new Error('endless');
    const row = { slot: slotOfPage(pages), blockTime: 1, hasFailed: true };
    return Array.from({ length: 1_000 }, (_, k) => ({ ...row, signature: `${pages}-${k}` }));
  };
}

async function expectAll(): Promise<void> {
  for (const id of chain.machines) {
    expect(await storedOf(id)).toEqual(chain.eventsOf(id));
    expect((await harness.read(id)).isComplete).toBe(true);
  }
}

describe('the walk', () => {
  it('imports a history of any number of pages and requests each transaction once', async () => {
    chain.pageRows = 7;
    chain.submit(A, ...records(0, 20));
    chain.submit(B, ...records(0, 30));
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(chain.requests.filter((request) => request === 'transaction')).toHaveLength(50);
    expect(chain.requests.filter((request) => request === 'page')).toHaveLength(10);
  });

  it('sends four requests when nothing has happened', async () => {
    chain.submit(A, recordOf(1));
    await harness.settle();
    chain.requests.length = 0;
    expect(await harness.settle()).toEqual([]);
    expect(chain.requests).toEqual(['genesis', 'slot', 'page', 'counts']);
  });

  it('imports new transactions, whole pages included', async () => {
    chain.pageRows = 5;
    chain.submit(A, ...records(0, 3));
    await harness.settle();
    chain.submit(A, ...records(3, 13));
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('reads no failed transaction below the newest one and stores no unrelated one', async () => {
    chain.finalize({ hasFailed: true, changes: [{ kind: 'submitted', machineId: A }] }, { mentions: [A] });
    chain.submit(A, recordOf(1));
    chain.finalize({ hasFailed: true, mentions: [A] });
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(chain.requests.filter((request) => request === 'transaction')).toHaveLength(3);
    expect((await store.readAltWalk()).done).toEqual({ signature: 'tx4', slot: chain.slot });
  });

  it('ends below the first slot, and without any transaction', async () => {
    expect(await harness.settle()).toEqual([]);
    expect(await harness.index.readStatus()).toMatchObject({ isReady: true, slot: 10 });
    chain.submit(A, recordOf(1));
    chain.submit(B, recordOf(2));
    const late = createAltHarness({ chain, store: await createMemoryStore(), firstSlot: 12 });
    await late.settle();
    expect((await late.read(A)).isComplete).toBe(false);
    expect(await late.read(B)).toEqual({ isComplete: true, folded: 0, values: [2] });
  });

  it('resumes after a crash', async () => {
    chain.pageRows = 3;
    chain.submit(A, ...records(0, 10));
    let pages = 0;
    chain.onRequest = (request) => {
      if (request === 'page' && ++pages === 3) throw new Error('the process died');
    };
    expect(await harness.settle()).toEqual(['unexpected:Error']);
    const { open } = await store.readAltWalk();
    expect(open).toMatchObject({ top: { signature: 'tx10' }, cursor: { signature: 'tx5' }, isListed: false });
    const listing = { phase: 'listing', targetSlot: open!.top.slot, listedDownToSlot: open!.cursor.slot };
    expect((await harness.index.readStatus()).progress).toEqual({ ...listing, appliedSlot: undefined });
    chain.onRequest = () => undefined;
    chain.requests.length = 0;
    harness = createAltHarness({ chain, store });
    expect(await harness.settle()).toEqual([]);
    expect(chain.requests.filter((request) => request === 'page')).toHaveLength(4);
    await expectAll();
  });

  it('loses nothing after a crash before or after any of its writes', async () => {
    chain.pageRows = 3;
    chain.submit(A, ...records(0, 7));
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.submit(A, ...records(7, 9));
    let deaths = 0;
    for (let write = 0; ; write++) {
      for (const isWritten of [false, true]) {
        store = await createMemoryStore();
        let writes = 0;
        const mortal: AltEventStore = {
          ...store,
          async writeAltIndex(revision, given) {
            if (writes++ < write) return store.writeAltIndex(revision, given);
            if (isWritten) await store.writeAltIndex(revision, given);
            throw new Error('the process died');
          },
        };
        const failures = await createAltHarness({ chain, store: mortal }).settle();
        if (failures.length === 0) {
          expect(deaths).toBe(12);
          return;
        }
        deaths += 1;
        harness = createAltHarness({ chain, store });
        expect(await harness.settle()).toEqual([]);
        await expectAll();
      }
    }
  });

  it('refuses a node that cannot serve the first slot, and is not ready', async () => {
    chain.submit(A, recordOf(1));
    chain.firstAvailableSlot = 1;
    expect(await harness.settle()).toEqual(['history-pruned']);
    expect(await harness.index.readStatus()).toEqual({
      isReady: false,
      slot: undefined,
      observedAtMilliseconds: undefined,
    });
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [] });
    chain.firstAvailableSlot = 0;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('does not treat the end of a pruned list as the last applied row', async () => {
    chain.submit(A, ...records(0, 2));
    await harness.settle();
    const before = await store.readAltWalk();
    chain.submit(A, ...records(2, 9));
    chain.pageRows = 3;
    chain.alterPage = (rows) => rows.filter(({ slot }) => slot > 14);
    expect(await harness.settle()).toEqual(['done-not-met']);
    expect(await store.readAltWalk()).toMatchObject({ done: before.done, observed: before.observed, open: undefined });
    expect(await store.listOldestListed(99)).toEqual([]);
    expect((await harness.read(A)).isComplete).toBe(false);
    chain.alterPage = (rows) => rows;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('does not pass the last applied row without finding it', async () => {
    chain.submit(A, ...records(0, 3));
    await harness.settle();
    chain.submit(A, recordOf(3));
    chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== 'tx3');
    expect(await harness.settle()).toEqual(['done-not-met']);
    chain.alterPage = (rows) => rows;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  describe('with failed rows that do not exist at the top of the list', () => {
    const invent = (count: number) => {
      const invented = Array.from({ length: count }, (_, k) => `invented ${k}`);
      chain.alterPage = (rows, before, about) => {
        if (about !== 'event-registry' || before !== undefined) return rows;
        const row = { slot: chain.slot, blockTime: 1, hasFailed: true };
        return [...invented.map((signature) => ({ ...row, signature })), ...rows];
      };
    };

    it.each([1, 9])('ends the next walk at a row that exists, below %d invented ones', async (count) => {
      chain.submit(A, recordOf(1));
      await harness.settle();
      chain.submit(A, recordOf(2));
      invent(count);
      expect(await harness.settle()).toEqual([]);
      expect((await store.readAltWalk()).done?.signature).toBe('tx2');
      chain.alterPage = (rows) => rows;
      chain.submit(A, recordOf(3));
      expect(await harness.settle()).toEqual([]);
      await expectAll();
    });

    it('ends it at a failed transaction that the node has', async () => {
      chain.submit(A, recordOf(1));
      chain.finalize({ hasFailed: true, mentions: [A] });
      invent(1);
      expect(await harness.settle()).toEqual([]);
      expect((await store.readAltWalk()).done?.signature).toBe('tx2');
    });

    it('ends it at a failed transaction that cannot be read', async () => {
      chain.submit(A, recordOf(1));
      chain.finalize({ hasFailed: true, mentions: [A] });
      chain.alterReading = (reading, { signature }) => (signature === 'tx2' ? { state: 'unreadable' } : reading);
      expect(await harness.settle()).toEqual([]);
      expect((await store.readAltWalk()).done?.signature).toBe('tx2');
    });

    it('rejects a page of which no transaction exists', async () => {
      chain.submit(A, recordOf(1));
      await harness.settle();
      invent(1);
      expect(await harness.settle()).toEqual(['missing-transaction']);
      expect((await store.readAltWalk()).done?.signature).toBe('tx1');
      chain.alterPage = (rows) => rows;
      expect(await harness.settle()).toEqual([]);
    });
  });

  it.each([
    ['starts at the top again', 'out-of-order', 'tx3'],
    ['repeats the previous page', 'repeated-page', 'tx5'],
  ])('rejects a page that %s', async (_, reason, place) => {
    chain.pageRows = 2;
    chain.submit(A, ...records(0, 6));
    const right = chain.listSignatures.bind(chain);
    chain.listSignatures = (about, before) => right(about, before === place ? undefined : before);
    expect(await harness.settle()).toEqual([reason]);
    chain.listSignatures = right;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('rejects a list with more rows of one slot than any block, and lists again from its start', async () => {
    chain.submit(A, ...records(0, 6));
    chain.alterPage = endlessPages('event-registry', () => 12);
    chain.alterReading = () => ({ state: 'read', operations: [] });
    expect(await harness.settle()).toEqual(['too-many-in-slot']);
    expect(await store.listOldestListed(1)).toEqual([]);
    chain.alterPage = (rows) => rows;
    chain.alterReading = (reading) => reading;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('imports a repeated row once, within a page and across pages', async () => {
    chain.pageRows = 3;
    chain.submit(A, ...records(0, 7));
    chain.alterPage = (rows, before) =>
      [
        ...(before === undefined
          ? []
          : [{ signature: before, slot: 11 + Number(before.slice(2)) - 1, blockTime: 1, hasFailed: false }]),
        ...rows.flatMap((row) => [row, row]),
      ].slice(0, rows.length === 0 ? 0 : undefined);
    await harness.settle();
    chain.alterPage = (rows) => rows;
    await harness.settle();
    await expectAll();
  });

  it('refuses a node of another chain and a node that is behind', async () => {
    chain.submit(A, recordOf(1));
    await harness.settle();
    chain.genesisIsRight = false;
    expect(await harness.settle()).toEqual(['ChainUnreadable:wrong-chain']);
    chain.genesisIsRight = true;
    chain.slot -= 1;
    expect(await harness.settle()).toEqual(['node-behind']);
    chain.slot += 1;
    expect(await harness.settle()).toEqual([]);
  });

  it('writes nothing into the index of another deployment', async () => {
    chain.submit(A, recordOf(1));
    await store.claimAltIdentity('genesis=b');
    expect(await harness.settle()).toEqual(['other-deployment']);
    expect(harness.events.refusal()).toBe('other-deployment');
    expect(await store.readAltWalk()).toMatchObject({ revision: 0 });
  });

  it('is refused once another process has replaced its claim', async () => {
    chain.submit(A, recordOf(1));
    let claims = 0;
    const replaced = { ...store, claimAltIdentity: async () => ++claims === 1, writeAltIndex: async () => false };
    const late = createAltHarness({ chain, store: replaced });
    expect(await late.settle(1)).toEqual(['other-deployment']);
    expect(late.events.refusal()).toBe('other-deployment');
  });

  it('is done once when two processes run it at the same time', async () => {
    chain.pageRows = 3;
    chain.submit(A, ...records(0, 20));
    const other = createAltHarness({ chain, store });
    await Promise.all([harness.settle(2), other.settle(2)]);
    await expectAll();
  });
});

describe('transactions', () => {
  it('hold up the index while the node does not have them, and are never skipped', async () => {
    chain.submit(A, ...records(0, 3));
    chain.alterReading = (reading, { signature }) => (signature === 'tx2' ? { state: 'not-here-yet' } : reading);
    expect(await harness.settle(3)).toEqual(['missing-transaction', 'missing-transaction', 'missing-transaction']);
    expect(await store.listAltMachines()).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [] });
    chain.alterReading = (reading) => reading;
    chain.requests.length = 0;
    expect(await harness.settle()).toEqual([]);
    expect(chain.requests.filter((request) => request === 'transaction')).toHaveLength(1);
    await expectAll();
  });

  it('are read while others are missing, so that the next step requests only those', async () => {
    chain.submit(A, ...records(0, 200));
    chain.alterReading = (reading, { signature }) =>
      signature === 'tx2' || signature === 'tx90' ? { state: 'not-here-yet' } : reading;
    expect(await harness.settle(1)).toEqual(['missing-transaction']);
    chain.alterReading = (reading) => reading;
    chain.requests.length = 0;
    expect(await harness.settle()).toEqual([]);
    expect(chain.requests.filter((request) => request === 'transaction')).toHaveLength(2);
    await expectAll();
  });

  it('are not all requested from a node that has none of them', async () => {
    chain.submit(A, ...records(0, 200));
    chain.alterReading = () => ({ state: 'not-here-yet' });
    expect(await harness.settle(1)).toEqual(['missing-transaction']);
    expect(chain.requests.filter((request) => request === 'transaction').length).toBeLessThan(40);
  });

  it('without a time in their row are requested as often as others after their time is known', async () => {
    chain.untimedRows.add(11);
    chain.submit(A, ...records(0, 1));
    let requests = 0;
    chain.alterReading = (reading) => (++requests === 2 || requests === 3 ? { state: 'not-here-yet' } : reading);
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('are read when they were unreadable once or twice', async () => {
    chain.submit(A, ...records(0, 3));
    let times = 0;
    chain.alterReading = (reading, { signature }) =>
      signature === 'tx2' && ++times <= 2 ? { state: 'unreadable' } : reading;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('are parked when they stay unreadable, block only their own machine, and are read later', async () => {
    chain.submit(A, ...records(0, 3));
    chain.submit(B, ...records(0, 3));
    chain.alterReading = (reading, { signature }) => (signature === 'tx2' ? { state: 'unreadable' } : reading);
    expect(await harness.settle(2)).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [0] });
    expect(await harness.read(B)).toEqual({ isComplete: true, folded: 0, values: [0, 1, 2] });
    expect(await store.listParked(Number.MAX_SAFE_INTEGER, 9)).toMatchObject([{ signature: 'tx2' }]);
    chain.alterReading = (reading) => reading;
    expect(await harness.settle(2)).toEqual([]);
    await expectAll();
    expect(await store.listParked(Number.MAX_SAFE_INTEGER, 9)).toEqual([]);
  });

  it.each([
    ['missing', 'missing-transaction', (): TransactionReadResult => ({ state: 'not-here-yet' })],
    [
      'refused by the node',
      'ChainUnreadable:rpc-error',
      (): TransactionReadResult => {
        throw chainUnreadable('alt', 'rpc-error');
      },
    ],
  ])('parked and then %s are parked longer, hold up no other one and no verification', async (_, reason, answer) => {
    chain.submit(C, ...records(0, 3));
    chain.submit(B, ...records(0, 3));
    chain.alterReading = (reading, { signature }) =>
      signature === 'tx2' || signature === 'tx5' ? { state: 'unreadable' } : reading;
    expect(await harness.settle()).toEqual([]);
    const [omitted] = chain.submit(A, ...records(0, 3));
    chain.alterPage = (rows, _before, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => signature !== omitted) : rows;
    chain.alterReading = (reading, { signature }) => (signature === 'tx2' ? answer() : reading);
    expect(await harness.settle(4)).toContain(reason);
    expect(await harness.read(C)).toEqual({ isComplete: false, folded: 0, values: [0] });
    expect(await harness.read(B)).toEqual({ isComplete: true, folded: 0, values: [0, 1, 2] });
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [0, 1, 2] });
    const [parked, ...others] = await store.listParked(Number.MAX_SAFE_INTEGER, 9);
    expect([parked?.signature, others]).toEqual(['tx2', []]);
    expect(parked!.attempts).toBeGreaterThan(1);
    chain.alterReading = (reading) => reading;
    await harness.settle(2);
    await expectAll();
  });

  it.each([
    ['before', 'tx2', 11],
    ['after', undefined, 15],
  ])('listed again at a slot %s their own are read once, and not parked', async (_, before, slot) => {
    chain.submit(A, recordOf(1));
    chain.finalize({ mentions: [B] });
    const [twice] = chain.submit(A, recordOf(2));
    chain.finalize({ mentions: [B] });
    const right = chain.slot - 1;
    chain.slot = 15;
    chain.pageRows = 1;
    chain.alterPage = (rows, from, about) =>
      about === 'event-registry' && from === before ? [{ ...rows[0]!, signature: twice!, slot }, ...rows] : rows;
    chain.alterReading = (reading, row) =>
      row.signature === twice && row.slot !== right ? { state: 'unreadable' } : reading;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(harness.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('parked by a clock that was ahead are read once it is right again', async () => {
    const days = 40 * 86_400_000;
    chain.submit(A, ...records(0, 3));
    chain.alterReading = (reading, { signature }) => (signature === 'tx2' ? { state: 'unreadable' } : reading);
    harness.time.jump(days);
    expect(await harness.settle()).toEqual([]);
    chain.alterReading = (reading) => reading;
    harness.time.jump(-days);
    expect(await harness.settle(2)).toEqual([]);
    await expectAll();
  });

  it('without a time in their row use the time of their block, or wait for it', async () => {
    chain.untimedRows.add(11).add(12);
    chain.unknownTimes.add(12);
    chain.submit(A, ...records(0, 3));
    expect(await harness.settle()).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [0] });
    chain.unknownTimes.clear();
    expect(await harness.settle(2)).toEqual([]);
    await expectAll();
  });

  it('are requested again after the delay that the node requests, 30 s at most', async () => {
    chain.submit(A, recordOf(1));
    const responses = [busy(7), busy(99), busy()];
    chain.onRequest = (request) => {
      const refusal = request === 'transaction' ? responses.shift() : undefined;
      if (refusal !== undefined) throw refusal;
    };
    expect(await harness.settle()).toEqual([]);
    expect(harness.pauses).toEqual([7_000, 30_000, 1_000]);
    await expectAll();
  });

  it('are not requested again when they were read before a failure', async () => {
    chain.submit(A, ...records(0, 20));
    let calls = 0;
    chain.onRequest = (request) => {
      if (request === 'transaction' && ++calls > 15) throw busy();
    };
    expect(await harness.settle()).toEqual(['node-busy']);
    chain.onRequest = () => undefined;
    chain.requests.length = 0;
    expect(await harness.settle()).toEqual([]);
    expect(chain.requests.filter((request) => request === 'transaction').length).toBeLessThanOrEqual(20 - 8);
    await expectAll();
  });
});

describe('numbering', () => {
  const submitted = (machineId: typeof A, value: number) =>
    ({ kind: 'submitted', machineId, record: recordOf(value) }) as const;

  it('follows the order when logs are truncated or missing, within a transaction too', async () => {
    chain.finalize({ changes: [submitted(A, 0), submitted(B, 0), submitted(A, 1)], hasLogs: false });
    chain.finalize({ changes: [submitted(A, 2)] });
    chain.finalize({ changes: [submitted(A, 3)], hasLogs: false });
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(chain.requests).not.toContain('block');
  });

  it('reads the block for the order of two unnumbered transactions of a machine in one slot', async () => {
    chain.orderInSlot = (rows) => rows.toReversed();
    chain.finalize({ changes: [submitted(A, 0)], hasLogs: false }, { changes: [submitted(A, 1)], hasLogs: false });
    chain.finalize({ changes: [submitted(A, 2)] }, { changes: [submitted(A, 3)] });
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(chain.requests.filter((request) => request === 'block')).toHaveLength(1);
  });

  it('restarts with each incarnation, and an import adds its anchor', async () => {
    chain.orderInSlot = (rows) => rows.toReversed();
    chain.submit(A, ...records(0, 5));
    chain.finalize(
      { changes: [{ kind: 'closed', machineId: A }] },
      { changes: [{ kind: 'imported', machineId: A, prior: 9n, record: recordOf(70) }] },
      { changes: [submitted(A, 71)] },
    );
    chain.finalize({ changes: [{ kind: 'imported', machineId: B, prior: 4n }] });
    chain.finalize({ changes: [{ kind: 'adopted', machineId: B, prior: 4n, record: recordOf(80) }], hasLogs: false });
    chain.submit(B, recordOf(81));
    chain.finalize({ changes: [submitted(C, 1), { kind: 'closed', machineId: C }, submitted(C, 2)] });
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [70, 71] });
    expect(await harness.read(C)).toEqual({ isComplete: true, folded: 0, values: [2] });
    const [a, b] = await store.readAltMachines([A, B]);
    expect([a!.incarnation, a!.priorEventCount, b!.incarnation, b!.priorEventCount]).toEqual([1, 9n, 0, 4n]);
  });
});

describe('count verification', () => {
  it('finds a row that was omitted from a page in the machine’s own list', async () => {
    chain.submit(A, ...records(0, 5));
    chain.submit(B, ...records(0, 5));
    chain.alterPage = (rows, _, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => signature !== 'tx3') : rows;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(harness.log.lines).toContainEqual({
      level: 'warn',
      fields: { machine: '11', counted: '5' },
      message: 'events of a machine are incomplete',
    });
  });

  it('does not rate a machine while some of its rows are missing everywhere, and rates the others', async () => {
    chain.submit(A, ...records(0, 5));
    chain.submit(B, ...records(0, 5));
    chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== 'tx3' && signature !== 'tx5');
    expect(await harness.settle()).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [0, 1] });
    expect(await harness.read(B)).toEqual({ isComplete: true, folded: 0, values: [0, 1, 2, 3, 4] });
    chain.alterPage = (rows) => rows;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  describe('of a machine whose own list is long', () => {
    const omitFirst: FakeHistory['alterPage'] = (rows, _, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => signature !== 'tx1') : rows;

    it('rejects one with more rows of one slot than any block', async () => {
      chain.submit(A, ...records(0, 5));
      const endless = endlessPages(A, () => 12);
      chain.alterPage = (rows, before, about) => endless(omitFirst(rows, before, about), before, about);
      expect(await harness.settle()).toEqual(['too-many-in-slot']);
      expect((await harness.read(A)).isComplete).toBe(false);
      chain.alterPage = (rows) => rows;
      expect(await harness.settle(2)).toEqual([]);
      await expectAll();
    });

    it('reads it in steps, while the index advances', async () => {
      chain.slot = 1_000;
      chain.submit(A, ...records(0, 5));
      const endless = endlessPages(A, (page) => 1_000 - page);
      chain.alterPage = (rows, before, about) => endless(omitFirst(rows, before, about), before, about);
      for (const value of values(0, 2)) {
        chain.submit(B, recordOf(value));
        expect(await harness.settle()).toEqual([]);
        expect((await harness.read(B)).values).toEqual(values(0, value + 1));
      }
      expect((await harness.read(A)).isComplete).toBe(false);
      expect(harness.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    });

    it('finds a row in a later step', async () => {
      chain.pageRows = 2;
      chain.submit(A, ...records(0, 400));
      chain.alterPage = omitFirst;
      expect(await harness.settle()).toEqual([]);
      expect((await harness.read(A)).isComplete).toBe(false);
      expect(await harness.settle()).toEqual([]);
      await expectAll();
    });

    it('merges many unknown rows in several steps', async () => {
      chain.pageRows = 400;
      chain.submit(A, ...records(0, 2_500));
      chain.submit(B, recordOf(1));
      chain.alterPage = (rows, _, about) =>
        about === 'event-registry' ? rows.filter(({ slot }) => slot > chain.slot - 10) : rows;
      expect(await harness.settle()).toEqual([]);
      expect(await storedOf(A)).toHaveLength(1_200);
      expect(await harness.settle(2)).toEqual([]);
      await expectAll();
    });

    it('clears the mark of counts that agree again once the list is read to its end', async () => {
      chain.pageRows = 2;
      chain.submit(A, ...records(0, 400));
      const readCounts = chain.readEventLogCounts.bind(chain);
      chain.readEventLogCounts = async () => ({ slot: chain.slot, counts: new Map() });
      expect(await harness.settle(3)).toEqual([]);
      chain.readEventLogCounts = readCounts;
      chain.submit(A, recordOf(400));
      harness = createAltHarness({ chain, store });
      expect(await harness.settle()).toEqual([]);
      expect((await harness.read(A)).isComplete).toBe(false);
      expect(await harness.settle()).toEqual([]);
      await expectAll();
    });
  });

  describe('while the own list of a machine fails', () => {
    const failFor = (id: unknown, error: Error) => {
      const list = chain.listSignatures.bind(chain);
      chain.listSignatures = (about, before) => {
        if (about === id) throw error;
        return list(about, before);
      };
      return () => (chain.listSignatures = list);
    };

    it.each([
      ['missing-transaction', new AltHistoryRejected('missing-transaction')],
      ['ChainUnreadable:rpc-error', chainUnreadable('alt', 'rpc-error')],
    ])('repairs the others in the same check, and reports %s', async (reason, error) => {
      for (const id of [A, B, C]) chain.submit(id, ...records(0, 3));
      chain.alterPage = (rows, _, about) =>
        about === 'event-registry' ? rows.filter(({ signature }) => !['tx2', 'tx5'].includes(signature)) : rows;
      const restore = failFor(A, error);
      expect(await harness.settle()).toEqual([reason]);
      expect(await storedOf(B)).toEqual(chain.eventsOf(B));
      expect(await harness.settle(1, 60_000)).toEqual([]);
      expect((await harness.read(B)).isComplete).toBe(true);
      expect((await harness.read(A)).isComplete).toBe(false);
      expect(harness.log.lines).toContainEqual({
        level: 'warn',
        fields: { machine: '11', reason },
        message: 'events of a machine could not be repaired',
      });
      restore();
      await harness.settle(2);
      await expectAll();
    });

    it('confirms the others whose counts agree again', async () => {
      for (const id of [A, B]) chain.submit(id, recordOf(1));
      const readCounts = chain.readEventLogCounts.bind(chain);
      chain.readEventLogCounts = async () => ({ slot: chain.slot, counts: new Map() });
      expect(await harness.settle(3)).toEqual([]);
      chain.readEventLogCounts = readCounts;
      for (const id of [A, B]) chain.submit(id, recordOf(2));
      harness = createAltHarness({ chain, store });
      const restore = failFor(A, new AltHistoryRejected('too-many-in-slot'));
      expect(await harness.settle()).toEqual(['too-many-in-slot']);
      expect((await harness.read(B)).isComplete).toBe(true);
      expect((await harness.read(A)).isComplete).toBe(false);
      restore();
      await harness.settle(2);
      await expectAll();
    });

    it('ends the check where the node fails as such, and begins the next one with the others', async () => {
      for (const id of [A, B]) chain.submit(id, ...records(0, 3));
      chain.alterPage = (rows, _, about) =>
        about === 'event-registry' ? rows.filter(({ signature }) => !['tx2', 'tx5'].includes(signature)) : rows;
      const restore = failFor(A, chainUnreadable('alt', 'deadline'));
      expect(await harness.settle()).toEqual(['ChainUnreadable:deadline']);
      expect(await storedOf(B)).not.toEqual(chain.eventsOf(B));
      expect(await harness.settle(2, 60_000)).toEqual([]);
      expect((await harness.read(B)).isComplete).toBe(true);
      restore();
      await harness.settle(2);
      await expectAll();
    });
  });

  it('reads no record of a machine whose own list adds nothing', async () => {
    chain.submit(A, ...records(0, 5));
    chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== 'tx3');
    const withoutRecords = { ...store, listAltOperations: () => Promise.reject(new Error('all records are read')) };
    expect(await createAltHarness({ chain, store: withoutRecords }).settle(2)).toEqual([]);
    expect(chain.requests.filter((request) => request === 'page').length).toBeGreaterThan(3);
  });

  describe('of a machine with more than 100,000 operations', () => {
    /** Makes the machine look as long, and fails a read of all of its operations. */
    const lengthen = async (id: typeof A) => {
      const { revision, ...walk } = await store.readAltWalk();
      const [state] = await store.readAltMachines([id]);
      const long = { ...state!, operationCount: 100_001 };
      await store.writeAltIndex(revision, { walk, machines: [{ state: long, isRewritten: false, operations: [] }] });
      const listAltOperations = (asked: typeof A) =>
        asked === id ? Promise.reject(new Error('all records are read')) : store.listAltOperations(asked);
      harness = createAltHarness({ chain, store: { ...store, listAltOperations } });
    };

    it('does not repair it, logs why, and repairs the others', async () => {
      chain.submit(A, ...records(0, 3));
      chain.submit(B, ...records(0, 3));
      await harness.settle();
      await lengthen(A);
      const omitted = [...chain.submit(A, recordOf(3)), ...chain.submit(B, recordOf(3))];
      chain.submit(B, recordOf(4));
      chain.alterPage = (rows, _, about) =>
        about === 'event-registry' ? rows.filter(({ signature }) => !omitted.includes(signature)) : rows;
      expect(await harness.settle(2)).toEqual([]);
      expect((await harness.read(A)).isComplete).toBe(false);
      expect((await harness.read(B)).values).toEqual(values(0, 5));
      expect(harness.log.lines).toContainEqual({
        level: 'warn',
        fields: { machine: '11', reason: 'too-many-operations' },
        message: 'events of a machine could not be repaired',
      });
    });

    it('marks it when an earlier operation is found, and applies later ones', async () => {
      chain.submit(A, ...records(0, 3));
      chain.alterReading = (reading, { signature }) => (signature === 'tx2' ? { state: 'unreadable' } : reading);
      await harness.settle();
      await lengthen(A);
      chain.alterReading = (reading) => reading;
      chain.submit(A, recordOf(3));
      expect(await harness.settle(2)).toEqual([]);
      expect((await store.listAltOperations(A)).map(({ signature }) => signature)).toEqual(['tx1', 'tx3', 'tx4']);
      expect((await store.readAltMachines([A]))[0]?.problem).toBe('numbering');
      expect((await harness.read(A)).isComplete).toBe(false);
    });

    it('changes nothing when a known operation is found again', async () => {
      chain.submit(A, ...records(0, 3));
      await harness.settle();
      const [known] = await store.listAltOperations(A);
      await lengthen(A);
      const merge = createAltEventMerge({
        ...harness,
        history: chain,
        backoff: createSharedBackoff({ wait: async () => undefined }),
      });
      expect(await merge([known!], NEVER)).toEqual([]);
    });
  });

  it('corrects events without logs that were swapped', async () => {
    for (const value of values(0, 5)) {
      chain.finalize({ changes: [{ kind: 'submitted', machineId: A, record: recordOf(value) }], hasLogs: false });
    }
    chain.alterPage = (rows, _, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => signature !== 'tx2') : rows;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('finds a missed close', async () => {
    chain.submit(A, ...records(0, 5));
    const [close] = chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.submit(A, ...records(5, 7));
    chain.finalize({ changes: [{ kind: 'submitted', machineId: B }] }, { changes: [{ kind: 'closed', machineId: B }] });
    const lost = [close, chain.transactions.at(-1)!.row.signature];
    chain.finalize({ mentions: [C] });
    chain.alterPage = (rows, _, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => !lost.includes(signature)) : rows;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('finds a missed close although records missed after it make the counts agree again', async () => {
    chain.submit(A, recordOf(1));
    const [close] = chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.finalize({ mentions: [C] });
    chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== close);
    expect(await harness.settle()).toEqual([]);
    expect((await store.readAltMachines([A]))[0]?.problem).toBe('counts');
    const [omitted] = chain.submit(A, recordOf(2), recordOf(3));
    chain.alterPage = (rows, _, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => signature !== omitted) : rows;
    expect(await harness.settle()).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [2, 3] });
    await expectAll();
  });

  it('keeps the mark when the repair loses its write to another process', async () => {
    chain.submit(A, recordOf(1));
    const [close] = chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.finalize({ mentions: [C] });
    chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== close);
    await harness.settle();
    expect((await store.readAltMachines([A]))[0]?.problem).toBe('counts');
    const [omitted] = chain.submit(A, recordOf(2), recordOf(3));
    chain.alterPage = (rows, _, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => signature !== omitted) : rows;
    const losing: AltEventStore = {
      ...store,
      writeAltIndex: async (revision, given) =>
        given.machines?.some(({ isRewritten }) => isRewritten) !== true && store.writeAltIndex(revision, given),
    };
    expect(await createAltHarness({ chain, store: losing }).settle(2)).toEqual([]);
    expect((await harness.read(A)).isComplete).toBe(false);
    expect(await harness.settle(2)).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [2, 3] });
  });

  describe('of a machine whose own list ends early', () => {
    /** Omits a close, and records after it so that the counts agree again, from the registry's list. */
    async function omitClose(): Promise<void> {
      chain.submit(A, recordOf(1));
      const [close] = chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
      chain.finalize({ mentions: [C] });
      chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== close);
      await harness.settle();
      const [omitted] = chain.submit(A, recordOf(2), recordOf(3));
      chain.alterPage = (rows, _, about) =>
        about === 'event-registry' ? rows.filter(({ signature }) => signature !== omitted) : rows;
    }

    it.each([
      ['is empty', () => []],
      ['ends above a known transaction', (rows) => rows.slice(0, 1)],
      ['calls a known transaction failed', (rows) => rows.slice(0, 1).map((row) => ({ ...row, hasFailed: true }))],
    ] satisfies [string, (rows: readonly SignatureRow[]) => readonly SignatureRow[]][])(
      'confirms nothing while the list %s, and reads it again after ten minutes',
      async (_, alter) => {
        await omitClose();
        const { alterPage } = chain;
        chain.alterPage = (rows, before, about) =>
          about === A ? (before === undefined ? alter(rows) : []) : alterPage(rows, before, about);
        expect(await harness.settle(1)).toEqual(['known-not-listed']);
        expect((await harness.read(A)).isComplete).toBe(false);
        chain.alterPage = alterPage;
        await harness.settle(1, 300_000);
        expect((await harness.read(A)).isComplete).toBe(false);
        expect(await harness.settle(3, 600_000)).toEqual([]);
        expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [2, 3] });
      },
    );

    it('merges the unknown transactions that the list has', async () => {
      chain.submit(A, ...records(0, 3));
      chain.alterPage = (rows, _, about) =>
        rows.filter(({ signature }) => signature !== (about === 'event-registry' ? 'tx2' : 'tx1'));
      expect(await harness.settle()).toEqual(['known-not-listed']);
      expect(await storedOf(A)).toEqual(chain.eventsOf(A));
    });

    it('requests an empty page twice', async () => {
      await omitClose();
      const { alterPage } = chain;
      let isFirst = true;
      chain.pageRows = 2;
      chain.alterPage = (rows, before, about) => {
        if (about !== A || before === undefined || !isFirst) return alterPage(rows, before, about);
        isFirst = false;
        return [];
      };
      expect(await harness.settle()).toEqual([]);
      expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [2, 3] });
    });

    it('confirms nothing while a later step lacks a known transaction', async () => {
      chain.pageRows = 2;
      chain.submit(A, ...records(0, 400));
      const readCounts = chain.readEventLogCounts.bind(chain);
      chain.readEventLogCounts = async () => ({ slot: chain.slot, counts: new Map() });
      await harness.settle();
      chain.readEventLogCounts = readCounts;
      chain.submit(A, recordOf(400));
      harness = createAltHarness({ chain, store });
      chain.alterPage = (rows, _, about) => rows.filter(({ signature }) => about !== A || signature !== 'tx1');
      expect(await harness.settle(2)).toEqual(['known-not-listed']);
      expect((await harness.read(A)).isComplete).toBe(false);
      chain.alterPage = (rows) => rows;
      expect(await harness.settle(3)).toEqual([]);
      await expectAll();
    });
  });

  it('clears the mark of a wrong response after a restart and further events', async () => {
    chain.submit(A, recordOf(1));
    const readCounts = chain.readEventLogCounts.bind(chain);
    chain.readEventLogCounts = async () => ({ slot: chain.slot, counts: new Map() });
    expect(await harness.settle()).toEqual([]);
    expect((await harness.read(A)).isComplete).toBe(false);
    chain.readEventLogCounts = readCounts;
    chain.submit(A, recordOf(2));
    harness = createAltHarness({ chain, store });
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('waits for counts that are not older than the applied slot', async () => {
    chain.submit(A, ...records(0, 2));
    const right = chain.readEventLogCounts.bind(chain);
    chain.readEventLogCounts = async () => ({ slot: chain.slot - 1, counts: new Map() });
    expect(await harness.settle()).toEqual([]);
    expect((await harness.read(A)).isComplete).toBe(true);
    chain.readEventLogCounts = right;
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('does not stop indexing and folding when the node refuses it', async () => {
    chain.submit(A, ...records(0, 1_000));
    chain.onRequest = (request) => {
      if (request === 'counts') throw busy();
    };
    expect(await harness.settle(2)).toEqual(['node-busy']);
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 800, values: values(800, 1_000) });
  });

  it('accepts the next counts after a response without any', async () => {
    for (let id = 100; id < 150; id++) chain.submit(machine(id), recordOf(id));
    const right = chain.readEventLogCounts.bind(chain);
    const responses = [new Map()];
    chain.readEventLogCounts = async () => {
      const counts = responses.pop();
      return counts === undefined ? right() : { slot: chain.slot, counts };
    };
    expect(await harness.settle()).toEqual([]);
    await expectAll();
    expect(chain.requests.filter((request) => request === 'page').length).toBeLessThan(70);
  });

  it('reports the last event as unreadable when the account shows another one, and logs an error', async () => {
    chain.submit(A, ...records(0, 2));
    await harness.settle();
    const snapshot = chain.snapshotOf(A);
    if (snapshot.eventLog.state !== 'present') throw new Error('no log');
    const value = { ...snapshot.eventLog.value, lastEvent: recordOf(1, { currency: 'EUR' }) };
    const odd = { ...snapshot, eventLog: present(value) };
    await expect(harness.index.readHistory(odd, FINGERPRINT)).rejects.toMatchObject({
      kind: 'ChainUnreadable',
      context: { chain: 'alt', cause: 'events' },
    });
    expect(harness.log.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        fields: { machine: '11', slot: 12, count: 2 },
        message: 'the last event of a machine differs from its log account',
      },
    ]);
  });
});

describe('a request that sees another last event', () => {
  /** Omits a close and the event after it from the registry's list; both counts are 1. */
  function omitReopening(): void {
    chain.submit(A, recordOf(1));
    const [close] = chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    const [again] = chain.submit(A, recordOf(2));
    chain.finalize({ mentions: [B] });
    chain.alterPage = (rows, _, about) =>
      about === 'event-registry' ? rows.filter(({ signature }) => signature !== close && signature !== again) : rows;
  }

  const refuseCounts = () => {
    chain.onRequest = (request) => {
      if (request === 'counts') throw busy();
    };
  };

  it('triggers a read of the machine’s own list, which shows a close that counts do not', async () => {
    omitReopening();
    await harness.settle();
    await expect(harness.read(A)).rejects.toMatchObject({ kind: 'ChainUnreadable' });
    await expect(harness.read(A)).rejects.toMatchObject({ kind: 'ChainUnreadable' });
    expect(await harness.settle()).toEqual([]);
    await expectAll();
  });

  it('keeps the machine unrated after its next event until its own list is read', async () => {
    omitReopening();
    await harness.settle();
    await expect(harness.read(A)).rejects.toMatchObject({ kind: 'ChainUnreadable' });
    refuseCounts();
    chain.submit(A, recordOf(3));
    expect(await harness.settle()).toEqual(['node-busy']);
    expect((await harness.read(A)).isComplete).toBe(false);
    chain.onRequest = () => undefined;
    expect(await harness.settle(2)).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [2, 3] });
  });

  it('keeps the machine marked when an earlier operation is merged', async () => {
    omitReopening();
    await harness.settle();
    await expect(harness.read(A)).rejects.toMatchObject({ kind: 'ChainUnreadable' });
    const merge = createAltEventMerge({
      ...harness,
      history: chain,
      backoff: createSharedBackoff({ wait: async () => undefined }),
    });
    const [known] = await store.listAltOperations(A);
    const earlier = { ...known!, signature: 'earlier', slot: known!.slot - 1 };
    const change = { kind: 'closed', machineId: A, count: undefined } as const;
    const [write] = await merge([{ ...earlier, change }], NEVER);
    expect([write?.isRewritten, write?.state.problem]).toEqual([true, 'counts']);
  });

  it('marks the machine although the index stores its next event meanwhile', async () => {
    omitReopening();
    await harness.settle();
    refuseCounts();
    let isFirst = true;
    const late: AltEventStore = {
      ...store,
      async writeAltIndex(revision, given) {
        if (isFirst) {
          isFirst = false;
          chain.submit(A, recordOf(3));
          await harness.settle();
        }
        return store.writeAltIndex(revision, given);
      },
    };
    await expect(createAltHarness({ chain, store: late }).read(A)).rejects.toMatchObject({ kind: 'ChainUnreadable' });
    expect((await harness.read(A)).isComplete).toBe(false);
    chain.onRequest = () => undefined;
    expect(await harness.settle(2)).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 0, values: [2, 3] });
  });
});

describe('a history', () => {
  it('is incomplete, with the events stored so far, when the index is behind', async () => {
    chain.submit(A, ...records(0, 2));
    await harness.settle();
    chain.submit(A, recordOf(2));
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [0, 1] });
    expect(await harness.read(B)).toEqual({ isComplete: true, folded: 0, values: [] });
  });

  it('ends at the read when the index is ahead', async () => {
    chain.submit(A, ...records(0, 2));
    const before = chain.snapshotOf(A);
    chain.submit(A, ...records(2, 4));
    await harness.settle();
    const { isComplete, tail } = await harness.index.readHistory(before, FINGERPRINT);
    expect([isComplete, tail.map(({ value }) => value)]).toEqual([true, [0n, 1n]]);
    expect((await harness.index.readEvents(before, 1, 9)).records).toEqual(records(1, 2));
  });

  it('is incomplete when its incarnation began after the read', async () => {
    chain.submit(A, ...records(0, 2));
    const before = chain.snapshotOf(A);
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.submit(A, ...records(0, 3));
    await harness.settle();
    expect((await harness.index.readHistory(before, FINGERPRINT)).isComplete).toBe(false);
    expect(await harness.index.readEvents(before, 0, 9)).toEqual({ records: [], events: [] });
  });

  it('is incomplete when the index does not know its incarnation yet', async () => {
    chain.submit(A, ...records(0, 4));
    await harness.settle();
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.submit(A, ...records(0, 2));
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [] });
    await harness.settle();
    await expectAll();
  });

  it('counts no event of an ended incarnation that had as many events and another prior count', async () => {
    chain.submit(A, ...records(0, 4));
    await harness.settle();
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.finalize({ changes: [{ kind: 'imported', machineId: A, prior: 3n }] });
    chain.submit(A, ...records(10, 14));
    expect(await harness.read(A)).toEqual({ isComplete: false, folded: 0, values: [] });
    await harness.settle();
    expect((await harness.read(A)).values).toEqual(values(10, 14));
  });

  it('does not return events of an ended incarnation as those of the next', async () => {
    chain.submit(A, ...records(0, 4));
    await harness.settle();
    chain.finalize({ changes: [{ kind: 'closed', machineId: A }] });
    chain.submit(A, ...records(10, 12));
    expect(await harness.index.readEvents(chain.snapshotOf(A), 0, 2)).toEqual({ records: [], events: [] });
    await harness.settle();
    expect((await harness.index.readEvents(chain.snapshotOf(A), 0, 2)).records).toEqual(records(10, 12));
  });

  it('reads only its newest events in addition to the stored state when it is long', async () => {
    chain.submit(A, ...records(0, 2_500));
    chain.submit(B, ...records(0, 399));
    expect(await harness.settle()).toEqual([]);
    expect(await harness.read(A)).toEqual({ isComplete: true, folded: 2_300, values: values(2_300, 2_500) });
    expect(await harness.read(B)).toEqual({ isComplete: true, folded: 0, values: values(0, 399) });
    const { records: newest } = await harness.index.readEvents(chain.snapshotOf(A), 2_495, 2_600);
    expect(newest).toEqual(records(2_495, 2_500));
  });

  it('gives the same rating state whether stored or computed now', async () => {
    chain.submit(A, ...records(0, 1_500));
    const { table } = harness.rates.current();
    const rate = async () => {
      const { state: fold, tail } = await harness.index.readHistory(chain.snapshotOf(A), FINGERPRINT);
      return previewFold(fold, tail, table).state;
    };
    const withoutFolds = { ...store, listAltUnfolded: async () => [] };
    await createAltHarness({ chain, store: withoutFolds }).settle();
    const made = await rate();
    await harness.settle();
    expect((await harness.read(A)).folded).toBe(1_300);
    expect(await rate()).toEqual(made);
  });
});
