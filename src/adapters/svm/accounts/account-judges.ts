/** How are the accounts of the vectors judged? Test support: every type of account with the program and the subject it is read for. */
import { parseAltKey } from '../../../domain/alt-identifiers.ts';
import type { Reading } from '../../../domain/machine-facts.ts';
import { judgeAccount } from '../account-verdict.ts';
import type { RawAccount } from '../rpc-account.ts';
import {
  bindingsFile,
  programOf,
  singletonCases,
  toId,
  toReading,
  vectorMachines,
  vectorPrograms,
  type MachineAccountName,
} from '../svm-vectors.ts';
import { configLayout } from './config.ts';
import { eventRegistryLayout } from './event-registry.ts';
import { machineEventLogLayout } from './machine-event-log.ts';
import { machineStateLayout } from './machine-state.ts';
import { machineLayout } from './machine.ts';
import { createOperatorBindingLayout, OPERATOR_BINDING_DISCRIMINATOR } from './operator-binding.ts';
import { registryLayout } from './registry.ts';
import { subscriptionTerminalLayout } from './subscription-terminal.ts';
import { technicalPauseLayout } from './technical-pause.ts';

const { machineRegistry, stateAndSync, subscriptionTerminal, eventRegistry } = vectorPrograms;
const infoDesk = programOf('info_desk');
const addressBinding = programOf('address_binding');
const bindingLayout = createOperatorBindingLayout(OPERATOR_BINDING_DISCRIMINATOR);

/** How each type of a machine's accounts is read. */
export const MACHINE_ACCOUNTS = {
  machine: (account, subject) => judgeAccount(account, machineLayout, { program: machineRegistry, subject }),
  machineState: (account, subject) => judgeAccount(account, machineStateLayout, { program: stateAndSync, subject }),
  subscriptionTerminal: (account, subject) =>
    judgeAccount(account, subscriptionTerminalLayout, { program: subscriptionTerminal, subject }),
  machineEventLog: (account, subject) =>
    judgeAccount(account, machineEventLogLayout, { program: eventRegistry, subject }),
} as const satisfies Record<MachineAccountName, (account: Reading<RawAccount>, subject: bigint) => Reading<unknown>>;

const SINGLETONS: Record<string, (account: Reading<RawAccount>) => Reading<unknown>> = {
  registry: (account) => judgeAccount(account, registryLayout, { program: machineRegistry, subject: undefined }),
  config: (account) => judgeAccount(account, configLayout, { program: stateAndSync, subject: undefined }),
  'event root': (account) => judgeAccount(account, eventRegistryLayout, { program: eventRegistry, subject: undefined }),
  'upgrade lock': (account) => judgeAccount(account, technicalPauseLayout, { program: infoDesk, subject: undefined }),
};

export function judgeSingleton(name: string, account: Reading<RawAccount>): Reading<unknown> {
  const prefix = Object.keys(SINGLETONS).find((known) => name.startsWith(known))!;
  return SINGLETONS[prefix]!(account);
}

export function judgeBinding(account: Reading<RawAccount>, wallet: string) {
  return judgeAccount(account, bindingLayout, { program: addressBinding, subject: parseAltKey(wallet)! });
}

export interface SoundAccount {
  readonly name: string;
  readonly account: RawAccount;
  readonly judge: (account: Reading<RawAccount>) => Reading<unknown>;
}

export function listSoundAccounts(): SoundAccount[] {
  const ofMachines = vectorMachines.flatMap(({ name, machineId, accounts }) =>
    (Object.keys(MACHINE_ACCOUNTS) as MachineAccountName[]).map((type) => ({
      name: `${type} of ${name}`,
      account: toReading(accounts[type]),
      judge: (account: Reading<RawAccount>) => MACHINE_ACCOUNTS[type](account, toId(machineId)),
    })),
  );
  const ofSingletons = singletonCases.map(({ name, account: vector }) => ({
    name,
    account: toReading(vector),
    judge: (account: Reading<RawAccount>) => judgeSingleton(name, account),
  }));
  const ofBindings = bindingsFile.cases
    .filter(({ outcome }) => outcome === 'bound' || outcome === 'binding_revoked')
    .map(({ name, account: vector, solanaAddr }) => ({
      name: `binding ${name}`,
      account: toReading(vector),
      judge: (account: Reading<RawAccount>) => judgeBinding(account, solanaAddr),
    }));
  return [...ofMachines, ...ofSingletons, ...ofBindings].flatMap(({ name, account, judge }) =>
    account.state === 'present' ? [{ name, account: account.value, judge }] : [],
  );
}

export const UNDECODABLE = { state: 'unreadable', cause: 'undecodable' };

export function present<T>(value: T): Reading<T> {
  return { state: 'present', value };
}

export function toExpected<T>(value: T | null): Reading<T> {
  return value === null ? { state: 'absent' } : present(value);
}
