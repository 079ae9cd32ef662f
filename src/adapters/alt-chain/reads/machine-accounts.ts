/**
 * Accounts of machines read in one `getMultipleAccounts` at one slot (chain-svm 5): four accounts per machine, then the two
 * singletons that identify the deployment.
 */
import { judgeAltDeployment, type AltDeployment } from '../../../domain/alt-chain/alt-deployment.ts';
import type { AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { AltMachineSnapshot } from '../../../domain/alt-chain/alt-machine-facts.ts';
import { chainUnreadable } from '../../../domain/faults.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { ReadResult } from '../../../domain/read-result.ts';
import type { AltPrograms, MachineAddresses, SingletonAddresses } from '../accounts/account-addresses.ts';
import { decodeAccount } from '../accounts/account-decoder.ts';
import { configLayout } from '../accounts/config.ts';
import { machineEventLogLayout } from '../accounts/machine-event-log.ts';
import { machineStateLayout } from '../accounts/machine-state.ts';
import { machineLayout } from '../accounts/machine.ts';
import { registryLayout } from '../accounts/registry.ts';
import { subscriptionTerminalLayout } from '../accounts/subscription-terminal.ts';
import type { RawAccount, RawAccounts } from '../rpc/rpc-account.ts';

const ACCOUNTS_PER_MACHINE = 4;
const SINGLETONS = 2;

/** Returns the number of machines of one read: those that one call holds, because the calls of a larger one would fail together. */
export function countMachinesPerRead(accountsPerCall: number): number {
  return Math.max(1, Math.floor((accountsPerCall - SINGLETONS) / ACCOUNTS_PER_MACHINE));
}

/** Returns the number of calls for one machine. */
export function countCallsPerMachine(accountsPerCall: number): number {
  return Math.ceil((ACCOUNTS_PER_MACHINE + SINGLETONS) / accountsPerCall);
}

/** Decoded accounts of one call. Use `machines` only if `deployment` is present. */
export interface MachineAccountsRead {
  readonly deployment: ReadResult<AltDeployment>;
  /** In the order of the requested ids. */
  readonly machines: readonly AltMachineSnapshot[];
}

/** Lists the keys of one call, in the order that `toMachineAccounts` expects. */
export function listMachineAccountKeys(
  machines: readonly MachineAddresses[],
  singletons: SingletonAddresses,
): readonly AltKey[] {
  return [
    ...machines.flatMap((addresses) => [
      addresses.machine,
      addresses.machineState,
      addresses.subscriptionTerminal,
      addresses.machineEventLog,
    ]),
    singletons.config,
    singletons.registry,
  ];
}

/** Decodes the accounts of the call. */
export function toMachineAccounts(
  { slot, accounts }: RawAccounts,
  ids: readonly MachineId[],
  programs: AltPrograms,
  ordinal: number,
): MachineAccountsRead {
  const [config, registry] = accounts.slice(-SINGLETONS) as [ReadResult<RawAccount>, ReadResult<RawAccount>];
  const subject = undefined;
  return {
    deployment: judgeAltDeployment(
      decodeAccount(registry, registryLayout, { program: programs.machineRegistry, subject }),
      decodeAccount(config, configLayout, { program: programs.stateAndSync, subject }),
      { ordinal, registryProgram: programs.machineRegistry },
    ),
    machines: ids.map((id, k) => {
      const own = accounts.slice(k * ACCOUNTS_PER_MACHINE, (k + 1) * ACCOUNTS_PER_MACHINE);
      return toSnapshot(id, slot, own as MachineReadings, programs);
    }),
  };
}

/** Returns the deployment's facts. Throws `ChainUnreadable` when it is not the configured deployment. */
export function unwrapDeployment({ deployment }: MachineAccountsRead): AltDeployment {
  if (deployment.state === 'present') return deployment.value;
  throw chainUnreadable('alt', deployment.state === 'unreadable' ? deployment.cause : 'wrong-deployment');
}

type MachineReadings = [
  machine: ReadResult<RawAccount>,
  machineState: ReadResult<RawAccount>,
  subscriptionTerminal: ReadResult<RawAccount>,
  machineEventLog: ReadResult<RawAccount>,
];

function toSnapshot(
  id: MachineId,
  slot: number,
  [machine, machineState, subscriptionTerminal, machineEventLog]: MachineReadings,
  programs: AltPrograms,
): AltMachineSnapshot {
  const of = (program: AltKey) => ({ program, subject: id });
  return {
    id,
    slot,
    machine: decodeAccount(machine, machineLayout, of(programs.machineRegistry)),
    pauseFlags: decodeAccount(machineState, machineStateLayout, of(programs.stateAndSync)),
    subscription: decodeAccount(subscriptionTerminal, subscriptionTerminalLayout, of(programs.subscriptionTerminal)),
    eventLog: decodeAccount(machineEventLog, machineEventLogLayout, of(programs.eventRegistry)),
  };
}
