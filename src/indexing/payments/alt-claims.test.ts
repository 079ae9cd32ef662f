/** Tests of the order of claims by alt-chain machines: an account is assigned to one machine, also when two claim it in one slot. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { FakeHistory, recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { FakePaymentSource } from '../../../testing/fakes/fake-payment-source.ts';
import { createRecordingLog } from '../../../testing/fakes/recording-log.ts';
import { VirtualTime } from '../../../testing/fakes/virtual-time.ts';
import { createAltHarness } from '../../../testing/fixtures/alt-index-harness.ts';
import { FixedRates, machine, NEVER } from '../../../testing/fixtures/indexer-harness.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { PAID_TOKENS, PAYMENT_CONFIGURATION, wordOf } from '../../../testing/fixtures/payment-world.ts';
import { createMainChainKey, PORTABLE_CHECKS } from '../../../testing/fixtures/signing-keys.ts';
import { toHex } from '../../domain/evidence/signed-bytes.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { formatPayoutText } from '../../domain/rating/paid/payout-proof.ts';
import { TRANSFER_TOPIC } from '../../domain/rating/paid/transfer-log.ts';
import { createRateTable } from '../../domain/rating/rate-table.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import type { Store } from '../../ports/store.ts';
import { createPaymentScanner } from './payment-scanner.ts';
import { createPaymentWorker } from './payment-worker.ts';
import { readAltEvents } from './scanned-events.ts';

const A = machine(11);
const B = machine(12);
const OWNER = 'FMUEmtxhU46GzhKF4FW9MLJdQWiLgjiXP9TYRWSrqTpV';
const ACCOUNT = createMainChainKey(new Uint8Array(32).fill(7));
const RELAYER = `0x${'0c'.repeat(20)}`;
const PAYER = createMainChainKey(new Uint8Array(32).fill(9));

let store: Store;
beforeEach(async () => void (store = await createMemoryStore()));
afterEach(() => store.close());

function claim(machineId: MachineId, key = ACCOUNT) {
  const text = formatPayoutText(machineId, { account: key.address, owner: OWNER }, DEFAULT_NAMESPACE);
  const metadata = { payout: key.address, owner: OWNER, proof: key.sign(utf8ToBytes(text)) };
  const record = recordOf(1, { metadata: toHex(utf8ToBytes(JSON.stringify(metadata))) });
  return { kind: 'submitted' as const, machineId, record };
}

/** Event of the next slot that cites a payment. */
function citing(chain: FakeHistory, machineId: MachineId) {
  const cited = { sourceChainId: 8453n, sourceTxHash: wordOf(1), trustLevel: 1 };
  const record = recordOf(10_000, { ...cited, timestamp: BigInt(chain.timeOf(chain.slot + 1)) });
  return { kind: 'submitted' as const, machineId, record };
}

async function openScanner(chain: FakeHistory, headTime = chain.timeOf(chain.slot)) {
  const harness = createAltHarness({ chain, store });
  expect(await harness.settle()).toEqual([]);
  const sources = { hash: 'test', list: [new FakePaymentSource()] };
  const { rates: fxRates, time: clock, log } = harness;
  const common = { store, sources, fxRates, clock, log, namespace: DEFAULT_NAMESPACE, checks: PORTABLE_CHECKS };
  const reads = {
    readEvents: readAltEvents(store),
    readBlockSignatures: (slot: number) => chain.readBlockSignatures(slot),
  };
  const head = { block: chain.slot, time: headTime };
  const scanner = createPaymentScanner({ ...common, yieldToEventLoop });
  return { clock, scan: (signal = NEVER) => scanner.scan('alt', head, reads, signal) };
}

async function listPlaces(chain: FakeHistory) {
  await (await openScanner(chain)).scan();
  const claims = [
    ...(await store.listClaims({ home: 'alt', id: A })),
    ...(await store.listClaims({ home: 'alt', id: B })),
  ];
  return claims.map(({ place }) => place);
}

it('orders claims of one slot by the positions of their transactions', async () => {
  const chain = new FakeHistory();
  chain.finalize({ changes: [{ kind: 'submitted', machineId: A }] }, { changes: [claim(B)] }, { changes: [claim(A)] });
  const [ofA, ofB] = await listPlaces(chain);
  expect([ofA!.block, ofB!.block]).toEqual([chain.slot, chain.slot]);
  expect(ofA!.index).toBeGreaterThan(ofB!.index);
});

it('orders claims of one transaction by the positions of their instructions', async () => {
  const chain = new FakeHistory();
  chain.finalize({ changes: [claim(B), claim(A)] });
  const [ofA, ofB] = await listPlaces(chain);
  expect(ofA!.index).toBeGreaterThan(ofB!.index);
});

it('knows no claim while the block lacks its transaction', async () => {
  const chain = new FakeHistory();
  chain.finalize({ changes: [claim(A)] });
  chain.readBlockSignatures = async () => Promise.resolve([]);
  expect(await listPlaces(chain)).toEqual([]);
  expect(await store.readScannedThrough('alt')).toBe(-1);
});

it('holds the search back for an hour while a claim cannot be placed', async () => {
  const chain = new FakeHistory();
  chain.finalize({ changes: [claim(A)] });
  chain.readBlockSignatures = () => Promise.reject(new AltNodeBusy('behind'));
  const { clock, scan } = await openScanner(chain);
  await scan();
  clock.jump(3_599_999);
  await scan();
  expect(await store.readScannedThrough('alt')).toBe(-1);
  clock.jump(1);
  await scan();
  expect(await store.readScannedThrough('alt')).toBe(chain.timeOf(chain.slot));
});

it('holds the search back for another hour after the loop was stopped and started again', async () => {
  const chain = new FakeHistory();
  chain.finalize({ changes: [claim(A)] });
  chain.readBlockSignatures = () => Promise.reject(new AltNodeBusy('behind'));
  const { clock, scan } = await openScanner(chain);
  await scan(new AbortController().signal);
  clock.jump(3_600_000);
  const { signal } = new AbortController();
  await scan(signal);
  clock.jump(3_599_999);
  await scan(signal);
  expect(await store.readScannedThrough('alt')).toBe(-1);
  clock.jump(1);
  await scan(signal);
  expect(await store.readScannedThrough('alt')).toBe(chain.timeOf(chain.slot));
});

it.each([
  [0, 1],
  [1, 0],
])(
  'follows an event of %d s and 560 days before the main chain %d times, while the slots have no time',
  async (late, expected) => {
    const chain = new FakeHistory();
    chain.finalize({ changes: [claim(A)] });
    chain.finalize({ changes: [citing(chain, A)] });
    const { scan } = await openScanner(chain, -1);
    await store.usePaymentConfiguration(PAYMENT_CONFIGURATION);
    await store.writeScannedThrough('main', chain.timeOf(chain.slot) + 560 * 86_400 + late);
    await scan();
    expect(await store.countCitations({ home: 'alt', id: A }, 9, 0)).toBe(expected);
  },
);

it('judges payments again by an account that the machine had claimed in an event that was missing for more than an hour', async () => {
  const chain = new FakeHistory();
  const source = new FakePaymentSource();
  const fxRates = new FixedRates();
  fxRates.use(createRateTable(false, PAID_TOKENS));
  const time = new VirtualTime();
  const sources = { hash: 'test', list: [source] };
  const shared = { store, sources, fxRates, clock: time, log: createRecordingLog(), namespace: DEFAULT_NAMESPACE };
  const payments = createPaymentScanner({ ...shared, checks: PORTABLE_CHECKS, yieldToEventLoop });
  const worker = createPaymentWorker({ ...shared, homes: ['alt'], timers: time, pollIntervalMilliseconds: 60_000 });
  const { settle } = createAltHarness({ chain, store, payments });
  /** Returns the verdicts after rounds of ten minutes. */
  const follow = async (rounds: number) => {
    expect(await settle(rounds, 600_000)).toEqual([]);
    while ((await worker.step(NEVER)) === 'more');
    const verdicts = await store.listVerdicts(PAYMENT_CONFIGURATION, { home: 'alt', id: A }, 0, 9);
    return verdicts.map(({ code }) => code);
  };

  chain.finalize({ changes: [claim(A)] });
  chain.finalize({ changes: [citing(chain, A)] });
  await follow(1);
  const [hidden] = chain.finalize({ changes: [claim(A, PAYER)] });
  const block = chain.timeOf(chain.slot);
  const [from, to] = [PAYER, ACCOUNT].map(({ address }) => `0x${address.slice(2).padStart(64, '0')}`);
  const log = { address: source.tokens.get('USDC')!, topics: [TRANSFER_TOPIC, from!, to!], data: wordOf(100_000_000) };
  source.put(wordOf(1), { ...{ kind: 'evm', success: true, block, time: block, from: RELAYER }, logs: [log] });
  chain.slot += 1_000;
  source.finalizeAt(chain.timeOf(chain.slot));
  await store.writeScannedThrough('main', chain.timeOf(chain.slot));

  chain.alterPage = (rows) => rows.filter(({ signature }) => signature !== hidden);
  expect(await follow(6)).toEqual(['paid']);
  chain.alterPage = (rows) => rows;
  expect(await follow(2)).toEqual(['self_paid']);
});
