/** Tests of the order of claims by alt-chain machines: an account is assigned to one machine, also when two claim it in one slot. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { FakeHistory, recordOf } from '../../../testing/fakes/fake-alt-history.ts';
import { FakePaymentSource } from '../../../testing/fakes/fake-payment-source.ts';
import { createAltHarness } from '../../../testing/fixtures/alt-index-harness.ts';
import { machine, NEVER } from '../../../testing/fixtures/indexer-harness.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import { PAYMENT_CONFIGURATION, wordOf } from '../../../testing/fixtures/payment-world.ts';
import { createMainChainKey, PORTABLE_CHECKS } from '../../../testing/fixtures/signing-keys.ts';
import { toHex } from '../../domain/evidence/signed-bytes.ts';
import { DEFAULT_NAMESPACE } from '../../domain/identifiers/namespace.ts';
import type { MachineId } from '../../domain/identifiers/identifiers.ts';
import { formatPayoutText } from '../../domain/rating/paid/payout-proof.ts';
import { AltNodeBusy } from '../../ports/alt-chain.ts';
import type { Store } from '../../ports/store.ts';
import { createPaymentScanner } from './payment-scanner.ts';
import { readAltEvents } from './scanned-events.ts';

const A = machine(11);
const B = machine(12);
const OWNER = 'FMUEmtxhU46GzhKF4FW9MLJdQWiLgjiXP9TYRWSrqTpV';
const ACCOUNT = createMainChainKey(new Uint8Array(32).fill(7));

let store: Store;
beforeEach(async () => void (store = await createMemoryStore()));
afterEach(() => store.close());

function claim(machineId: MachineId) {
  const text = formatPayoutText(machineId, { account: ACCOUNT.address, owner: OWNER }, DEFAULT_NAMESPACE);
  const metadata = { payout: ACCOUNT.address, owner: OWNER, proof: ACCOUNT.sign(utf8ToBytes(text)) };
  const record = recordOf(1, { metadata: toHex(utf8ToBytes(JSON.stringify(metadata))) });
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
  return { clock, scan: () => scanner.scan('alt', head, reads, NEVER) };
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

it.each([
  [0, 1],
  [1, 0],
])(
  'follows an event of %d s and 560 days before the main chain %d times, while the slots have no time',
  async (late, expected) => {
    const chain = new FakeHistory();
    chain.finalize({ changes: [claim(A)] });
    const timestamp = chain.timeOf(chain.slot);
    const citing = { sourceChainId: 8453n, sourceTxHash: wordOf(1), trustLevel: 1, value: 10_000n, currency: 'USD' };
    const record = recordOf(1, { ...citing, timestamp: BigInt(timestamp) });
    chain.finalize({ changes: [{ kind: 'submitted', machineId: A, record }] });
    const { scan } = await openScanner(chain, -1);
    await store.usePaymentConfiguration(PAYMENT_CONFIGURATION);
    await store.writeScannedThrough('main', chain.timeOf(chain.slot) + 560 * 86_400 + late);
    await scan();
    expect(await store.countCitations({ home: 'alt', id: A }, 9, 0)).toBe(expected);
  },
);
