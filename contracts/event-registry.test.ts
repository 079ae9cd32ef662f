/** EventRegistry: accepted events and their reads (chain-evm 3.7). */
import { encodeFunctionData, zeroHash } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf } from '../devnet/accounts.ts';
import { startBareChain } from '../devnet/main-chain/bare-chain.ts';
import type { BareChain } from '../devnet/main-chain/bare-chain.ts';
import { createContractReader } from '../devnet/main-chain/contract-reader.ts';
import type { ContractReader } from '../devnet/main-chain/contract-reader.ts';
import { deployBatchCaller } from '../devnet/main-chain/deploy.ts';
import { activateMachine, adminCall, machineIdOf, setController, submitEvent } from '../devnet/main-chain/calls.ts';
import type { EventInput } from '../devnet/main-chain/calls.ts';
import { credentialsOf } from '../devnet/personas/persona.ts';
import { abiOf } from './artifacts.ts';

const NOW = 1_800_000_000;
const owner = accountOf('owner').address;
const stranger = accountOf('stranger').address;
const id = machineIdOf(credentialsOf('events'));

const REVENUE: EventInput = {
  ...{ from: owner, machineId: id, eventType: 0, value: 5n, currency: 'USD', timestamp: NOW, trustLevel: 1 },
};
const ACTIVITY: EventInput = { from: owner, machineId: id, eventType: 1, value: 0n, timestamp: NOW, trustLevel: 2 };

let chain: BareChain;
let reader: ContractReader;

beforeAll(async () => {
  chain = await startBareChain({ genesisTimestamp: NOW, timestamp: NOW + 1 });
  reader = createContractReader(chain);
  await chain.writer.mine([activateMachine(chain.deployment, { ...credentialsOf('events'), from: owner })], NOW + 2);
});
afterAll(() => chain.stop());

function page(offset: bigint, limit: bigint): Promise<unknown> {
  return reader.read('eventRegistry', 'getEvents', [id, offset, limit]);
}

test('an offset at the end of an empty list reverts or returns nothing', async () => {
  expect(await reader.read('eventRegistry', 'getEventCount', [id])).toBe(0n);
  expect(await reader.readRevert('eventRegistry', 'getEvents', [id, 0n, 100n])).toBe('OffsetOutOfBounds()');
  await chain.writer.mine([adminCall(chain.deployment, 'eventRegistry', 'devSetAnswersEmptyPage', [true])]);
  expect(await page(0n, 100n)).toEqual([]);
  expect(await reader.readRevert('eventRegistry', 'getEvents', [id, 1n, 100n])).toBe('OffsetOutOfBounds()');
  await chain.writer.mine([adminCall(chain.deployment, 'eventRegistry', 'devSetAnswersEmptyPage', [false])]);
});

test.each([
  ['InvalidEventType()', { ...REVENUE, eventType: 2 }],
  ['InvalidTrustLevel()', { ...REVENUE, trustLevel: 3 }],
  ['InvalidCurrencyShape()', { ...REVENUE, currency: 'usd' }],
  ['InvalidCurrencyShape()', { ...REVENUE, currency: 'US' }],
  ['InvalidCurrencyShape()', { ...REVENUE, currency: 'ABCDEFGHIJK' }],
  ['InvalidCurrencyShape()', { ...REVENUE, currency: '' }],
  ['InvalidCurrencyShape()', { ...ACTIVITY, currency: 'USD' }],
  ['FutureTimestamp()', { ...REVENUE, timestamp: NOW + 1_000_000 }],
  ['MetadataTooLarge()', { ...REVENUE, metadata: 'x'.repeat(4_097) }],
  ['NotOwnerOrController()', { ...REVENUE, from: stranger }],
])('%s', async (refusal, input) => {
  expect(await reader.revertOf(submitEvent(chain.deployment, input), 'eventRegistry')).toBe(refusal);
});

test('records are returned in order of submission with the currency last', async () => {
  const largest = 2n ** 256n - 1n;
  await chain.writer.mine([
    submitEvent(chain.deployment, { ...REVENUE, value: largest, metadata: 'x'.repeat(4_096) }),
    submitEvent(chain.deployment, { ...ACTIVITY, timestamp: NOW - 100 }),
  ]);
  const [first, second] = (await page(0n, 2n)) as [object, object];
  expect(Object.keys(first)).toEqual([
    ...['machineId', 'eventType', 'value', 'timestamp', 'dataHash', 'trustLevel', 'sourceChainId'],
    ...['sourceTxHash', 'metadata', 'currency'],
  ]);
  expect(first).toMatchObject({ eventType: 0, value: largest, timestamp: BigInt(NOW), currency: 'USD' });
  expect(second).toMatchObject({ eventType: 1, value: 0n, timestamp: BigInt(NOW - 100), currency: '' });
  expect(second).toMatchObject({ dataHash: zeroHash, metadata: '0x', trustLevel: 2 });
});

test('a page has at most the query limit', async () => {
  await chain.writer.mine(Array.from({ length: 99 }, () => submitEvent(chain.deployment, ACTIVITY)));
  expect(await reader.read('eventRegistry', 'getEventCount', [id])).toBe(101n);
  expect(await reader.read('eventRegistry', 'MAX_QUERY_LIMIT')).toBe(100n);
  expect(await page(0n, 1_000n)).toHaveLength(100);
  expect(await page(100n, 1_000n)).toHaveLength(1);
  expect(await page(3n, 4n)).toHaveLength(4);
  expect(await reader.readRevert('eventRegistry', 'getEvents', [id, 101n, 100n])).toBe('OffsetOutOfBounds()');
});

test('a controller that is a contract stores two events in one transaction', async () => {
  const batchCaller = await deployBatchCaller(chain.writer);
  const [first, second] = [submitEvent(chain.deployment, REVENUE), submitEvent(chain.deployment, ACTIVITY)];
  const data = encodeFunctionData({
    abi: abiOf('BatchCaller'),
    functionName: 'callAll',
    args: [chain.deployment.addresses.eventRegistry, [first.data, second.data]],
  });
  await chain.writer.mine([setController(chain.deployment, owner, id, batchCaller)]);
  const [receipt] = await chain.writer.mine([{ label: 'batch', from: stranger, to: batchCaller, data }]);
  expect(receipt!.logs).toHaveLength(2);
  expect(await reader.read('eventRegistry', 'getEventCount', [id])).toBe(103n);
});

test('a pause stops submissions but not reads', async () => {
  await chain.writer.mine([adminCall(chain.deployment, 'eventRegistry', 'pause', [])]);
  expect(await reader.revertOf(submitEvent(chain.deployment, ACTIVITY), 'eventRegistry')).toBe('EnforcedPause()');
  expect(await reader.read('eventRegistry', 'totalEventCount')).toBe(103n);
  expect(await page(0n, 1n)).toHaveLength(1);
});
