/** One call for all machines of the vectors, and answers that are none to it. */
import { describe, expect, it } from 'vitest';
import { deriveMachineAddresses, deriveSingletonAddresses } from '../accounts/account-addresses.ts';
import { listMachineAccountKeys, MAX_MACHINES_PER_READ, readMachineAccounts } from './machine-accounts.ts';
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

describe('one call', () => {
  it('asks for four accounts of each machine, then for the singletons', () => {
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
      config!.address,
      registry!.address,
    ]);
    expect(MAX_MACHINES_PER_READ * 4 + 2).toBeLessThanOrEqual(100);
  });

  it('says of each machine what its accounts say', () => {
    const read = readMachineAccounts(answer(), ids, vectorPrograms, ORDINAL)!;
    expect(read.slot).toBe(400);
    expect(read.deployment).toStrictEqual({
      state: 'present',
      value: { machineCount: 7n, generalPausedGlobal: false, technicalPausedGlobal: false },
    });
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

  it('does not believe one machine’s accounts for another', () => {
    const read = readMachineAccounts(answer(), [...ids].reverse(), vectorPrograms, ORDINAL)!;
    expect(read.machines[0]!.machine).toStrictEqual({ state: 'unreadable', cause: 'contradiction' });
  });

  it('does not let a malformed account stand for the others', () => {
    const sent = answer();
    sent.value[1] = { lamports: 1 };
    const read = readMachineAccounts(sent, ids, vectorPrograms, ORDINAL)!;
    expect(read.machines[0]!.pauseFlags).toStrictEqual({ state: 'unreadable', cause: 'malformed' });
    expect(read.machines[0]!.machine.state).toBe('present');
  });
});

describe('another deployment', () => {
  it.each<[name: string, singletons: [VectorAccount | null, VectorAccount | null], cause: string]>([
    ['without a registry', [config, null], 'wrong-chain'],
    ['without a config', [null, registry], 'wrong-chain'],
    ['with the registry of another chain', [config, singletonOf('registry of another chain')], 'wrong-chain'],
    ['with the accounts exchanged', [registry, config], 'undecodable'],
  ])('%s', (_name, singletons, cause) => {
    const read = readMachineAccounts(answer(singletons), ids, vectorPrograms, ORDINAL)!;
    expect(read.deployment).toStrictEqual({ state: 'unreadable', cause });
  });

  it('of another ordinal', () => {
    const read = readMachineAccounts(answer(), ids, vectorPrograms, 6)!;
    expect(read.deployment).toStrictEqual({ state: 'unreadable', cause: 'wrong-chain' });
  });
});

describe('an answer to another question', () => {
  it.each<[name: string, result: unknown]>([
    ['nothing', null],
    ['no context', { value: answer().value }],
    ['no slot', { ...answer(), context: {} }],
    ['a slot that is none', { ...answer(), context: { slot: 0.5 } }],
    ['an account less', { ...answer(), value: answer().value.slice(1) }],
    ['an account more', { ...answer(), value: [...answer().value, null] }],
  ])('%s', (_name, result) => {
    expect(readMachineAccounts(result, ids, vectorPrograms, ORDINAL)).toBeUndefined();
  });
});

function answer(singletons: [VectorAccount | null, VectorAccount | null] = [config, registry]) {
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
