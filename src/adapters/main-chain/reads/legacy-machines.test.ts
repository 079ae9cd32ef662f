/** Legacy machines against a real node: facts of one block and the number of eth_calls (chain-evm 2.9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringToHex } from 'viem';
import { accountOf } from '../../../../devnet/accounts.ts';
import { contractCall, submitEvent } from '../../../../devnet/main-chain/calls.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import {
  lower,
  startMachineHarness,
  UNDECODABLE,
  word,
  type MachineHarness,
} from '../../../../testing/fixtures/machines.ts';
import { respondInner } from '../../../../testing/harness/rpc-proxy.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { LegacyMachines, LegacyMachinePage } from '../../../ports/main-chain.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';
import { ABSENT, present, unreadable } from '../../../domain/read-result.ts';

const SELECTORS = {
  machineIdOf: '0x61098971',
  machineExists: '0x85447be6',
  operatorOf: '0xf41875e1',
  machineAddressOf: '0xe580a080',
  isStaked: '0xbaa51f86',
  getEvents: '0x0ea4e6a0',
  getEventCount: '0x1c2eaa9c',
  maxQueryLimit: '0x23beb3dd',
} as const;
const MACHINES = [1, 2, 3, 4].map((id) => accountOf(`first generation ${id}`).address);
const OPERATOR = accountOf('first generation operator').address;
const OTHER_OPERATOR = accountOf('first generation other operator').address;

let harness: MachineHarness;

/** Machines 1 to 3 belong to the operator, 4 to another; machine 1 has three events. */
beforeAll(async () => {
  harness = await startMachineHarness();
  for (const [i, machine] of MACHINES.entries()) {
    await harness.administer('legacyIdentityRegistry', 'registerMachine', machine, i < 3 ? OPERATOR : OTHER_OPERATOR);
  }
  await harness.administer('legacyStaking', 'setStaked', 1n, true);
  for (const value of [1n, 2n, 3n]) await submit(1n, value);
  await claim(OPERATOR, '[3,1,4]');
});
afterAll(() => harness.close());
beforeEach(() => harness.proxy.heal());

async function submit(machineId: bigint, value: bigint): Promise<void> {
  const event = { eventType: 0, value, currency: 'USD', timestamp: 1_700_000_000, trustLevel: 1 };
  const from = MACHINES[Number(machineId) - 1]!;
  await harness.mine(submitEvent(harness.chain.deployment, { from, machineId, ...event }, 'legacyEventRegistry'));
}

async function claim(operator: Address | string, text: string): Promise<void> {
  const args = [operator, stringToHex('machines'), stringToHex(text), 2 ** 32 - 1];
  const from = operator as `0x${string}`;
  await harness.mine(contractCall(harness.chain.deployment, 'legacyDidStore', from, 'setAttribute', args));
}

const REVERTED = { success: false, returnData: '0x08c379a0' } as const;
const returning = (value: bigint) => ({ success: true, returnData: word(value) });
const address = (spelled: string) => lower(spelled) as Address;
const fromStart = () => Promise.resolve(0);

function open(): { adapter: MainChainAdapter; chain: LegacyMachines } {
  const adapter = harness.openUncached();
  return { adapter, chain: adapter.chain.legacy! };
}

const readMachine = (machine: number, from = 0) =>
  open().chain.readMachineOf(address(MACHINES[machine - 1]!), () => Promise.resolve(from));

const readPage = (chain: LegacyMachines, offset = 0, limit = 20, operator = OPERATOR) =>
  chain.readPageOf(address(operator), offset, limit, fromStart);

const idsOf = ({ total, machines }: LegacyMachinePage) => [
  total,
  ...machines.map((machine) => machine && Number(machine.id)),
];

/** Returns the number of eth_calls of the read. */
async function costOf(read: () => Promise<unknown>): Promise<number> {
  harness.proxy.resetCounts();
  await read();
  return harness.proxy.calls.filter(({ method }) => method === 'eth_call').length;
}

describe('a legacy machine', () => {
  test('is read by the address of its DID, with its records from the requested offset', async () => {
    const machine = (await readMachine(1, 1))!;
    const { number, hash, timestamp } = await harness.readHead();
    const { events, ...facts } = machine;
    expect(facts).toEqual({
      id: 1n,
      block: { number, hash, timestamp },
      exists: present(true),
      address: present(lower(MACHINES[0]!)),
      staked: present(true),
      eventCount: present(3n),
    });
    expect(events).toMatchObject(present({ offset: 1, records: [{ value: 2n }, { value: 3n }] }));
  });

  test('is read without a bond and without events', async () => {
    expect(await readMachine(2)).toMatchObject({
      ...{ id: 2n, exists: present(true), staked: present(false), eventCount: present(0n) },
      events: present({ offset: 0, records: [] }),
    });
  });

  test('does not exist at an unregistered address', async () => {
    expect(await open().chain.readMachineOf(address(OPERATOR), fromStart)).toBeUndefined();
  });

  test('is unreadable when the registry does not resolve its address', async () => {
    for (const result of [REVERTED, { success: true, returnData: '0x' } as const]) {
      harness.proxy.inject(respondInner(SELECTORS.machineIdOf, result));
      await expect(readMachine(1)).rejects.toMatchObject({ context: { chain: 'main', cause: 'undecodable' } });
      harness.proxy.heal();
    }
  });

  test.each([
    ['exists', SELECTORS.machineExists, 2n],
    ['staked', SELECTORS.isStaked, 2n],
    ['address', SELECTORS.machineAddressOf, 2n ** 160n],
  ] as const)('is read with its other facts when %s cannot be read', async (fact, selector, dirty) => {
    for (const result of [REVERTED, { success: true, returnData: '0x' } as const, returning(dirty)]) {
      harness.proxy.inject(respondInner(selector, result));
      expect(await readMachine(1)).toMatchObject({ eventCount: present(3n), [fact]: UNDECODABLE });
      harness.proxy.heal();
    }
  });

  test('has an absent address when the registry returns zero', async () => {
    harness.proxy.inject(respondInner(SELECTORS.machineAddressOf, returning(0n)));
    expect((await readMachine(1))!.address).toEqual(ABSENT);
  });

  test('has unreadable events when the count contradicts the page', async () => {
    harness.proxy.inject(respondInner(SELECTORS.getEventCount, returning(4n)));
    expect((await readMachine(1))!.events).toEqual(unreadable('events'));
  });

  test('has unreadable events when the query limit of the registry cannot be read', async () => {
    for (const result of [REVERTED, returning(0n)]) {
      harness.proxy.inject(respondInner(SELECTORS.maxQueryLimit, result));
      expect((await readMachine(1))!.events).toEqual(UNDECODABLE);
      harness.proxy.heal();
    }
  });

  test('has its page read in separate calls when it is too large for one', async () => {
    harness.proxy.inject(respondInner(SELECTORS.getEvents, { success: false, returnData: '0x' }), 2);
    expect((await readMachine(1))!.events).toMatchObject(present({ offset: 0, records: [{}, {}, {}] }));
  });

  test('has readable records at a past block', async () => {
    const { chain } = open();
    const { block } = (await readMachine(1))!;
    await submit(1n, 4n);
    const { offset, records } = await chain.readEvents(1n as MachineId, block, 1, 3);
    expect([offset, ...records.map(({ value }) => value)]).toEqual([1, 2n, 3n]);
    await expect(chain.readEvents(1n as MachineId, block, 1, 4)).rejects.toMatchObject({
      context: { cause: 'events' },
    });
  });
});

describe('an operator', () => {
  test('has the claimed machines that the registry confirms, in order', async () => {
    rule('address-keyed.legacy-only');
    const { chain } = open();
    expect(idsOf(await readPage(chain))).toEqual([2, 1, 3]);
    expect(idsOf(await readPage(chain, 1, 1))).toEqual([2, 3]);
    expect(idsOf(await readPage(chain, 2))).toEqual([2]);
  });

  test('has no machines when it claims none, whatever the registry says', async () => {
    expect(idsOf(await readPage(open().chain, 0, 20, OTHER_OPERATOR))).toEqual([0]);
    await claim(OTHER_OPERATOR, '[]');
    expect(idsOf(await readPage(open().chain, 0, 20, OTHER_OPERATOR))).toEqual([0]);
  });

  test('is unreadable when its claim is not a list of ids', async () => {
    await claim(OTHER_OPERATOR, '4');
    const reading = readPage(open().chain, 0, 20, OTHER_OPERATOR);
    await expect(reading).rejects.toMatchObject({ context: { chain: 'main', cause: 'undecodable' } });
    await claim(OTHER_OPERATOR, '["4"]');
    expect(idsOf(await readPage(open().chain, 0, 20, OTHER_OPERATOR))).toEqual([1, 4]);
  });

  test('lists a machine that the registry cannot resolve without reading it', async () => {
    harness.proxy.inject(respondInner(SELECTORS.operatorOf, REVERTED));
    expect(idsOf(await readPage(open().chain))).toEqual([3, undefined, undefined, undefined]);
  });

  test('does not list a machine that does not exist', async () => {
    harness.proxy.inject(respondInner(SELECTORS.machineExists, returning(0n)));
    expect(idsOf(await readPage(open().chain))).toEqual([0]);
  });

  test('cannot be listed without a DID store', async () => {
    const { identityRegistry, staking, eventRegistry } = harness.addresses.legacy!;
    const legacy = { identityRegistry, staking, eventRegistry };
    const { legacy: firstGeneration } = harness.open({ addresses: { legacy } }).chain;
    expect(firstGeneration!.canList).toBe(false);
    expect(await firstGeneration!.readMachineOf(address(MACHINES[0]!), fromStart)).toMatchObject({ id: 1n });
  });
});

test('legacy machines are unavailable without their contracts', () => {
  expect(harness.open({ addresses: { legacy: undefined } }).chain.legacy).toBeUndefined();
});

describe('the number of eth_calls', () => {
  test('is one for a machine, and two when its id is not known yet', async () => {
    const { adapter, chain } = open();
    const read = () => chain.readMachineOf(address(MACHINES[0]!), fromStart);
    expect(await costOf(read)).toBe(2);
    await harness.mine();
    expect(await costOf(read)).toBe(1);
    await harness.mine();
    expect(await costOf(() => Promise.all(Array.from({ length: 50 }, read)))).toBe(1);
    expect(adapter.counters.failures).toEqual({});
  });

  test('is one for a page, and three when the list is not known yet', async () => {
    const { chain } = open();
    expect(await costOf(() => readPage(chain))).toBe(3);
    await harness.mine();
    expect(await costOf(() => readPage(chain))).toBe(1);
  });

  test('is zero at the same block for facts that another request has read', async () => {
    const { chain } = open();
    await readPage(chain);
    expect(await costOf(() => readPage(chain, 1, 1))).toBe(0);
    expect(await costOf(() => readPage(chain))).toBe(0);
    await chain.readMachineOf(address(MACHINES[0]!), fromStart);
    expect(await costOf(() => chain.readMachineOf(address(MACHINES[0]!), fromStart))).toBe(0);
  });
});

describe('the next block', () => {
  test('shows changes that no log reports', async () => {
    const { chain } = open();
    const readOwn = () => chain.readMachineOf(address(MACHINES[0]!), fromStart);
    expect((await readOwn())!.staked).toEqual(present(true));
    await harness.administer('legacyStaking', 'setStaked', 1n, false);
    expect((await readOwn())!.staked).toEqual(present(false));
    await harness.administer('legacyStaking', 'setStaked', 1n, true);
  });

  test('shows a changed list at the same block as its machines', async () => {
    const { chain } = open();
    await readPage(chain);
    await claim(OPERATOR, '[2,1]');
    const page = await readPage(chain);
    expect(idsOf(page)).toEqual([2, 1, 2]);
    expect(page.machines.map((machine) => machine!.block)).toEqual([page.block, page.block]);
    await claim(OPERATOR, '[3,1,4]');
  });
});

test('an unreadable fact is cached for a second, all others for a minute', async () => {
  const adapter = harness.open();
  const chain = adapter.chain.legacy!;
  const readOwn = async () => (await chain.readMachineOf(address(MACHINES[0]!), fromStart))!.staked;
  await harness.reportHead(adapter);
  harness.proxy.inject(respondInner(SELECTORS.isStaked, REVERTED));
  expect(await readOwn()).toEqual(UNDECODABLE);
  harness.proxy.heal();
  expect(await readOwn()).toEqual(UNDECODABLE);
  harness.time.milliseconds += 1_000;
  await harness.reportHead(adapter);
  expect(await readOwn()).toEqual(present(true));
  harness.time.milliseconds += 58_999;
  await harness.reportHead(adapter);
  expect(await costOf(readOwn)).toBe(0);
  harness.time.milliseconds += 1_001;
  await harness.reportHead(adapter);
  expect(await costOf(readOwn)).toBe(1);
});
