/** Pages of event records against a real node. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { encodeAbiParameters, type Hex } from 'viem';
import { OWNER, SELECTORS, startMachineHarness, UNDECODABLE, word } from '../../../../testing/fixtures/machines.ts';
import type { MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { respondInner, changeInner } from '../../../../testing/harness/rpc-proxy.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { UnreadableCause } from '../../../domain/faults.ts';
import { present, unreadable, type ReadResult } from '../../../domain/read-result.ts';
import type { EventPage, EventRecord } from '../../../domain/machine/machine-facts.ts';
import type { MachineReadOptions } from '../../../ports/main-chain.ts';
import { eventPageCall } from './event-pages.ts';

let harness: MachineHarness;

beforeAll(async () => {
  harness = await startMachineHarness();
});
afterAll(() => harness.close());
beforeEach(() => harness.proxy.heal());

/** Activates a machine with `count` events, of the values 0, 1, 2 and so on. */
async function activateWithEvents(count: number): Promise<MachineId> {
  const id = await harness.activate();
  await harness.mine(...Array.from({ length: count }, (_, i) => harness.revenue(id, BigInt(i))));
  return id as MachineId;
}

const from = (offset: number, firstEvents = false): MachineReadOptions => ({
  eventsFrom: () => Promise.resolve(offset),
  firstEvents,
});

const range = (start: number, end: number) => Array.from({ length: end - start }, (_, i) => start + i);
const valuesOf = (records: readonly EventRecord[]) => records.map(({ value }) => Number(value));
const pageOf = (reading: ReadResult<EventPage> | undefined) =>
  reading?.state === 'present' ? [reading.value.offset, ...valuesOf(reading.value.records)] : reading;

test('reads exactly the query limit, and two more, from several offsets', async () => {
  const id = await activateWithEvents(100);
  expect(pageOf((await harness.readMachine(id)).events)).toEqual([0, ...range(0, 100)]);
  expect(pageOf((await harness.readMachine(id, from(100))).events)).toEqual([100]);
  await harness.mine(harness.revenue(id, 100n), harness.revenue(id, 101n));
  const { block, eventCount, events, firstEvents } = await harness.readMachine(id, from(2, true));
  expect(eventCount).toEqual(present(102n));
  expect(pageOf(events)).toEqual([2, ...range(2, 102)]);
  expect(pageOf(firstEvents)).toEqual([0, ...range(0, 100)]);
  const { chain } = harness.open();
  for (const [start, end] of [
    [0, 102],
    [95, 102],
    [101, 102],
    [102, 102],
  ] as const) {
    const page = await chain.readEvents(id, block, start, end);
    expect([page.offset, ...valuesOf(page.records)]).toEqual([start, ...range(start, end)]);
  }
});

test('reads a range of many pages where the node refuses a full page in its own words', async () => {
  const id = await activateWithEvents(24);
  const { block } = await harness.readMachine(id);
  const { chain } = harness.open({ limits: { maxEventPage: 4 } });
  const full = Array.from({ length: 6 }, (_, i) =>
    eventPageCall(harness.addresses.eventRegistry, id, 4 * i, 4).data.slice(2),
  );
  harness.proxy.inject({
    kind: 'answer',
    change: (answer, { params }) =>
      full.some((data) => JSON.stringify(params).includes(data))
        ? { error: { code: -32_050, message: 'policy 7' } }
        : answer,
  });
  const { offset, records } = await chain.readEvents(id, block, 0, 24);
  expect([offset, ...valuesOf(records)]).toEqual([0, ...range(0, 24)]);
});

test('requests no more than the query limit of the registry, and accepts a shorter first page', async () => {
  const id = await activateWithEvents(15);
  const pageCall = eventPageCall(harness.addresses.eventRegistry, id, 0, 10);
  const shortPage = await harness.chain.writer.rpc.request<Hex>('eth_call', [
    { to: pageCall.target, data: pageCall.data },
    'latest',
  ]);
  const limits: number[] = [];
  harness.proxy.inject(
    changeInner((result, { callData }) => {
      if (callData === SELECTORS.maxQueryLimit) return { success: true, returnData: word(10n) };
      if (!callData.startsWith(SELECTORS.getEvents)) return result;
      limits.push(Number(`0x${callData.slice(-64)}`));
      return { success: true, returnData: shortPage };
    }),
  );
  const { chain } = harness.open({ limits: { maxHeadAgeMilliseconds: -1 } });
  expect(pageOf((await chain.readMachine(id, from(0))).events)).toEqual([0, ...range(0, 10)]);
  expect(pageOf((await chain.readMachine(id, from(0, true))).events)).toEqual([0, ...range(0, 10)]);
  expect(limits).toEqual([100, 10]);
});

test('reads first events once when they begin at the requested offset', async () => {
  const { events, firstEvents } = await harness.readMachine(await activateWithEvents(3), from(0, true));
  expect(firstEvents).toBe(events);
});

test('reads two events in one block out of time order, and an activity without currency', async () => {
  const id = await harness.activate();
  const activity = { eventType: 1, currency: '', timestamp: 1_600_000_000 };
  await harness.mine(harness.revenue(id, 5n), harness.revenue(id, 0n, activity));
  expect(await harness.readMachine(id)).toMatchObject({
    events: {
      value: {
        records: [
          { eventType: 0, timestamp: 1_700_000_000n, currency: 'USD', value: 5n },
          { eventType: 1, timestamp: 1_600_000_000n, currency: '', value: 0n },
        ],
      },
    },
  });
});

test('accepts an empty page and the known revert at the end of the events', async () => {
  const full = await activateWithEvents(2);
  const empty = await activateWithEvents(0);
  for (const isEmpty of [true, false]) {
    await harness.administer('eventRegistry', 'devSetAnswersEmptyPage', isEmpty);
    expect((await harness.readMachine(full, from(2))).events).toEqual(present({ offset: 2, records: [] }));
    expect((await harness.readMachine(empty)).events).toEqual(present({ offset: 0, records: [] }));
  }
});

/** Two offsets to one record: its eight words, the offsets of metadata and currency, and these two, which are empty. */
const REPEATED_RECORD = [32, 2, 64, 64, ...Array<number>(8).fill(1), 320, 352, 0, 0]
  .map((each) => word(BigInt(each)).slice(2))
  .join('');

test.each<[string, boolean, Hex, UnreadableCause]>([
  ['the known revert before the end', false, '0x9605a010', 'events'],
  ['an empty page before the end', true, encodeAbiParameters([{ type: 'uint256[]' }], [[]]), 'events'],
  ['another revert', false, '0x2e8c904e', 'undecodable'],
  ['an empty result', true, '0x', 'undecodable'],
  ['a result that is not a page', true, word(7n), 'undecodable'],
  ['a page that repeats one record', true, `0x${REPEATED_RECORD}`, 'undecodable'],
])('makes only the events unreadable for %s', async (_, success, returnData, cause) => {
  const id = await activateWithEvents(2);
  harness.proxy.inject(respondInner(SELECTORS.getEvents, { success, returnData }));
  const { events, owner } = await harness.readMachine(id);
  expect(events).toEqual(unreadable(cause));
  expect(owner.state).toBe('present');
});

test('makes events unreadable for an offset past the end, and for an empty page without a count', async () => {
  const id = await activateWithEvents(2);
  expect((await harness.readMachine(id, from(3))).events).toEqual(unreadable('events'));
  harness.proxy.inject(respondInner(SELECTORS.getEventCount, { success: false, returnData: '0x' }));
  expect(await harness.readMachine(id, from(2))).toMatchObject({ eventCount: UNDECODABLE, events: UNDECODABLE });
});

test('reads the prior event count of a relocated machine', async () => {
  const id = await harness.activate();
  harness.proxy.inject(respondInner(SELECTORS.priorEventCount, { success: true, returnData: word(9n) }));
  expect((await harness.readMachine(id)).priorEventCount).toEqual(present(9n));
});

test('reads a page in parts when it runs out of gas inside the aggregate', async () => {
  const id = await activateWithEvents(100);
  harness.proxy.inject(
    changeInner((result, { callData }) => {
      const limit = callData.startsWith(SELECTORS.getEvents) ? Number(`0x${callData.slice(-64)}`) : 0;
      return limit > 30 ? { success: false, returnData: '0x' } : result;
    }),
  );
  const { block, events } = await harness.readMachine(id);
  expect(pageOf(events)).toEqual([0, ...range(0, 100)]);
  const page = await harness.open().chain.readEvents(id, block, 10, 90);
  expect(valuesOf(page.records)).toEqual(range(10, 90));
});

test('makes only the events unreadable, in few requests, when a page can never be read', async () => {
  const id = await activateWithEvents(100);
  const adapter = harness.open();
  await adapter.chain.readDeployment();
  harness.proxy.resetCounts();
  harness.proxy.inject(respondInner(SELECTORS.getEvents, { success: false, returnData: '0x' }));
  expect(await adapter.chain.readMachine(id, from(0))).toMatchObject({
    events: UNDECODABLE,
    owner: present(OWNER.toLowerCase()),
  });
  // One request for the machine, then pages of 100, 50, 25, 13, 7, 4, 2 and 1 records.
  expect(harness.proxy.requests).toBe(9);
});

test('throws for more records than exist, and never returns a short page', async () => {
  const id = await activateWithEvents(2);
  const { block } = await harness.readMachine(id);
  await expect(harness.open().chain.readEvents(id, block, 0, 3)).rejects.toMatchObject({
    kind: 'ChainUnreadable',
    context: { chain: 'main', cause: 'events' },
  });
});

test('throws when the node no longer has the block', async () => {
  const id = await activateWithEvents(1);
  const { block } = await harness.readMachine(id);
  const orphan = { ...block, hash: `0x${'1'.repeat(64)}` };
  await expect(harness.open().chain.readEvents(id, orphan, 0, 1)).rejects.toMatchObject({
    context: { cause: 'block-mismatch' },
  });
});
