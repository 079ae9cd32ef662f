/** MachineRegistry and MachineStateAndSync: roles of a machine and the life cycle of its token (chain-evm 3.1 to 3.3, 3.6). */
import { decodeEventLog, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf } from '../devnet/accounts.ts';
import { startBareChain } from '../devnet/main-chain/bare-chain.ts';
import type { BareChain } from '../devnet/main-chain/bare-chain.ts';
import type { Receipt } from '../devnet/main-chain/chain-writer.ts';
import { createContractReader } from '../devnet/main-chain/contract-reader.ts';
import type { ContractReader } from '../devnet/main-chain/contract-reader.ts';
import { ALT_ORDINAL, MAIN_ORDINAL, OTHER_ORDINAL } from '../devnet/main-chain/deploy.ts';
import {
  activateMachine,
  adminCall,
  contractCall,
  machineIdOf,
  retireMachine,
  setController,
  transferMachine,
} from '../devnet/main-chain/calls.ts';
import { credentialsOf } from '../devnet/personas/persona.ts';
import { abiOf, CONTRACT_NAMES } from './artifacts.ts';

const owner = accountOf('owner').address;
const controller = accountOf('controller').address;
const buyer = accountOf('buyer').address;

let chain: BareChain;
let reader: ContractReader;

beforeAll(async () => {
  chain = await startBareChain();
  reader = createContractReader(chain);
});
afterAll(() => chain.stop());

/** Activates a separate machine for a test. */
async function activate(name: string, withController = false): Promise<bigint> {
  const input = { ...credentialsOf(name), from: owner, ...(withController && { controller }) };
  await chain.writer.mine([activateMachine(chain.deployment, input)]);
  return machineIdOf(input);
}

function eventNames(receipt: Receipt): string[] {
  const abi = CONTRACT_NAMES.flatMap((name) => abiOf(name).filter((item) => item.type === 'event'));
  return receipt.logs.map(({ topics, data }) => {
    const [signature, ...rest] = topics;
    return decodeEventLog({ abi, data, topics: [signature!, ...rest], strict: false }).eventName;
  });
}

test('an id is the hash of type and subject', async () => {
  const vector = { machineType: 'Sensor', credentialSubject: '0xdeadbeef' } as const;
  const id = 6797059852626571897596538631639987226658599017392690144141920250617808126524n;
  expect(machineIdOf(vector)).toBe(id);
  expect(await reader.read('machineRegistry', 'computeTokenId', ['Sensor', '0xdeadbeef'])).toBe(id);
  expect(await reader.read('machineRegistry', 'didFromTokenId', [id])).toBe(`did:svc:${id}`);
});

test('an unknown machine has no owner, controller, operator or document, and a zero home', async () => {
  for (const id of [0n, 1n, 2n ** 256n - 1n]) {
    for (const functionName of ['ownerOf', 'controllerOf', 'operatorOf', 'didDocument']) {
      const refusal = await reader.readRevert('machineRegistry', functionName, [id]);
      expect(refusal).toBe(`ERC721NonexistentToken(${id})`);
    }
    expect(await reader.read('crossChainMirror', 'homeChainOf', [id])).toBe(0);
    expect(await reader.read('machineSubscription', 'subscriptions', [id])).toMatchObject({ periodStart: 0n });
    expect(await reader.read('machineSubscription', 'subscriptionStatus', [id])).toBe(0);
  }
});

test('activation emits its events in the specified order and ignores the id of the document', async () => {
  const input = { ...credentialsOf('activated'), from: owner, controller };
  const id = machineIdOf(input);
  const [receipt] = await chain.writer.mine([activateMachine(chain.deployment, input)]);
  expect(eventNames(receipt!)).toEqual([
    ...['Transfer', 'MachineMinted', 'Activated', 'SubscriptionStatusChanged'],
    ...['HomeChainRegistered', 'MachineOnboarded'],
  ]);
  expect(await reader.read('machineRegistry', 'ownerOf', [id])).toBe(owner);
  expect(await reader.read('machineRegistry', 'operatorOf', [id])).toBe(owner);
  expect(await reader.read('machineRegistry', 'didDocument', [id])).toEqual({
    ...{ id: `did:svc:${id}`, controller, verificationMethods: [], authentication: [], serviceEndpoints: [] },
  });
  expect(await reader.read('crossChainMirror', 'isHomedLocally', [id])).toBe(true);
  expect(await reader.read('machineStateAndSync', 'isMachineAvailable', [id])).toBe(true);
});

test('a transfer moves the operator and keeps the controller, who may still act', async () => {
  const id = await activate('transferred', true);
  await chain.writer.mine([transferMachine(chain.deployment, owner, buyer, id)]);
  expect(await reader.read('machineRegistry', 'ownerOf', [id])).toBe(buyer);
  expect(await reader.read('machineRegistry', 'operatorOf', [id])).toBe(buyer);
  expect(await reader.read('machineRegistry', 'controllerOf', [id])).toBe(controller);
  await chain.writer.mine([contractCall(chain.deployment, 'machineStateAndSync', controller, 'suspend', [id])]);
  expect(await reader.read('machineStateAndSync', 'isOperatorPaused', [id])).toBe(true);
});

test('only the owner sets the controller, and may clear it', async () => {
  const id = await activate('controlled', true);
  expect(await reader.revertOf(setController(chain.deployment, controller, id, buyer), 'machineRegistry')).toBe(
    'NotMachineOwner()',
  );
  await chain.writer.mine([setController(chain.deployment, owner, id, zeroAddress)]);
  expect(await reader.read('machineRegistry', 'controllerOf', [id])).toBe(zeroAddress);
});

test('the bounds of authentication are checked when it is set, not at mint', async () => {
  const input = { ...credentialsOf('authenticated'), from: owner, authentication: [7n] };
  await chain.writer.mine([activateMachine(chain.deployment, input)]);
  const id = machineIdOf(input);
  expect(await reader.read('machineRegistry', 'didDocument', [id])).toMatchObject({ authentication: [7n] });
  const set = contractCall(chain.deployment, 'machineRegistry', owner, 'setAuthentication', [id, [0n]]);
  expect(await reader.revertOf(set, 'machineRegistry')).toBe('InvalidAuthenticationIndex()');
  const foreign = contractCall(chain.deployment, 'machineRegistry', buyer, 'setAuthentication', [id, []]);
  expect(await reader.revertOf(foreign, 'machineRegistry')).toBe('NotOwnerOrController()');
});

test('a relocating machine cannot be sold or suspended', async () => {
  const id = await activate('relocating');
  await chain.writer.mine([
    adminCall(chain.deployment, 'machineStateAndSync', 'devSetRelocating', [id, true, ALT_ORDINAL]),
  ]);
  const sale = transferMachine(chain.deployment, owner, buyer, id);
  expect(await reader.revertOf(sale, 'machineRegistry')).toBe('MachineRelocating()');
  const suspension = contractCall(chain.deployment, 'machineStateAndSync', owner, 'suspend', [id]);
  expect(await reader.revertOf(suspension, 'machineStateAndSync')).toBe('MachineRelocating()');
  expect(await reader.read('machineStateAndSync', 'isMachineAvailable', [id])).toBe(false);
});

test('a machine that left has no owner, a zero controller, its operator and its new home', async () => {
  const id = await activate('left', true);
  const [receipt] = await chain.writer.mine([
    adminCall(chain.deployment, 'machineStateAndSync', 'devBridgeOut', [id, OTHER_ORDINAL]),
  ]);
  expect(eventNames(receipt!)).toEqual([
    ...['RelocationCollected', 'Transfer', 'MachineBridgedOut', 'HomeChainUpdated', 'RelocationFinalized'],
  ]);
  expect(await reader.readRevert('machineRegistry', 'ownerOf', [id])).toBe(`ERC721NonexistentToken(${id})`);
  expect(await reader.read('machineRegistry', 'controllerOf', [id])).toBe(zeroAddress);
  expect(await reader.read('machineRegistry', 'operatorOf', [id])).toBe(owner);
  expect(await reader.read('crossChainMirror', 'homeChainOf', [id])).toBe(OTHER_ORDINAL);
});

test('an arriving machine has its controller without a log entry, and its events stay behind', async () => {
  const id = machineIdOf(credentialsOf('arrived'));
  const args = [id, owner, controller, 'DevnetMachine', chain.deployment.addresses.eventRegistry, 12n];
  const [receipt] = await chain.writer.mine([adminCall(chain.deployment, 'machineStateAndSync', 'devBridgeIn', args)]);
  expect(eventNames(receipt!)).toEqual([
    ...['Transfer', 'MachineBridgedIn', 'HomeChainRegistered', 'MachineEventsImported', 'RelocationReplayed'],
  ]);
  expect(await reader.read('machineRegistry', 'controllerOf', [id])).toBe(controller);
  expect(await reader.read('crossChainMirror', 'homeChainOf', [id])).toBe(MAIN_ORDINAL);
  expect(await reader.read('eventRegistry', 'priorEventCount', [id])).toBe(12n);
});

test('a reissue moves token, bond and home to the new id', async () => {
  const oldId = await activate('former', true);
  const { machineType, credentialSubject } = credentialsOf('latter');
  const newId = machineIdOf({ machineType, credentialSubject });
  const [receipt] = await chain.writer.mine([
    adminCall(chain.deployment, 'machineStateAndSync', 'devReissue', [oldId, machineType, credentialSubject]),
  ]);
  expect(eventNames(receipt!)).toEqual([
    ...['Transfer', 'Transfer', 'LegacyMachineReissued', 'SubscriptionReissued', 'HomeChainReissued'],
  ]);
  expect(await reader.readRevert('machineRegistry', 'ownerOf', [oldId])).toBe(`ERC721NonexistentToken(${oldId})`);
  expect(await reader.read('crossChainMirror', 'homeChainOf', [oldId])).toBe(0);
  expect(await reader.read('machineRegistry', 'ownerOf', [newId])).toBe(owner);
  expect(await reader.read('machineRegistry', 'controllerOf', [newId])).toBe(controller);
  expect(await reader.read('machineSubscription', 'subscriptionStatus', [newId])).toBe(1);
});

test('a retired machine is unknown', async () => {
  const id = await activate('retired');
  const [receipt] = await chain.writer.mine([retireMachine(chain.deployment, owner, id)]);
  expect(eventNames(receipt!)).toEqual([
    ...['Transfer', 'MachineRetired', 'SubscriptionTerminated', 'SubscriptionStatusChanged'],
    ...['SubscriptionPausedSet', 'HomeChainCleared', 'MachineRetired'],
  ]);
  expect(await reader.readRevert('machineRegistry', 'ownerOf', [id])).toBe(`ERC721NonexistentToken(${id})`);
  expect(await reader.readRevert('machineRegistry', 'controllerOf', [id])).toBe(`ERC721NonexistentToken(${id})`);
  expect(await reader.read('crossChainMirror', 'homeChainOf', [id])).toBe(0);
});

test('any home can be set for any id', async () => {
  const id = machineIdOf(credentialsOf('never activated'));
  const setHome = (ordinal: number) =>
    adminCall(chain.deployment, 'crossChainMirror', 'devSetHomeChain', [id, ordinal]);
  const receipts = await chain.writer.mine([setHome(ALT_ORDINAL), setHome(OTHER_ORDINAL), setHome(0)]);
  expect(receipts.flatMap(eventNames)).toEqual(['HomeChainRegistered', 'HomeChainUpdated', 'HomeChainCleared']);
  await chain.writer.mine([setHome(ALT_ORDINAL)]);
  expect(await reader.read('machineRegistry', 'controllerOf', [id])).toBe(zeroAddress);
  expect(await reader.readRevert('machineRegistry', 'operatorOf', [id])).toBe(`ERC721NonexistentToken(${id})`);
  await chain.writer.mine([adminCall(chain.deployment, 'machineRegistry', 'devSetForeignOperator', [id, owner])]);
  expect(await reader.read('machineRegistry', 'operatorOf', [id])).toBe(owner);
});
