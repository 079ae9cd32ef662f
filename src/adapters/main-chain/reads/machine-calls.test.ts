/** Decoding of machine facts against a real node: absence, unreadable facts, contradictions. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { encodeErrorResult, parseAbi, stringToHex, type Hex } from 'viem';
import { ALT_ORDINAL, OTHER_ORDINAL } from '../../../../devnet/main-chain/deploy.ts';
import * as calls from '../../../../devnet/main-chain/calls.ts';
import {
  BUYER,
  CONTRADICTION,
  CONTROLLER,
  lower,
  nonexistentToken,
  OWNER,
  SELECTORS,
  startMachineHarness,
  UNDECODABLE,
  word,
} from '../../../../testing/fixtures/machines.ts';
import type { MachineHarness } from '../../../../testing/fixtures/machines.ts';
import { respondInner } from '../../../../testing/harness/rpc-proxy.ts';
import { MAX_MACHINE_ID } from '../../../domain/identifiers/identifiers.ts';
import type { MachineSnapshot } from '../../../domain/machine/machine-facts.ts';
import { ABSENT, present } from '../../../domain/read-result.ts';

let harness: MachineHarness;

beforeAll(async () => {
  harness = await startMachineHarness();
});
afterAll(() => harness.close());
beforeEach(() => harness.proxy.heal());

test('reads no owner, controller, document or operator for an unknown id and the largest id', async () => {
  for (const id of [4711n, MAX_MACHINE_ID]) {
    expect(await harness.readMachine(id)).toMatchObject({
      owner: ABSENT,
      controller: ABSENT,
      operator: ABSENT,
      document: ABSENT,
      subscription: present({ tier: 0, periodStart: 0n, periodEnd: 0n, bondedAmount: 0n }),
      subscriptionStatus: present('NotActivated'),
      homeOrdinal: present(0),
      eventCount: present(0n),
      events: present({ offset: 0, records: [] }),
    });
  }
});

test('reads id 0 like any other, although no route requests it', async () => {
  expect((await harness.readMachine(0n)).owner).toEqual(ABSENT);
});

test('reads a retired machine as an unknown one', async () => {
  const id = await harness.activate();
  await harness.mine(calls.retireMachine(harness.chain.deployment, OWNER, id));
  expect(await harness.readMachine(id)).toMatchObject({ owner: ABSENT, document: ABSENT });
});

test('reads a machine homed elsewhere without token and with the operator that the main chain knows', async () => {
  await harness.administer('crossChainMirror', 'devSetHomeChain', 77n, OTHER_ORDINAL);
  await harness.administer('machineRegistry', 'devSetForeignOperator', 77n, BUYER);
  expect(await harness.readMachine(77n)).toMatchObject({
    owner: ABSENT,
    controller: ABSENT,
    document: ABSENT,
    operator: present(lower(BUYER)),
    homeOrdinal: present(OTHER_ORDINAL),
  });
});

test('returns a token homed elsewhere or nowhere unchanged', async () => {
  for (const ordinal of [ALT_ORDINAL, 0]) {
    const id = await harness.activate();
    await harness.administer('crossChainMirror', 'devSetHomeChain', id, ordinal);
    expect(await harness.readMachine(id)).toMatchObject({ owner: { state: 'present' }, homeOrdinal: present(ordinal) });
  }
});

test('reads a relocation in progress and a reissued id', async () => {
  const id = await harness.activate();
  await harness.administer('machineStateAndSync', 'devSetRelocating', id, true, OTHER_ORDINAL);
  expect((await harness.readMachine(id)).relocating).toEqual(present(true));
  const old = await harness.activate();
  const credentialSubject = stringToHex('reissued');
  await harness.administer('machineStateAndSync', 'devReissue', old, 'Sensor', credentialSubject);
  const next = calls.machineIdOf({ machineType: 'Sensor', credentialSubject });
  expect((await harness.readMachine(old)).owner).toEqual(ABSENT);
  expect((await harness.readMachine(next)).owner).toEqual(present(lower(OWNER)));
});

const textRevert = encodeErrorResult({
  abi: parseAbi(['error Error(string)']),
  errorName: 'Error',
  args: ['ERC721NonexistentToken'],
});

test.each<[string, boolean, (id: bigint) => Hex]>([
  ['another selector', false, () => '0x921170f0'],
  ['no data', false, () => '0x'],
  ['a revert reason', false, () => textRevert],
  ['the selector without its argument', false, () => '0x7e273289'],
  ['the selector for another token', false, (id) => nonexistentToken(id + 1n)],
  ['the selector with trailing data', false, (id) => `${nonexistentToken(id)}00`],
  ['an address with dirty upper bits', true, () => word(2n ** 160n + 1n)],
  ['an owner of zero', true, () => word(0n)],
  ['a short result', true, () => '0x00'],
  ['an empty result, as from an address without code', true, () => '0x'],
  ['two words', true, () => `${word(1n)}${word(1n).slice(2)}`],
  ['the error as a result', true, nonexistentToken],
])('makes only the owner unreadable when ownerOf has %s', async (_, success, data) => {
  const id = await harness.activate();
  harness.proxy.inject(respondInner(SELECTORS.ownerOf, { success, returnData: data(id) }));
  expect(await harness.readMachine(id)).toMatchObject({
    owner: UNDECODABLE,
    controller: ABSENT,
    operator: { state: 'present' },
    document: { state: 'present' },
    homeOrdinal: { state: 'present' },
  });
});

test('accepts the selector from MachineRegistry only', async () => {
  const id = await harness.activate();
  harness.proxy.inject(respondInner(SELECTORS.isRelocating, { success: false, returnData: nonexistentToken(id) }));
  expect((await harness.readMachine(id)).relocating).toEqual(UNDECODABLE);
});

test('reads no operator for zero and for a nonexistent token, and an unreadable one for any other failure', async () => {
  const id = await harness.activate();
  for (const [result, expected] of [
    [{ success: true, returnData: word(0n) }, ABSENT],
    [{ success: false, returnData: nonexistentToken(id) }, ABSENT],
    [{ success: true, returnData: word(BigInt(BUYER)) }, present(lower(BUYER))],
    [{ success: false, returnData: '0x' }, UNDECODABLE],
  ] as const) {
    harness.proxy.heal();
    harness.proxy.inject(respondInner(SELECTORS.operatorOf, result));
    expect((await harness.readMachine(id)).operator).toEqual(expected);
  }
});

test('makes controller and document unreadable when they disagree', async () => {
  const id = await harness.activate({ controller: CONTROLLER });
  harness.proxy.inject(respondInner(SELECTORS.controllerOf, { success: true, returnData: word(1n) }));
  expect(await harness.readMachine(id)).toMatchObject({
    controller: CONTRADICTION,
    document: CONTRADICTION,
    owner: { state: 'present' },
  });
});

test('makes the controller unreadable when a token has an owner but no controller', async () => {
  const id = await harness.activate({ controller: CONTROLLER });
  harness.proxy.inject(respondInner(SELECTORS.controllerOf, { success: false, returnData: nonexistentToken(id) }));
  expect(await harness.readMachine(id)).toMatchObject({ controller: CONTRADICTION, document: { state: 'present' } });
});

test.each<[string, Hex, bigint, keyof MachineSnapshot]>([
  ['a status of 5', SELECTORS.subscriptionStatus, 5n, 'subscriptionStatus'],
  ['a dirty status', SELECTORS.subscriptionStatus, 257n, 'subscriptionStatus'],
  ['a dirty boolean', SELECTORS.isRelocating, 2n, 'relocating'],
  ['a dirty ordinal', SELECTORS.homeChainOf, 65_537n, 'homeOrdinal'],
])('makes the fact unreadable for %s', async (_, selector, value, fact) => {
  const id = await harness.activate();
  harness.proxy.inject(respondInner(selector, { success: true, returnData: word(value) }));
  expect((await harness.readMachine(id))[fact]).toEqual(UNDECODABLE);
});
