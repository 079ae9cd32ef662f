import { describe, expect, it } from 'vitest';
import { createStore } from '../../adapters/sql/create-store.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { EventRecord } from '../../domain/machine/machine-facts.ts';
import { emptyRatingState, foldEvents, type RatingState } from '../../domain/rating/rating-state.ts';
import { encodeRatingState, decodeRatingState } from '../../domain/rating/rating-state-codec.ts';
import { createRateTable, extendRateTable } from '../../domain/rating/rate-table.ts';
import { dayOf } from '../../domain/rating/utc-day.ts';
import type { EventGeneration } from '../../ports/main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import { FINGERPRINT, NEVER, createBench, machine, type Bench } from '../../../testing/fixtures/indexer-harness.ts';
import { rule } from '../../../test/conformance/rule.ts';

const A = machine(11);
const B = machine(12);
const C = machine(13);

async function openBench(): Promise<Bench> {
  const bench = createBench({ store: await createStore('sqlite::memory:') });
  bench.chain.finalityLag = 0;
  return bench;
}

/** Indexes what is final and folds once. */
async function foldOnce({ index, folder }: Bench) {
  const advanced = await index.advance(NEVER);
  if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
  return folder.fold(advanced.block, NEVER);
}

async function foldAll(bench: Bench): Promise<void> {
  while ((await foldOnce(bench)) === 'more');
}

async function storedFold({ store }: Bench, id: MachineId, generation: EventGeneration = 'second') {
  const stored = await store.readFold(generation, id, FINGERPRINT);
  return stored && { epoch: stored.epoch, fold: decodeRatingState(stored.state) };
}

/** The fold of a machine's records, straight from the chain. */
function expectedFold({ chain, rates }: Bench, id: MachineId, count?: number): RatingState {
  const blocks = Array.from({ length: chain.head.number + 1 }, (_, number) => chain.headerAt(number));
  const times = blocks.flatMap(({ number, timestamp }) =>
    chain
      .logsAt(number)
      .filter(({ event }) => event?.machineId === id && event.kind === 'submitted')
      .map(() => timestamp),
  );
  const records = chain.recordsOf('second', id, chain.head.number).slice(0, count);
  const events = records.map((record: EventRecord, seq) => ({
    seq,
    type: record.eventType,
    value: record.value,
    currency: record.currency,
    timestamp: record.timestamp,
    trust: record.trustLevel,
    blockTimestamp: times.slice(-chain.recordsOf('second', id, chain.head.number).length)[seq]!,
  }));
  return foldEvents(emptyRatingState(), events, rates.current().table).fold;
}

describe('folding', () => {
  it('keeps the fold of every machine’s finalized events', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A), submitted(B, { eventType: 1, currency: '', value: 0n })]);
    bench.chain.mine([submitted(A, { value: 700n }), submitted(A)]);
    expect(await foldOnce(bench)).toBe('idle');
    expect(await storedFold(bench, A)).toEqual({ epoch: 0, fold: expectedFold(bench, A) });
    expect(await storedFold(bench, B)).toEqual({ epoch: 0, fold: expectedFold(bench, B) });
    expect((await storedFold(bench, A))!.fold.nextSeq).toBe(3);
    expect(bench.folder.report()).toEqual({ foldedEvents: 4, pendingMachines: 0, unreadableMachines: 0 });
  });

  it('goes on where it was, and reads nothing when nothing is new', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A)]);
    await foldAll(bench);
    bench.chain.requests.length = 0;
    await foldAll(bench);
    expect(bench.chain.requests).not.toContain('records');
    bench.chain.mine([submitted(A)]);
    const restarted = createBench({ chain: bench.chain, store: bench.store });
    await foldAll(restarted);
    expect((await storedFold(restarted, A))!.fold).toEqual(expectedFold(restarted, A));
    expect(restarted.folder.report().foldedEvents).toBe(1);
  });

  it('tells the generations apart', async () => {
    rule('address-keyed.legacy-only');
    const bench = await openBench();
    bench.chain.mine([submitted(A, {}, 'first'), submitted(A), submitted(A)]);
    await foldAll(bench);
    expect((await storedFold(bench, A, 'first'))!.fold.nextSeq).toBe(1);
    expect((await storedFold(bench, A, 'second'))!.fold.nextSeq).toBe(2);
  });

  it('begins anew after an import', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A), submitted(A)]);
    await foldAll(bench);
    bench.chain.mine([imported(A, 9n), submitted(A, { value: 123_456n })]);
    await foldAll(bench);
    expect(await storedFold(bench, A)).toEqual({ epoch: 1, fold: expectedFold(bench, A) });
    expect((await storedFold(bench, A))!.fold.nextSeq).toBe(1);
  });

  it('takes long histories in pages, in turn with the others', async () => {
    const bench = await openBench();
    const many = Array.from({ length: 2_300 }, () => submitted(A));
    bench.chain.mine([...many, submitted(B)]);
    expect(await foldOnce(bench)).toBe('more');
    expect((await storedFold(bench, A))!.fold.nextSeq).toBe(1_000);
    expect((await storedFold(bench, B))!.fold.nextSeq).toBe(1);
    await foldAll(bench);
    expect((await storedFold(bench, A))!.fold).toEqual(expectedFold(bench, A));
  });

  it('keeps a fold per configuration of rates', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A)]);
    await foldAll(bench);
    bench.rates.use(createRateTable(true), 'other');
    await foldAll(bench);
    expect(await bench.store.readFold('second', A, 'other')).toMatchObject({ nextSeq: 1 });
    expect(await storedFold(bench, A)).toBeDefined();
  });

  it('leaves what another process has indexed since to a later block', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A)]);
    const advanced = await bench.index.advance(NEVER);
    if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
    bench.chain.mine([submitted(A)]);
    await bench.index.advance(NEVER);
    expect(await bench.folder.fold(advanced.block, NEVER)).toBe('idle');
    expect(await storedFold(bench, A)).toBeUndefined();
    await foldAll(bench);
    expect((await storedFold(bench, A))!.fold.nextSeq).toBe(2);
  });

  it('stops between pages when asked to', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A)]);
    const advanced = await bench.index.advance(NEVER);
    if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
    expect(await bench.folder.fold(advanced.block, AbortSignal.abort())).toBe('more');
    expect(await storedFold(bench, A)).toBeUndefined();
  });
});

describe('a pending event', () => {
  it('ends the fold before it, and is read again only when the rates have grown', async () => {
    const bench = await openBench();
    const day = dayOf(bench.chain.head.timestamp);
    const table = extendRateTable(createRateTable(true), [], day - 2);
    bench.rates.use(table);
    bench.chain.mine([submitted(A), submitted(A, { currency: 'EUR' }), submitted(A)]);
    await foldAll(bench);
    expect((await storedFold(bench, A))!.fold.nextSeq).toBe(1);
    expect(bench.folder.report().pendingMachines).toBe(1);

    bench.chain.requests.length = 0;
    bench.chain.mine([submitted(A)]);
    bench.rates.use({ ...table });
    await foldAll(bench);
    expect(bench.chain.requests).not.toContain('records');

    bench.rates.use(extendRateTable(table, [{ currency: 'EUR', day: day - 1, rate: 10n ** 12n }], day - 1));
    await foldAll(bench);
    expect((await storedFold(bench, A))!.fold).toEqual(expectedFold(bench, A));
    expect(bench.folder.report().pendingMachines).toBe(0);
  });
});

describe('a machine that cannot be folded', () => {
  const isFolded = async (bench: Bench, id: MachineId) => (await storedFold(bench, id)) !== undefined;

  it('for its records disagree with its logs is left out, and tried again later', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A), submitted(B)]);
    bench.chain.faults.records = (records, id) =>
      id === A ? records.map((each) => ({ ...each, value: 1n })) : records;
    await foldAll(bench);
    expect([await isFolded(bench, A), await isFolded(bench, B)]).toEqual([false, true]);
    expect(bench.folder.report().unreadableMachines).toBe(1);
    expect(bench.log.lines.at(-1)).toEqual({
      level: 'error',
      fields: { generation: 'second', machine: '11', reason: 'events' },
      message: 'events cannot be folded',
    });

    bench.chain.faults = {};
    bench.chain.requests.length = 0;
    await foldAll(bench);
    expect(bench.chain.requests).not.toContain('records');
    bench.time.jump(600_000);
    await foldAll(bench);
    expect(await isFolded(bench, A)).toBe(true);
    expect(bench.folder.report().unreadableMachines).toBe(0);
  });

  it('for its records cannot be read does not keep the others', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A), submitted(B), submitted(C)]);
    bench.chain.faults.records = (records, id) => {
      if (id === B) throw chainUnreadable('main', 'undecodable');
      return records;
    };
    await foldAll(bench);
    expect([await isFolded(bench, A), await isFolded(bench, B), await isFolded(bench, C)]).toEqual([true, false, true]);
    bench.chain.faults = {};
    bench.time.jump(60_000);
    await foldAll(bench);
    expect(await isFolded(bench, B)).toBe(true);
  });

  it('for nothing can be read fails the step, and nothing is left out', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A), submitted(B)]);
    bench.chain.faults.records = () => {
      throw chainUnreadable('main', 'transport');
    };
    await expect(foldOnce(bench)).rejects.toEqual(chainUnreadable('main', 'transport'));
    bench.chain.faults = {};
    bench.time.jump(60_000);
    await foldAll(bench);
    expect([await isFolded(bench, A), await isFolded(bench, B)]).toEqual([true, true]);
  });

  it('for its stored fold is damaged is counted', async () => {
    const bench = await openBench();
    bench.chain.mine([submitted(A), submitted(A)]);
    const state = encodeRatingState(emptyRatingState()).replace('mcr/1', 'mcr/0');
    await bench.store.writeFolds(FINGERPRINT, [{ generation: 'second', id: A, epoch: 0, nextSeq: 1, state }]);
    await foldAll(bench);
    expect(bench.folder.report().unreadableMachines).toBe(1);
  });
});
