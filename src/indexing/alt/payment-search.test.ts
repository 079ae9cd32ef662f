/** Tests up to which time the alt chain is searched for payments: a verdict depends on the claims of all machines up to then. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeHistory, recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { createAltHarness } from '../../../testing/fixtures/alt-index-harness.ts';
import { machine } from '../../../testing/fixtures/indexer-harness.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { chainUnreadable } from '../../domain/faults.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import type { Store } from '../../ports/store.ts';
import type { PaymentScanner } from '../payments/payment-scanner.ts';

const MINUTES_10 = 600_000;
const [A, B] = [machine(11), machine(12)];

let store: Store;
beforeEach(async () => void (store = await createMemoryStore()));
afterEach(() => store.close());

function open(chain: FakeHistory) {
  const times: number[] = [];
  const payments: PaymentScanner = {
    async scan(_, { time }) {
      times.push(time);
      return Promise.resolve('idle');
    },
  };
  return { times, ...createAltHarness({ chain, store, payments }) };
}

it('searches nothing for an hour while the counts of events are refused, and then everything', async () => {
  const chain = new FakeHistory();
  chain.submit(A, recordOf(1));
  chain.onRequest = (request) => {
    if (request === 'counts') throw chainUnreadable('alt', 'transport');
  };
  const { times, settle } = open(chain);
  await settle(6, MINUTES_10);
  expect(new Set(times)).toEqual(new Set([-1]));
  await settle(8, MINUTES_10);
  expect(times.at(-1)).toBe(chain.timeOf(chain.slot));
});

it('searches everything after an hour also when the clock was a year ahead at the start', async () => {
  const chain = new FakeHistory();
  chain.submit(A, recordOf(1));
  chain.onRequest = (request) => {
    if (request === 'counts') throw chainUnreadable('alt', 'transport');
  };
  const { times, settle, setClockAhead } = open(chain);
  setClockAhead(365 * 86_400_000);
  await settle(2, MINUTES_10);
  setClockAhead(0);
  await settle(5, MINUTES_10);
  expect(new Set(times)).toEqual(new Set([-1]));
  await settle(2, MINUTES_10);
  expect(times.at(-1)).toBe(chain.timeOf(chain.slot));
});

it('searches up to the newest slot at which no machine lacked events, for an hour', async () => {
  const chain = new FakeHistory();
  chain.submit(A, recordOf(1));
  const { times, settle } = open(chain);
  await settle();
  const complete = chain.timeOf(chain.slot);
  expect(times.at(-1)).toBe(complete);
  const [hidden] = chain.submit(B, recordOf(2));
  chain.submit(A, recordOf(3));
  chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== hidden);
  await settle(5, MINUTES_10);
  expect(new Set(times)).toEqual(new Set([complete]));
  await settle(2, MINUTES_10);
  const late = chain.timeOf(chain.slot);
  expect(times.at(-1)).toBe(late);
  chain.alterPage = (rows) => rows;
  await settle(3, MINUTES_10);
  chain.submit(A, recordOf(4));
  await settle(1, MINUTES_10);
  expect(times.at(-1)).toBe(chain.timeOf(chain.slot));
});

it('holds an event back that was hidden in the first walk, however old it is', async () => {
  const chain = new FakeHistory();
  const [hidden] = chain.submit(B, recordOf(1));
  chain.slot += 7_200;
  chain.submit(A, recordOf(2));
  chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== hidden);
  const { times, settle } = open(chain);
  await settle(5, MINUTES_10);
  expect(new Set(times)).toEqual(new Set([-1]));
  chain.alterPage = (rows) => rows;
  await settle(3, MINUTES_10);
  expect(times.at(-1)).toBe(chain.timeOf(chain.slot));
});

it('searches a chain on which a machine submits events all the time', async () => {
  const chain = new FakeHistory();
  chain.submit(A, recordOf(1));
  const counted: number[] = [];
  chain.onRequest = (request) => {
    if (request !== 'counts' && request !== 'page') return;
    chain.submit(A, recordOf(chain.slot));
    if (request === 'counts') counted.push(chain.timeOf(chain.slot));
  };
  const { times, settle } = open(chain);
  await settle(3);
  expect(times.length).toBeGreaterThan(0);
  expect(counted).toEqual(expect.arrayContaining(times));
});

it('does not search beyond a slot before which an event of a busy machine is missing', async () => {
  const chain = new FakeHistory();
  // Without logs no event has an index, which would show that one is missing.
  const submit = () =>
    chain.finalize({ changes: [{ kind: 'submitted', machineId: A, record: recordOf(chain.slot) }], hasLogs: false });
  const [hidden] = submit();
  const hiddenTime = chain.timeOf(chain.slot);
  chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== hidden);
  chain.onRequest = (request) => {
    if (request === 'counts' || request === 'page') submit();
  };
  const { times, settle } = open(chain);
  await settle(3, MINUTES_10);
  expect(Math.max(...times)).toBeLessThan(hiddenTime);
});

it('folds and follows the chain while the search fails', async () => {
  const chain = new FakeHistory();
  chain.submit(A, recordOf(1));
  const payments: PaymentScanner = { scan: () => Promise.reject(new AltNodeBusy('behind')) };
  const { settle, read, events } = createAltHarness({ chain, store, payments });
  expect(await settle(2)).toEqual(['node-busy', 'node-busy']);
  expect(events.phase()).toBe('walk');
  chain.submit(A, recordOf(2));
  await settle();
  expect(await read(A)).toMatchObject({ isComplete: true, values: [1, 2] });
});
