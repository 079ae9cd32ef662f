/** Decisions about machines of the alt chain, with real signatures, a real store and fakes of both chains. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  MACHINE,
  MAIN_MACHINE,
  openAltService,
  UNREADABLE,
  type AltService,
  type MachineFixture,
} from '../../../testing/harness/alt-chain.ts';
import { rule } from '../../../test/conformance/rule.ts';
import { createMemoryStore } from '../../../testing/fixtures/memory-store.ts';
import type { AltKey } from '../../domain/identifiers/alt-identifiers.ts';
import { formatAddress, type MachineId } from '../../domain/identifiers/identifiers.ts';
import {
  ALT,
  ALT_OWNER,
  ALT_STRANGER,
  DEPLOYMENT,
  membersOf,
  messageOf,
  NOW,
  OWNER,
} from '../../../testing/fixtures/deciding-machines.ts';
import type { LoggedDecision, Store } from '../../ports/store.ts';
import { ABSENT, present } from '../../domain/read-result.ts';

const ID = 1n as MachineId;
const PATH = '/machine/did:svc:1/monetization';
const OPT_IN = { machineId: ID, optedIn: true, timestamp: NOW };
const OPT_OUT = { machineId: ID, optedIn: false, timestamp: NOW };
const OTHER_ORDINAL = { ...ALT, ordinal: 6 };

let store: Store;
let service: AltService | undefined;

beforeEach(async () => {
  store = await createMemoryStore();
});
afterEach(async () => {
  await service?.close();
  await store.close();
});

/** Returns status and code, or the body where it has no code. */
async function send(machine: MachineFixture, payload?: object): Promise<string> {
  await service?.close();
  service = await openAltService({ machines: [machine], ctx: { store } });
  const method = payload === undefined ? 'GET' : 'PUT';
  const { status, text } = await service.request(PATH, {
    method,
    ...(payload && { payload: JSON.stringify(payload) }),
  });
  const { detail } = JSON.parse(text) as { detail?: { code: string } };
  return `${status} ${detail?.code ?? text}`;
}

const stateOf = (status: string, timestamp = NOW) =>
  `200 {"machine_id":"1","status":"${status}","signer":"${ALT_OWNER.key}","updated_at":${timestamp},"signer_is_current":true}`;
const PENDING = '200 {"machine_id":"1","status":"PENDING","signer":null,"updated_at":null,"signer_is_current":null}';

describe('the owner of the account', () => {
  test('opts in and out with Ed25519 over the message of the home chain', async () => {
    rule('monetization.alt-signer', 'monetization.alt-message');
    expect(await send({})).toBe(PENDING);
    expect(await send({}, membersOf(OPT_IN, ALT))).toBe(stateOf('OPTED_IN'));
    expect(await send({})).toBe(stateOf('OPTED_IN'));
    expect(await send({}, membersOf(OPT_OUT, ALT))).toBe('409 STALE_SIGNATURE');
    expect(await send({}, membersOf({ ...OPT_OUT, timestamp: NOW + 1 }, ALT))).toBe(stateOf('OPTED_OUT', NOW + 1));
    expect(await send({})).toBe(stateOf('OPTED_OUT', NOW + 1));
  });

  test('is read after the request has arrived', async () => {
    const sold = present({ ...MACHINE, owner: ALT_STRANGER.key });
    expect(await send({ accountAgain: sold }, membersOf(OPT_IN, ALT))).toBe('403 UNAUTHORIZED_SIGNER');
    expect(service!.chainCalls).toEqual(['main now 1', 'alt now 1']);
  });

  test.each<[name: string, machine: MachineFixture, response: string]>([
    ['unbonded', { main: { subscriptionStatus: present('Runoff') } }, '409 MACHINE_NOT_BONDED'],
    [
      'deactivated on the main chain, which is not checked',
      { main: { generalPaused: present(true) } },
      stateOf('OPTED_IN'),
    ],
    ['of an unreadable bond', { main: { subscriptionStatus: UNREADABLE } }, '503 CHAIN_UNAVAILABLE'],
  ])('opts in a machine that is %s', async (_name, machine, response) => {
    expect(await send(machine, membersOf(OPT_IN, ALT))).toBe(response);
    expect(await send(machine, membersOf({ ...OPT_OUT, timestamp: NOW + 1 }, ALT))).toBe(stateOf('OPTED_OUT', NOW + 1));
  });
});

describe('any other signer', () => {
  const signed = (message: Uint8Array, key = ALT_OWNER, signer: AltKey = key.key) => ({
    opted_in: true,
    timestamp: NOW,
    signature: key.sign(message),
    signer_pubkey: signer,
  });
  const message = messageOf(OPT_IN, { home: ALT });

  test.each<[name: string, machine: MachineFixture, body: object]>([
    ['another key', {}, signed(message, ALT_STRANGER)],
    ["another key in the owner's name", {}, signed(message, ALT_STRANGER, ALT_OWNER.key)],
    [
      'the controller',
      { account: present({ ...MACHINE, controller: ALT_STRANGER.key }) },
      signed(message, ALT_STRANGER),
    ],
    ['EIP-191 over the message of the main chain', {}, membersOf(OPT_IN)],
    ['another home', {}, signed(messageOf(OPT_IN, { home: OTHER_ORDINAL }))],
    ['another audience', {}, signed(messageOf(OPT_IN, { home: ALT, deployment: { ...DEPLOYMENT, chainId: '1' } }))],
    ['another machine', {}, signed(messageOf({ ...OPT_IN, machineId: 2n as MachineId }, { home: ALT }))],
    ['a machine of the main chain', { main: MAIN_MACHINE }, signed(message)],
    [
      'a key of the alt chain beside a signature of the main chain',
      {},
      { ...membersOf(OPT_IN), signer_pubkey: ALT_OWNER.key },
    ],
  ])('is refused: %s', async (_name, machine, body) => {
    rule('monetization.alt-signer', 'auth.bound-to-alt-home');
    expect(await send(machine, body)).toBe('403 UNAUTHORIZED_SIGNER');
    expect(await store.readDecision(ID)).toBeUndefined();
  });

  test('is refused when it owns the id on the main chain only', async () => {
    const main = { operator: present(OWNER.address), controller: present(OWNER.address) };
    expect(await send({ main }, membersOf(OPT_IN))).toBe('403 UNAUTHORIZED_SIGNER');
  });
});

test.each<[name: string, machine: MachineFixture, response: string]>([
  ['unreadable', { account: UNREADABLE }, '503 CHAIN_UNAVAILABLE'],
  ['retired', { account: ABSENT }, '404 MACHINE_NOT_FOUND'],
  ['unknown to both', { main: { homeOrdinal: present(0) }, account: ABSENT }, '404 MACHINE_NOT_FOUND'],
  ['homed elsewhere', { main: { homeOrdinal: present(3) } }, '409 MACHINE_HOMED_ELSEWHERE'],
])('returns the same error for state and decision of a machine that is %s', async (_name, machine, response) => {
  expect(await send(machine)).toBe(response);
  expect(await send(machine, membersOf(OPT_OUT, ALT))).toBe(response);
});

describe('a relocating machine', () => {
  const leaving = present({ ...MACHINE, relocating: true });
  const byOwner = membersOf(OPT_OUT, ALT);
  const MAIN_STATE = `200 {"machine_id":"1","status":"OPTED_OUT","signer":"${formatAddress(OWNER.address)}","updated_at":${NOW},"signer_is_current":true}`;

  test.each<[name: string, machine: MachineFixture, body: object, response: string]>([
    ['leaving the alt chain, by the owner of the account', { account: leaving }, byOwner, stateOf('OPTED_OUT')],
    [
      'leaving the alt chain, not linked yet',
      { main: { homeOrdinal: present(0) }, account: leaving },
      byOwner,
      stateOf('OPTED_OUT'),
    ],
    [
      'of which only the alt chain shows an account',
      { main: { relocating: present(true), homeOrdinal: present(1) } },
      byOwner,
      stateOf('OPTED_OUT'),
    ],
    [
      'whose owner on the main chain is unreadable',
      { main: { ...MAIN_MACHINE, relocating: present(true), owner: UNREADABLE } },
      byOwner,
      '503 CHAIN_UNAVAILABLE',
    ],
    [
      'that has arrived on the main chain, by the owner of the account that is left behind',
      { main: { relocating: present(true), homeOrdinal: present(1) }, account: leaving },
      byOwner,
      '503 MACHINE_UNAVAILABLE',
    ],
    [
      'that has arrived and was retired, by the owner of the account that is left behind',
      { main: { homeOrdinal: present(1) }, account: leaving },
      byOwner,
      '503 MACHINE_UNAVAILABLE',
    ],
    [
      'whose account is unreadable',
      { main: { relocating: present(true) }, account: UNREADABLE },
      byOwner,
      '503 CHAIN_UNAVAILABLE',
    ],
    [
      'whose token is on the main chain, by the owner of the token',
      { main: { ...MAIN_MACHINE, relocating: present(true), owner: present(OWNER.address) }, account: leaving },
      membersOf({ ...OPT_OUT, machineId: ID }),
      MAIN_STATE,
    ],
    [
      'whose token is on the main chain, by the owner of the account',
      { main: { ...MAIN_MACHINE, relocating: present(true) } },
      byOwner,
      '403 UNAUTHORIZED_SIGNER',
    ],
    [
      'of which the main chain shows no token and the alt chain nothing',
      { main: { relocating: present(true) }, account: ABSENT },
      byOwner,
      '503 MACHINE_UNAVAILABLE',
    ],
    [
      'that is unreadable on both chains',
      { main: { relocating: present(true), owner: UNREADABLE }, account: UNREADABLE },
      byOwner,
      '503 CHAIN_UNAVAILABLE',
    ],
  ])('is opted out by the chain that holds it: %s', async (_name, machine, body, response) => {
    rule('decision-log.exit-while-relocating');
    expect(await send(machine, body)).toBe(response);
  });

  test('is neither shown nor opted in', async () => {
    expect(await send({ account: leaving })).toBe('503 MACHINE_UNAVAILABLE');
    expect(await send({ account: leaving }, membersOf(OPT_IN, ALT))).toBe('503 MACHINE_UNAVAILABLE');
  });

  test('is logged with the slot of its account', async () => {
    await send({ account: leaving }, byOwner);
    const [{ record }] = (await store.listDecisions(ID, { through: NOW, limit: 1 })).decisions as [LoggedDecision];
    expect(record!.authority).toMatchObject({ owner: ALT_OWNER.key, controller: ALT_OWNER.key, slot: 301_200_450 });
  });
});

test('shows that the signer is no longer the owner', async () => {
  rule('decision-log.signer-is-current');
  await send({}, membersOf(OPT_IN, ALT));
  expect(await send({ account: present({ ...MACHINE, owner: ALT_STRANGER.key }) })).toContain(
    '"signer_is_current":false}',
  );
});
