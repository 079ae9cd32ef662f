/** Tests decoding of one call for all machines of the vectors, and rejection of mismatched responses. */
import { describe, expect, it } from 'vitest';
import { deriveMachineAddresses, deriveSingletonAddresses } from '../accounts/account-addresses.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { present, unreadable } from '../../../domain/read-result.ts';
import { parseRpcAccounts } from '../rpc/rpc-account.ts';
import {
  countCallsPerMachine,
  countMachinesPerRead,
  listMachineAccountKeys,
  toMachineAccounts,
  type MachineAccountsRead,
} from './machine-accounts.ts';
import {
  programsFile,
  singletonCases,
  toId,
  toRpcAccount,
  vectorMachines,
  vectorPrograms,
  type VectorAccount,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';

const ORDINAL = programsFile.protocolChainId;
const ids = vectorMachines.map(({ machineId }) => toId(machineId));
const registry = singletonOf('registry');
const config = singletonOf('config');

/** Reads the result of one call; undefined if it is not a response for these machines. */
function readResult(
  result: unknown,
  machines: readonly MachineId[] = ids,
  ordinal = ORDINAL,
): MachineAccountsRead | undefined {
  const accounts = parseRpcAccounts(result, machines.length * 4 + 2);
  return accounts && toMachineAccounts(accounts, machines, vectorPrograms, ordinal);
}

describe('one call', () => {
  it('requests four accounts of each machine, then the singletons', () => {
    const keys = listMachineAccountKeys(
      ids.map((id) => deriveMachineAddresses(vectorPrograms, id)),
      deriveSingletonAddresses(vectorPrograms),
    );
    expect(keys).toStrictEqual([
      ...vectorMachines.flatMap(({ pdas }) => [
        pdas.machine.address,
        pdas.machineState.address,
        pdas.subscriptionTerminal.address,
        pdas.machineEventLog.address,
      ]),
      config.address,
      registry.address,
    ]);
  });

  it.each([
    [100, 24, 1],
    [98, 24, 1],
    [97, 23, 1],
    [10, 2, 1],
    [6, 1, 1],
    [5, 1, 2],
    [2, 1, 3],
    [1, 1, 6],
  ])(
    'where a call holds %i accounts, reads %i machines together, each in at most %i calls',
    (accounts, machines, calls) => {
      expect(countMachinesPerRead(accounts)).toBe(machines);
      expect(countCallsPerMachine(accounts)).toBe(calls);
    },
  );

  it('decodes the accounts of each machine', () => {
    const read = readResult(responseWith())!;
    expect(read.deployment).toStrictEqual(
      present({ machineCount: 7n, generalPausedGlobal: false, technicalPausedGlobal: false }),
    );
    expect(
      read.machines.map(({ id, slot, machine, pauseFlags, subscription, eventLog }) => [
        id,
        slot,
        ...[machine, pauseFlags, subscription, eventLog].map(({ state }) => state),
      ]),
    ).toStrictEqual(
      vectorMachines.map(({ machineId, accounts }) => [
        BigInt(machineId),
        400,
        ...[accounts.machine, accounts.machineState, accounts.subscriptionTerminal, accounts.machineEventLog].map(
          (account) => (account === null ? 'absent' : 'present'),
        ),
      ]),
    );
  });

  it('rejects the accounts of another machine', () => {
    const read = readResult(responseWith(), [...ids].reverse())!;
    expect(read.machines[0]!.machine).toStrictEqual(unreadable('contradiction'));
  });

  it('limits a malformed account to its own reading', () => {
    const sent = responseWith();
    sent.value[1] = { lamports: 1 };
    const read = readResult(sent)!;
    expect(read.machines[0]!.pauseFlags).toStrictEqual(unreadable('malformed'));
    expect(read.machines[0]!.machine.state).toBe('present');
  });
});

describe('a mismatched deployment', () => {
  it.each<[name: string, singletons: [VectorAccount | null, VectorAccount | null], cause: string]>([
    ['without a registry', [config, null], 'wrong-deployment'],
    ['without a config', [null, registry], 'wrong-deployment'],
    ['with the registry of another chain', [config, singletonOf('registry of another chain')], 'wrong-deployment'],
    ['with the accounts swapped', [registry, config], 'undecodable'],
  ])('is unreadable %s', (_name, singletons, cause) => {
    const read = readResult(responseWith(singletons))!;
    expect(read.deployment).toStrictEqual({ state: 'unreadable', cause });
  });

  it('is unreadable with another ordinal', () => {
    const read = readResult(responseWith(), ids, 6)!;
    expect(read.deployment).toStrictEqual(unreadable('wrong-deployment'));
  });
});

describe('a mismatched response', () => {
  it.each<[name: string, result: unknown]>([
    ['null', null],
    ['no context', { value: responseWith().value }],
    ['no slot', { ...responseWith(), context: {} }],
    ['an invalid slot', { ...responseWith(), context: { slot: 0.5 } }],
    ['one account missing', { ...responseWith(), value: responseWith().value.slice(1) }],
    ['one extra account', { ...responseWith(), value: [...responseWith().value, null] }],
  ])('is rejected: %s', (_name, result) => {
    expect(readResult(result)).toBeUndefined();
  });
});

function responseWith(singletons: [VectorAccount | null, VectorAccount | null] = [config, registry]) {
  const ofMachines = vectorMachines.flatMap(({ accounts }) => [
    accounts.machine,
    accounts.machineState,
    accounts.subscriptionTerminal,
    accounts.machineEventLog,
  ]);
  return { context: { slot: 400 }, value: [...ofMachines, ...singletons].map(toRpcAccount) };
}

function singletonOf(name: string): VectorAccount {
  return singletonCases.find((item) => item.name === name)!.account;
}
