import { DECLARED } from '../../../testing/fixtures/rating-events.ts';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import type { EventRecord } from '../../domain/machine/machine-facts.ts';
import { emptyRatingState, foldEvents, type RatingState } from '../../domain/rating/rating-state.ts';
import { encodeRatingState, decodeRatingState } from '../../domain/rating/rating-state-codec.ts';
import { createRateTable, extendRateTable } from '../../domain/rating/rate-table.ts';
import { dayOf } from '../../domain/rating/utc-day.ts';
import type { EventGeneration } from '../../ports/main-chain.ts';
import { imported, submitted } from '../../../testing/fakes/fake-logs.ts';
import {
  FINGERPRINT,
  NEVER,
  createHarness,
  machine,
  type IndexerHarness,
} from '../../../testing/fixtures/indexer-harness.ts';
import { rule } from '../../../test/conformance/rule.ts';

const A = machine(11);
const B = machine(12);
const C = machine(13);

async function openHarness(): Promise<IndexerHarness> {
  const harness = createHarness({ store: await createMemoryStore() });
  harness.chain.finalityLag = 0;
  return harness;
}

/** Indexes the finalized blocks and folds once. */
async function foldOnce({ index, folder }: IndexerHarness) {
  const advanced = await index.advance(NEVER);
  if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
  return folder.fold(advanced.block, NEVER);
}

async function foldAll(harness: IndexerHarness): Promise<void> {
  while ((await foldOnce(harness)) === 'more');
}

async function storedFold({ store }: IndexerHarness, id: MachineId, generation: EventGeneration = 'current') {
  const stored = await store.readRatingState(generation, id, FINGERPRINT);
  return stored && { epoch: stored.epoch, fold: decodeRatingState(stored.state) };
}

/** Computes the rating state of a machine straight from the chain. */
function expectedFold({ chain, rates }: IndexerHarness, id: MachineId, count?: number): RatingState {
  const blocks = Array.from({ length: chain.head.number + 1 }, (_, number) => chain.headerAt(number));
  const times = blocks.flatMap(({ number, timestamp }) =>
    chain
      .logsAt(number)
      .filter(({ event }) => event?.machineId === id && event.kind === 'submitted')
      .map(() => timestamp),
  );
  const records = chain.recordsOf('current', id, chain.head.number).slice(0, count);
  const events = records.map((record: EventRecord, seq) => ({
    seq,
    type: record.eventType,
    value: record.value,
    currency: record.currency,
    timestamp: record.timestamp,
    trust: record.trustLevel,
    blockTimestamp: times.slice(-chain.recordsOf('current', id, chain.head.number).length)[seq]!,
    ...DECLARED,
  }));
  return foldEvents(emptyRatingState(), events, rates.current().table).state;
}

const errorsOf = ({ log }: IndexerHarness) => log.lines.filter(({ level }) => level === 'error');

/** The line of the log that reports that machine A cannot be folded. */
const unfolded = (reason: string) => ({
  level: 'error',
  fields: { generation: 'current', machine: '11', reason },
  message: 'events cannot be folded',
});

describe('the event folder', () => {
  it('stores the rating state of every machine’s finalized events', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A), submitted(B, { eventType: 1, currency: '', value: 0n })]);
    harness.chain.mine([submitted(A, { value: 700n }), submitted(A)]);
    expect(await foldOnce(harness)).toBe('idle');
    expect(await storedFold(harness, A)).toEqual({ epoch: 0, fold: expectedFold(harness, A) });
    expect(await storedFold(harness, B)).toEqual({ epoch: 0, fold: expectedFold(harness, B) });
    expect((await storedFold(harness, A))!.fold.nextSeq).toBe(3);
    expect(errorsOf(harness)).toEqual([]);
  });

  it('continues from the stored state and reads nothing when nothing is new', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A)]);
    await foldAll(harness);
    harness.chain.requests.length = 0;
    await foldAll(harness);
    expect(harness.chain.requests).not.toContain('records');
    harness.chain.mine([submitted(A)]);
    const restarted = createHarness({ chain: harness.chain, store: harness.store });
    const read = vi.spyOn(harness.chain, 'readEventRecords');
    await foldAll(restarted);
    expect((await storedFold(restarted, A))!.fold).toEqual(expectedFold(restarted, A));
    expect(read.mock.calls.flatMap(([, queries]) => queries)).toEqual([
      { generation: 'current', id: A, from: 1, to: 2 },
    ]);
  });

  it('separates the generations', async () => {
    rule('address-keyed.legacy-only');
    const harness = await openHarness();
    harness.chain.mine([submitted(A, {}, 'legacy'), submitted(A), submitted(A)]);
    await foldAll(harness);
    expect((await storedFold(harness, A, 'legacy'))!.fold.nextSeq).toBe(1);
    expect((await storedFold(harness, A, 'current'))!.fold.nextSeq).toBe(2);
  });

  it('restarts after an import', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A), submitted(A)]);
    await foldAll(harness);
    harness.chain.mine([imported(A, 9n), submitted(A, { value: 123_456n })]);
    await foldAll(harness);
    expect(await storedFold(harness, A)).toEqual({ epoch: 1, fold: expectedFold(harness, A) });
    expect((await storedFold(harness, A))!.fold.nextSeq).toBe(1);
  });

  it('folds long histories in pages and alternates between machines', async () => {
    const harness = await openHarness();
    const many = Array.from({ length: 2_300 }, () => submitted(A));
    harness.chain.mine([...many, submitted(B)]);
    expect(await foldOnce(harness)).toBe('more');
    expect((await storedFold(harness, A))!.fold.nextSeq).toBe(1_000);
    expect((await storedFold(harness, B))!.fold.nextSeq).toBe(1);
    await foldAll(harness);
    expect((await storedFold(harness, A))!.fold).toEqual(expectedFold(harness, A));
  });

  it('stores one rating state per rate configuration', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A)]);
    await foldAll(harness);
    harness.rates.use(createRateTable(true), 'other');
    await foldAll(harness);
    expect(await harness.store.readRatingState('current', A, 'other')).toMatchObject({ nextSeq: 1 });
    expect(await storedFold(harness, A)).toBeDefined();
  });

  it('defers events above its block that another process has indexed', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A)]);
    const advanced = await harness.index.advance(NEVER);
    if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
    harness.chain.mine([submitted(A)]);
    await harness.index.advance(NEVER);
    expect(await harness.folder.fold(advanced.block, NEVER)).toBe('idle');
    expect(await storedFold(harness, A)).toBeUndefined();
    await foldAll(harness);
    expect((await storedFold(harness, A))!.fold.nextSeq).toBe(2);
  });

  it('stops between pages when the signal is aborted', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A)]);
    const advanced = await harness.index.advance(NEVER);
    if (advanced.kind !== 'caught-up') throw new Error(advanced.kind);
    expect(await harness.folder.fold(advanced.block, AbortSignal.abort())).toBe('more');
    expect(await storedFold(harness, A)).toBeUndefined();
  });
});

describe('a pending event', () => {
  it('ends the rating state before it and is read again only after the rates have grown', async () => {
    const harness = await openHarness();
    const day = dayOf(harness.chain.head.timestamp);
    const table = extendRateTable(createRateTable(true), [], day - 2);
    harness.rates.use(table);
    harness.chain.mine([submitted(A), submitted(A, { currency: 'EUR' }), submitted(A)]);
    await foldAll(harness);
    expect((await storedFold(harness, A))!.fold.nextSeq).toBe(1);

    harness.chain.requests.length = 0;
    harness.chain.mine([submitted(A)]);
    harness.rates.use({ ...table });
    await foldAll(harness);
    expect(harness.chain.requests).not.toContain('records');

    harness.rates.use(extendRateTable(table, [{ currency: 'EUR', day: day - 1, rate: 10n ** 12n }], day - 1));
    await foldAll(harness);
    expect((await storedFold(harness, A))!.fold).toEqual(expectedFold(harness, A));
  });
});

describe('a machine that cannot be folded', () => {
  const isFolded = async (harness: IndexerHarness, id: MachineId) => (await storedFold(harness, id)) !== undefined;

  it('is skipped when its records disagree with its logs, and retried later', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A), submitted(B)]);
    harness.chain.faults.records = (records, id) =>
      id === A ? records.map((each) => ({ ...each, value: 1n })) : records;
    await foldAll(harness);
    expect([await isFolded(harness, A), await isFolded(harness, B)]).toEqual([false, true]);
    expect(errorsOf(harness)).toEqual([unfolded('events')]);

    harness.chain.faults = {};
    harness.chain.requests.length = 0;
    await foldAll(harness);
    expect(harness.chain.requests).not.toContain('records');
    harness.time.jump(600_000);
    await foldAll(harness);
    expect(await isFolded(harness, A)).toBe(true);
    expect(errorsOf(harness)).toEqual([unfolded('events')]);
  });

  it('does not block the others when its records cannot be read', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A), submitted(B), submitted(C)]);
    harness.chain.faults.records = (records, id) => {
      if (id === B) throw chainUnreadable('main', 'undecodable');
      return records;
    };
    await foldAll(harness);
    expect([await isFolded(harness, A), await isFolded(harness, B), await isFolded(harness, C)]).toEqual([
      true,
      false,
      true,
    ]);
    harness.chain.faults = {};
    harness.time.jump(60_000);
    await foldAll(harness);
    expect(await isFolded(harness, B)).toBe(true);
  });

  it('fails the step without skipping any machine when nothing can be read', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A), submitted(B)]);
    harness.chain.faults.records = () => {
      throw chainUnreadable('main', 'transport');
    };
    await expect(foldOnce(harness)).rejects.toEqual(chainUnreadable('main', 'transport'));
    harness.chain.faults = {};
    harness.time.jump(60_000);
    await foldAll(harness);
    expect([await isFolded(harness, A), await isFolded(harness, B)]).toEqual([true, true]);
  });

  it('is logged once and skipped when its stored rating state is damaged', async () => {
    const harness = await openHarness();
    harness.chain.mine([submitted(A), submitted(A)]);
    const state = encodeRatingState(emptyRatingState()).replace('mcr/2', 'mcr/1');
    await harness.store.writeRatingStates(FINGERPRINT, [{ generation: 'current', id: A, epoch: 0, nextSeq: 1, state }]);
    await foldAll(harness);
    await foldAll(harness);
    expect(errorsOf(harness)).toEqual([unfolded('state-unreadable')]);
    expect(harness.chain.requests).not.toContain('records');
  });
});
