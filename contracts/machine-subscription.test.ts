/** MachineSubscription: bond status by the second, and the effect of pauses (chain-evm 3.4, 3.5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf } from '../devnet/accounts.ts';
import { startBareChain } from '../devnet/main-chain/bare-chain.ts';
import type { BareChain } from '../devnet/main-chain/bare-chain.ts';
import { createContractReader } from '../devnet/main-chain/contract-reader.ts';
import type { ContractReader } from '../devnet/main-chain/contract-reader.ts';
import { ALT_ORDINAL } from '../devnet/main-chain/deploy.ts';
import {
  activateMachine,
  adminCall,
  contractCall,
  machineIdOf,
  renewSubscription,
  resumeMachine,
  submitEvent,
  suspendMachine,
} from '../devnet/main-chain/calls.ts';
import { credentialsOf } from '../devnet/personas/persona.ts';

const STATUS = { notActivated: 0, active: 1, grace: 2, runoff: 3, terminated: 4 };
const STEPS = { periodSeconds: 1_000, graceSeconds: 100, runoffSeconds: 50 };
const owner = accountOf('owner').address;
const stranger = accountOf('stranger').address;
const id = machineIdOf(credentialsOf('bonded'));

let chain: BareChain;
let reader: ContractReader;
let start: number;

beforeAll(async () => {
  start = 1_800_000_000;
  chain = await startBareChain({ genesisTimestamp: start - 100, timestamp: start - 50, ...STEPS });
  reader = createContractReader(chain);
});
afterAll(() => chain.stop());

function status(): Promise<unknown> {
  return reader.read('machineSubscription', 'subscriptionStatus', [id]);
}

/** Returns the status a number of seconds after the activation; reads use the time of the newest block. */
async function statusAt(seconds: number): Promise<unknown> {
  await chain.writer.mine([], start + seconds);
  return status();
}

function event(at: number) {
  const machine = { from: owner, machineId: id, eventType: 1, value: 1n, trustLevel: 0 };
  return submitEvent(chain.deployment, { ...machine, timestamp: start + at });
}

test('a bond changes through its four statuses at the exact seconds', async () => {
  await chain.writer.mine([activateMachine(chain.deployment, { ...credentialsOf('bonded'), from: owner })], start);
  expect(await reader.read('machineSubscription', 'subscriptions', [id])).toEqual({
    ...{ tier: 0, periodStart: BigInt(start), periodEnd: BigInt(start + 1_000) },
    ...{ bondedAmount: 100n * 10n ** 18n, accumulatedPoints: 0n },
  });
  expect(await statusAt(999)).toBe(STATUS.active);
  expect(await reader.read('machineStateAndSync', 'isMachineAvailable', [id])).toBe(true);
  expect(await statusAt(1_000)).toBe(STATUS.grace);
  expect(await reader.read('machineStateAndSync', 'isMachineAvailable', [id])).toBe(false);
  await chain.writer.mine([event(1_001)], start + 1_001);
  expect(await statusAt(1_099)).toBe(STATUS.grace);
  expect(await statusAt(1_100)).toBe(STATUS.runoff);
  expect(await reader.revertOf(event(1_100), 'eventRegistry')).toBe(`SubscriptionNotEligible(${STATUS.runoff})`);
});

test('a renewal in runoff extends the period from its stored end', async () => {
  await chain.writer.mine([renewSubscription(chain.deployment, owner, id)], start + 1_120);
  expect(await status()).toBe(STATUS.active);
  expect(await reader.read('machineSubscription', 'subscriptions', [id])).toMatchObject({
    periodEnd: BigInt(start + 2_000),
  });
  const renewal = renewSubscription(chain.deployment, stranger, id);
  expect(await reader.revertOf(renewal, 'machineSubscription')).toBe('NotOwnerOrController()');
});

test('a settlement emits the status changes that time has caused', async () => {
  await chain.writer.mine([], start + 2_100);
  const settle = contractCall(chain.deployment, 'machineSubscription', stranger, 'settleLifecycle', []);
  const [receipt] = await chain.writer.mine([settle], start + 2_101);
  expect(receipt!.logs.length).toBe(3);
  expect(await reader.read('machineSubscription', 'subscriptions', [id])).toMatchObject({
    bondedAmount: 90n * 10n ** 18n,
  });
  const [again] = await chain.writer.mine([settle], start + 2_102);
  expect(again!.logs).toEqual([]);
});

test('termination is final and needs no settlement', async () => {
  expect(await statusAt(2_149)).toBe(STATUS.runoff);
  expect(await statusAt(2_150)).toBe(STATUS.terminated);
  expect(await reader.revertOf(renewSubscription(chain.deployment, owner, id), 'machineSubscription')).toBe(
    'AlreadyTerminated()',
  );
});

test('a changed governance value moves all boundaries immediately', async () => {
  await chain.writer.mine([adminCall(chain.deployment, 'infoDesk', 'setRunoffDuration', [1_000_000n])]);
  expect(await status()).toBe(STATUS.runoff);
});

test('fraud terminates a bond at any time, and tiers are bounded', async () => {
  const fraud = machineIdOf(credentialsOf('fraud'));
  const activation = { ...credentialsOf('fraud'), from: owner };
  const untiered = activateMachine(chain.deployment, { ...activation, tier: 3 });
  expect(await reader.revertOf(untiered, 'machineSubscription')).toBe('InvalidTier()');
  await chain.writer.mine([activateMachine(chain.deployment, activation)]);
  const byStranger = contractCall(chain.deployment, 'machineSubscription', stranger, 'terminateForFraud', [fraud]);
  expect(await reader.revertOf(byStranger, 'machineSubscription')).toBe('NotProtocolOwner()');
  await chain.writer.mine([adminCall(chain.deployment, 'machineSubscription', 'terminateForFraud', [fraud])]);
  expect(await reader.read('machineSubscription', 'subscriptionStatus', [fraud])).toBe(STATUS.terminated);
});

test('the recorded operator bonds a machine that is homed elsewhere', async () => {
  const foreign = machineIdOf(credentialsOf('foreign'));
  await chain.writer.mine([
    adminCall(chain.deployment, 'crossChainMirror', 'devSetHomeChain', [foreign, ALT_ORDINAL]),
    adminCall(chain.deployment, 'machineRegistry', 'devSetForeignOperator', [foreign, owner]),
    contractCall(chain.deployment, 'machineSubscription', owner, 'activate', [foreign, 1]),
  ]);
  expect(await reader.read('machineSubscription', 'subscriptionStatus', [foreign])).toBe(STATUS.active);
  const again = contractCall(chain.deployment, 'machineSubscription', owner, 'activate', [foreign, 1]);
  expect(await reader.revertOf(again, 'machineSubscription')).toBe('AlreadyActivated()');
});

test('each pause alone makes a machine unavailable', async () => {
  const paused = machineIdOf(credentialsOf('paused'));
  const state = 'machineStateAndSync';
  const isAvailable = () => reader.read(state, 'isMachineAvailable', [paused]);
  await chain.writer.mine([activateMachine(chain.deployment, { ...credentialsOf('paused'), from: owner })]);
  const machineWide = ['setGeneralPaused', 'setTechnicalPaused'];
  const pauses = [
    ...machineWide.map((name) =>
      [true, false].map((value) => adminCall(chain.deployment, state, name, [paused, value])),
    ),
    ...machineWide.map((name) =>
      [true, false].map((value) => adminCall(chain.deployment, state, `${name}Global`, [value])),
    ),
    [suspendMachine(chain.deployment, owner, paused), resumeMachine(chain.deployment, owner, paused)],
  ];
  for (const [begin, end] of pauses) {
    await chain.writer.mine([begin!]);
    expect(await isAvailable(), begin!.label).toBe(false);
    await chain.writer.mine([end!]);
    expect(await isAvailable(), end!.label).toBe(true);
  }
  expect(await reader.revertOf(resumeMachine(chain.deployment, owner, paused), state)).toBe('NotSuspended()');
  const foreign = contractCall(chain.deployment, state, owner, 'setGeneralPaused', [paused, true]);
  expect(await reader.revertOf(foreign, state)).toBe('NotProtocolOwner()');
});
