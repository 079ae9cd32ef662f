/** Are machines of the first generation read right, of one block, and with how many eth_calls? Against a real node (chain-evm 2.9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringToHex } from 'viem';
import { accountOf } from '../../../../devnet/accounts.ts';
import { contractCall, submitEvent } from '../../../../devnet/main-chain-calls.ts';
import { rule } from '../../../../test/conformance/rule.ts';
import {
  ABSENT,
  lower,
  present,
  startMachineHarness,
  UNDECODABLE,
  word,
  type MachineHarness,
} from '../../../../testing/fixtures/machines.ts';
import { respondInner } from '../../../../testing/harness/rpc-proxy.ts';
import type { Address, MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { LegacyMachines, LegacyMachinePage } from '../../../ports/main-chain.ts';
import type { MainChainAdapter } from '../create-main-chain.ts';

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

/** Machines 1 to 3 are the operator's, 4 is another's; 1 has three events. */
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
const answered = (value: bigint) => ({ success: true, returnData: word(value) });
const address = (spelled: string) => lower(spelled) as Address;
const fromStart = () => Promise.resolve(0);

function open(): { adapter: MainChainAdapter; chain: LegacyMachines } {
  const adapter = harness.openForgetful();
  return { adapter, chain: adapter.chain.firstGeneration! };
}

const readMachine = (machine: number, from = 0) =>
  open().chain.readMachineOf(address(MACHINES[machine - 1]!), () => Promise.resolve(from));

const readPage = (chain: LegacyMachines, offset = 0, limit = 20, operator = OPERATOR) =>
  chain.readPageOf(address(operator), offset, limit, fromStart);

const idsOf = ({ total, machines }: LegacyMachinePage) => [
  total,
  ...machines.map((machine) => machine && Number(machine.id)),
];

/** How many eth_calls it costs. */
async function costOf(read: () => Promise<unknown>): Promise<number> {
  harness.proxy.resetCounts();
  await read();
  return harness.proxy.calls.filter(({ method }) => method === 'eth_call').length;
}

describe('a machine', () => {
  test('is read by the address of its DID, with its records from the position asked for', async () => {
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

  test('without a bond and without an event', async () => {
    expect(await readMachine(2)).toMatchObject({
      ...{ id: 2n, exists: present(true), staked: present(false), eventCount: present(0n) },
      events: present({ offset: 0, records: [] }),
    });
  });

  test('is none at an address that is not registered', async () => {
    expect(await open().chain.readMachineOf(address(OPERATOR), fromStart)).toBeUndefined();
  });

  test('is unreadable at an address of which the registry does not tell', async () => {
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
  ] as const)('has its other facts when %s cannot be read', async (fact, selector, dirty) => {
    for (const result of [REVERTED, { success: true, returnData: '0x' } as const, answered(dirty)]) {
      harness.proxy.inject(respondInner(selector, result));
      expect(await readMachine(1)).toMatchObject({ eventCount: present(3n), [fact]: UNDECODABLE });
      harness.proxy.heal();
    }
  });

  test('without an address has none', async () => {
    harness.proxy.inject(respondInner(SELECTORS.machineAddressOf, answered(0n)));
    expect((await readMachine(1))!.address).toEqual(ABSENT);
  });

  test('whose count disagrees with its page has unreadable events', async () => {
    harness.proxy.inject(respondInner(SELECTORS.getEventCount, answered(4n)));
    expect((await readMachine(1))!.events).toEqual({ state: 'unreadable', cause: 'events' });
  });

  test('of a registry that does not tell its query limit has unreadable events', async () => {
    for (const result of [REVERTED, answered(0n)]) {
      harness.proxy.inject(respondInner(SELECTORS.maxQueryLimit, result));
      expect((await readMachine(1))!.events).toEqual(UNDECODABLE);
      harness.proxy.heal();
    }
  });

  test('whose page is too much for one call gets it in calls of its own', async () => {
    harness.proxy.inject(respondInner(SELECTORS.getEvents, { success: false, returnData: '0x' }), 2);
    expect((await readMachine(1))!.events).toMatchObject(present({ offset: 0, records: [{}, {}, {}] }));
  });

  test('gives its records at a block that is past', async () => {
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
  test('has those of the machines it names that the registry says are its own, in order', async () => {
    rule('address-keyed.legacy-only');
    const { chain } = open();
    expect(idsOf(await readPage(chain))).toEqual([2, 1, 3]);
    expect(idsOf(await readPage(chain, 1, 1))).toEqual([2, 3]);
    expect(idsOf(await readPage(chain, 2))).toEqual([2]);
  });

  test('that names none has none, whatever the registry says', async () => {
    expect(idsOf(await readPage(open().chain, 0, 20, OTHER_OPERATOR))).toEqual([0]);
    await claim(OTHER_OPERATOR, '[]');
    expect(idsOf(await readPage(open().chain, 0, 20, OTHER_OPERATOR))).toEqual([0]);
  });

  test('that names what is no list of ids is unreadable', async () => {
    await claim(OTHER_OPERATOR, '4');
    const reading = readPage(open().chain, 0, 20, OTHER_OPERATOR);
    await expect(reading).rejects.toMatchObject({ context: { chain: 'main', cause: 'undecodable' } });
    await claim(OTHER_OPERATOR, '["4"]');
    expect(idsOf(await readPage(open().chain, 0, 20, OTHER_OPERATOR))).toEqual([1, 4]);
  });

  test('has a machine of which the registry does not tell, and it is not read', async () => {
    harness.proxy.inject(respondInner(SELECTORS.operatorOf, REVERTED));
    expect(idsOf(await readPage(open().chain))).toEqual([3, undefined, undefined, undefined]);
  });

  test('has no machine that does not exist', async () => {
    harness.proxy.inject(respondInner(SELECTORS.machineExists, answered(0n)));
    expect(idsOf(await readPage(open().chain))).toEqual([0]);
  });

  test('is not to be had without a DID store', async () => {
    const { identityRegistry, staking, eventRegistry } = harness.addresses.legacy!;
    const legacy = { identityRegistry, staking, eventRegistry };
    const { firstGeneration } = harness.open({ addresses: { legacy } }).chain;
    expect(firstGeneration!.canList).toBe(false);
    expect(await firstGeneration!.readMachineOf(address(MACHINES[0]!), fromStart)).toMatchObject({ id: 1n });
  });
});

test('without its contracts there is no first generation', () => {
  expect(harness.open({ addresses: { legacy: undefined } }).chain.firstGeneration).toBeUndefined();
});

describe('eth_calls', () => {
  test('one for a machine, and two when its id is not known yet', async () => {
    const { adapter, chain } = open();
    const read = () => chain.readMachineOf(address(MACHINES[0]!), fromStart);
    expect(await costOf(read)).toBe(2);
    await harness.mine();
    expect(await costOf(read)).toBe(1);
    await harness.mine();
    expect(await costOf(() => Promise.all(Array.from({ length: 50 }, read)))).toBe(1);
    expect(adapter.counters.failures).toEqual({});
  });

  test('one for a page, and three when the list is not known yet', async () => {
    const { chain } = open();
    expect(await costOf(() => readPage(chain))).toBe(3);
    await harness.mine();
    expect(await costOf(() => readPage(chain))).toBe(1);
  });

  test('none at the same block, and for what another answer has read', async () => {
    const { chain } = open();
    await readPage(chain);
    expect(await costOf(() => readPage(chain, 1, 1))).toBe(0);
    expect(await costOf(() => readPage(chain))).toBe(0);
    await chain.readMachineOf(address(MACHINES[0]!), fromStart);
    expect(await costOf(() => chain.readMachineOf(address(MACHINES[0]!), fromStart))).toBe(0);
  });
});

describe('the next block', () => {
  test('shows what none of its logs names', async () => {
    const { chain } = open();
    const readOwn = () => chain.readMachineOf(address(MACHINES[0]!), fromStart);
    expect((await readOwn())!.staked).toEqual(present(true));
    await harness.administer('legacyStaking', 'setStaked', 1n, false);
    expect((await readOwn())!.staked).toEqual(present(false));
    await harness.administer('legacyStaking', 'setStaked', 1n, true);
  });

  test('shows a list that has changed, at one block with its machines', async () => {
    const { chain } = open();
    await readPage(chain);
    await claim(OPERATOR, '[2,1]');
    const page = await readPage(chain);
    expect(idsOf(page)).toEqual([2, 1, 2]);
    expect(page.machines.map((machine) => machine!.block)).toEqual([page.block, page.block]);
    await claim(OPERATOR, '[3,1,4]');
  });
});

test('an unreadable fact is kept for a second, the rest for a minute', async () => {
  const adapter = harness.open();
  const chain = adapter.chain.firstGeneration!;
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
