/**
 * Legacy machines (address DIDs) of the devnet: one operator with two machines, one of them rated, and a third machine that the
 * operator claims but does not have (chain-evm 2.9). Wallets are bound to these.
 */
import { stringToHex } from 'viem';
import { accountOf } from '../accounts.ts';
import type { Account } from '../accounts.ts';
import type { Call } from '../main-chain/chain-writer.ts';
import type { Deployment } from '../main-chain/deploy.ts';
import { SHORT_HISTORY, WEEKLY_PAYER } from './histories.ts';
import type { ExpectedRating, History } from './histories.ts';
import { adminCall, contractCall, submitEvent } from '../main-chain/calls.ts';
import { eventTimestamp } from './planned-event.ts';

export interface DevnetLegacyMachine {
  /** Sequential in the order of registration, from 1. */
  readonly id: bigint;
  /** The address of its DID. */
  readonly machine: Account;
  readonly operator: Account;
  readonly history: History;
}

const OPERATOR = accountOf('first-generation operator');
const STRANGER = accountOf('first-generation stranger');

export const DEVNET_LEGACY_MACHINES: readonly DevnetLegacyMachine[] = [
  { id: 1n, machine: accountOf('first-generation machine 1'), operator: OPERATOR, history: WEEKLY_PAYER },
  { id: 2n, machine: accountOf('first-generation machine 2'), operator: OPERATOR, history: SHORT_HISTORY },
  { id: 3n, machine: accountOf('first-generation machine 3'), operator: STRANGER, history: SHORT_HISTORY },
];

/** The accounts to which the wallets `bound` and `bound-operator` are bound. */
export const BOUND_LEGACY_MACHINE = DEVNET_LEGACY_MACHINES[0]!;
export const BOUND_LEGACY_OPERATOR = OPERATOR;

/** Self-declared list of the operator: out of order, and with a machine of another operator. */
const CLAIMED_MACHINES = '[2,1,3]';

const VERIFIED_STATUS = 2;
const FOREVER = 2 ** 32 - 1;
const REGISTERED_DAYS_AGO = 300;

/** Returns the rating of the address-keyed route: the same model, without flag and override. */
export function legacyRating({ history }: DevnetLegacyMachine): ExpectedRating {
  return history.rating;
}

/** Returns the registration calls and the events, each with its days before the seeding. */
export function planLegacyMachines(deployment: Deployment, now: number): { daysAgo: number; call: Call }[] {
  const registration = [
    ...DEVNET_LEGACY_MACHINES.flatMap((machine) => register(deployment, machine)),
    contractCall(deployment, 'legacyDidStore', OPERATOR.address, 'setAttribute', [
      ...[OPERATOR.address, stringToHex('machines'), stringToHex(CLAIMED_MACHINES), FOREVER],
    ]),
  ];
  const events = DEVNET_LEGACY_MACHINES.flatMap(({ id, machine, history }) =>
    history.events.map((event) => {
      const timestamp = eventTimestamp(now, event);
      const input = { ...event, from: machine.address, machineId: id, timestamp };
      return { daysAgo: event.daysAgo, call: submitEvent(deployment, input, 'legacyEventRegistry') };
    }),
  );
  return [...registration.map((call) => ({ daysAgo: REGISTERED_DAYS_AGO, call })), ...events];
}

function register(deployment: Deployment, { id, machine, operator }: DevnetLegacyMachine): Call[] {
  const registry = 'legacyIdentityRegistry';
  const nameId = stringToHex('machineId');
  return [
    adminCall(deployment, registry, 'registerMachine', [machine.address, operator.address]),
    adminCall(deployment, registry, 'setMachineStatus', [id, VERIFIED_STATUS]),
    adminCall(deployment, 'legacyStaking', 'setStaked', [id, true]),
    contractCall(deployment, 'legacyDidStore', machine.address, 'setAttribute', [
      ...[machine.address, nameId, stringToHex(String(id)), FOREVER],
    ]),
  ];
}
