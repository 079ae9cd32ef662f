/**
 * Program-derived addresses of the accounts that the service reads (chain-svm 2).
 * The seed of a machine is its id as 32 big-endian bytes. A shorter or reversed id gives a valid address without an account, and
 * so a false absence.
 */
import { numberToBytesBE } from '@noble/curves/utils.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { altKeyBytes, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import { setBounded } from '../../../domain/bounded-map.ts';
import { deriveProgramAddress } from './program-address.ts';

export interface AltPrograms {
  readonly machineRegistry: AltKey;
  readonly stateAndSync: AltKey;
  readonly subscriptionTerminal: AltKey;
  readonly eventRegistry: AltKey;
}

export interface MachineAddresses {
  readonly machine: AltKey;
  readonly machineState: AltKey;
  readonly subscriptionTerminal: AltKey;
  readonly machineEventLog: AltKey;
}

export interface SingletonAddresses {
  readonly registry: AltKey;
  readonly config: AltKey;
  readonly eventRegistry: AltKey;
}

const SEED = {
  machine: utf8ToBytes('Machine'),
  machineState: utf8ToBytes('MachineState'),
  subscriptionTerminal: utf8ToBytes('SubscriptionTerminal'),
  machineEventLog: utf8ToBytes('MachineEventLog'),
  registry: utf8ToBytes('MachineRegistry'),
  config: utf8ToBytes('StateAndSync'),
  eventRegistry: utf8ToBytes('EventRegistry'),
};

/** Returns the seeds of a machine's own account. */
export function machineSeeds(id: bigint): readonly Uint8Array[] {
  return [SEED.machine, toWord(id)];
}

export function deriveMachineAddresses(programs: AltPrograms, id: bigint): MachineAddresses {
  const word = toWord(id);
  return {
    machine: deriveProgramAddress(programs.machineRegistry, [SEED.machine, word]).address,
    machineState: deriveProgramAddress(programs.stateAndSync, [SEED.machineState, word]).address,
    subscriptionTerminal: deriveProgramAddress(programs.subscriptionTerminal, [SEED.subscriptionTerminal, word])
      .address,
    machineEventLog: deriveEventLogAddress(programs.eventRegistry, id),
  };
}

export function deriveEventLogAddress(eventRegistry: AltKey, id: bigint): AltKey {
  return deriveProgramAddress(eventRegistry, [SEED.machineEventLog, toWord(id)]).address;
}

export function deriveSingletonAddresses(programs: AltPrograms): SingletonAddresses {
  return {
    registry: deriveProgramAddress(programs.machineRegistry, [SEED.registry]).address,
    config: deriveProgramAddress(programs.stateAndSync, [SEED.config]).address,
    eventRegistry: deriveProgramAddress(programs.eventRegistry, [SEED.eventRegistry]).address,
  };
}

/** Derives the address of a wallet's binding. `seedPrefix` is configuration: at most 32 ASCII characters. */
export function deriveOperatorBindingAddress(program: AltKey, seedPrefix: string, wallet: AltKey): AltKey {
  return deriveProgramAddress(program, [utf8ToBytes(seedPrefix), altKeyBytes(wallet)]).address;
}

/** Memoizes `derive` in an LRU cache of `maxEntries` ids. A derivation decompresses curve points and takes up to a millisecond. */
export function memoizeById<T>(derive: (id: MachineId) => T, maxEntries: number): (id: MachineId) => T {
  const entries = new Map<MachineId, T>();
  return (id) => {
    const value = entries.get(id) ?? derive(id);
    setBounded(entries, id, value, maxEntries);
    return value;
  };
}

function toWord(id: bigint): Uint8Array {
  return numberToBytesBE(id, 32);
}
