/** Accounts of the virtual alt chain at a slot. Rows are encoded once for each state of a machine. */
import { encodeConfig, encodeMachine, encodeRegistry } from '../../devnet/alt-chain/accounts.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { ADMIN, addressesOf, ALT_ORDINAL, PROGRAMS, SINGLETONS, SYSTEM_PROGRAM } from './deployment.ts';
import { countMachines, MACHINE_TYPE, type AltMachine, type AltWorld } from './machine-state.ts';
import { encodeEventLog } from './records.ts';

export interface SimAccount {
  readonly owner: AltKey;
  readonly data: Uint8Array;
}

interface AccountRow {
  readonly address: AltKey;
  readonly account: SimAccount;
}

interface MachineRows {
  readonly machine: AccountRow | undefined;
  readonly eventLog: AccountRow | undefined;
}

const ofMachines = new WeakMap<AltMachine, MachineRows>();
const ofWorlds = new WeakMap<AltWorld, ReadonlyMap<string, SimAccount>>();
const PREFUNDED: SimAccount = { owner: SYSTEM_PROGRAM, data: new Uint8Array() };

/** Returns the accounts of a world by address. */
export function accountsOf(world: AltWorld): ReadonlyMap<string, SimAccount> {
  let accounts = ofWorlds.get(world);
  if (accounts === undefined) {
    accounts = new Map(listAccounts(world));
    ofWorlds.set(world, accounts);
  }
  return accounts;
}

export function listMachineRows(world: AltWorld): AccountRow[] {
  return [...world.machines.values()].flatMap((machine) => rowsOf(machine).machine ?? []);
}

export function listEventLogRows(world: AltWorld): AccountRow[] {
  return [...world.machines.values()].flatMap((machine) => rowsOf(machine).eventLog ?? []);
}

function* listAccounts(world: AltWorld): Generator<[string, SimAccount]> {
  for (const machine of world.machines.values()) {
    const { machine: own, eventLog } = rowsOf(machine);
    const addresses = addressesOf(machine.id);
    if (own !== undefined) yield [own.address, own.account];
    else if (machine.isPrefunded) yield [addresses.machine.address, PREFUNDED];
    if (eventLog !== undefined) yield [eventLog.address, eventLog.account];
    else if (machine.isPrefunded) yield [addresses.eventLog.address, PREFUNDED];
    if (machine.isPrefunded) yield [addresses.machineState.address, PREFUNDED];
  }
  const admins = { admin: ADMIN, lifecycleAuthority: ADMIN, adapterStore: ADMIN };
  yield [
    SINGLETONS.registry.address,
    {
      owner: PROGRAMS.machineRegistry,
      data: encodeRegistry({
        ...admins,
        localOrdinal: ALT_ORDINAL,
        machineCount: BigInt(countMachines(world)),
        bump: SINGLETONS.registry.bump,
      }),
    },
  ];
  yield [
    SINGLETONS.config.address,
    {
      owner: PROGRAMS.stateAndSync,
      data: encodeConfig({
        ...admins,
        registryProgram: PROGRAMS.machineRegistry,
        localOrdinal: ALT_ORDINAL,
        generalPausedGlobal: false,
        technicalPausedGlobal: false,
        bump: SINGLETONS.config.bump,
      }),
    },
  ];
}

function rowsOf(machine: AltMachine): MachineRows {
  let rows = ofMachines.get(machine);
  if (rows === undefined) {
    rows = toRows(machine);
    ofMachines.set(machine, rows);
  }
  return rows;
}

function toRows({ id, account, log }: AltMachine): MachineRows {
  const { machine, eventLog } = addressesOf(id);
  return {
    machine: account && {
      address: machine.address,
      account: {
        owner: PROGRAMS.machineRegistry,
        data: encodeMachine(
          { machineId: id, bump: machine.bump },
          {
            owner: account.owner,
            controller: account.controller,
            manufacturer: undefined,
            relocating: account.relocating,
            onboardedAt: 0n,
            operator: account.operator,
            machineType: MACHINE_TYPE,
            credentialSubject: '0x',
            verificationMethods: [],
            authentication: [],
            serviceEndpoints: account.endpoints.map(({ id: name, type, url }) => ({
              id: name,
              serviceType: type,
              serviceEndpoint: url,
            })),
          },
        ),
      },
    },
    eventLog: log && {
      address: eventLog.address,
      account: { owner: PROGRAMS.eventRegistry, data: encodeEventLog(id, log) },
    },
  };
}
