/**
 * Where are the accounts that the service reads? (chain-svm 2.)
 * The seed of a machine is its id as 32 bytes, big-endian: a shorter or a reversed id leads to a valid address where nothing
 * is, that is, to a false absence.
 */
import { numberToBytesBE } from '@noble/curves/utils.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { altKeyBytes, type AltKey } from '../../../domain/identifiers/alt-identifiers.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
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
  technicalPause: utf8ToBytes('TechnicalPause'),
};

/** The seeds of a machine's own account. */
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

export function deriveTechnicalPauseAddress(infoDesk: AltKey): AltKey {
  return deriveProgramAddress(infoDesk, [SEED.technicalPause]).address;
}

/** `seedPrefix`: at most 32 ASCII characters; configuration. */
export function deriveOperatorBindingAddress(program: AltKey, seedPrefix: string, wallet: AltKey): AltKey {
  return deriveProgramAddress(program, [utf8ToBytes(seedPrefix), altKeyBytes(wallet)]).address;
}

/** Remembers what was derived for the `keep` ids asked for last: every derivation looks at the curve, which costs up to a millisecond. */
export function rememberById<T>(derive: (id: MachineId) => T, keep: number): (id: MachineId) => T {
  const known = new Map<MachineId, T>();
  return (id) => {
    const value = known.get(id) ?? derive(id);
    known.delete(id); // the order of insertion is the order of use
    known.set(id, value);
    if (known.size > keep) known.delete(known.keys().next().value!);
    return value;
  };
}

function toWord(id: bigint): Uint8Array {
  return numberToBytesBE(id, 32);
}
