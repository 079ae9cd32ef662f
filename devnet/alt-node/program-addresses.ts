/** Program-derived addresses of the local alt chain's accounts (chain-svm 2), derived by the SDK and not by the code of the service. */
import { address, getProgramDerivedAddress } from '@solana/kit';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { toWord } from './borsh-writer.ts';
import { ALT_PROGRAMS } from './installed-programs.ts';

export interface ProgramAddress {
  readonly address: AltKey;
  readonly bump: number;
}

/** The four accounts of a machine. */
export interface MachineAddresses {
  readonly machine: ProgramAddress;
  readonly machineState: ProgramAddress;
  readonly subscriptionTerminal: ProgramAddress;
  readonly machineEventLog: ProgramAddress;
}

export interface SingletonAddresses {
  readonly registry: ProgramAddress;
  readonly config: ProgramAddress;
  readonly eventRegistry: ProgramAddress;
}

const { machineRegistry, stateAndSync, subscription, eventRegistry } = ALT_PROGRAMS;
const machines = new Map<bigint, Promise<MachineAddresses>>();
let singletons: Promise<SingletonAddresses> | undefined;

/** Returns the addresses of a machine. They are cached, because each derivation needs several curve checks. */
export async function machineAddresses(machineId: bigint): Promise<MachineAddresses> {
  let addresses = machines.get(machineId);
  if (addresses === undefined) {
    addresses = deriveMachineAddresses(toWord(machineId));
    machines.set(machineId, addresses);
  }
  return addresses;
}

export async function singletonAddresses(): Promise<SingletonAddresses> {
  return (singletons ??= deriveSingletonAddresses());
}

/** Derives an address. A seed is ASCII text or bytes. */
export async function deriveAddress(program: AltKey, seeds: readonly (string | Uint8Array)[]): Promise<ProgramAddress> {
  const [derived, bump] = await getProgramDerivedAddress({ programAddress: address(program), seeds: [...seeds] });
  return { address: derived as string as AltKey, bump };
}

async function deriveMachineAddresses(word: Uint8Array): Promise<MachineAddresses> {
  const [machine, machineState, subscriptionTerminal, machineEventLog] = await Promise.all([
    deriveAddress(machineRegistry, ['Machine', word]),
    deriveAddress(stateAndSync, ['MachineState', word]),
    deriveAddress(subscription, ['SubscriptionTerminal', word]),
    deriveAddress(eventRegistry, ['MachineEventLog', word]),
  ]);
  return { machine, machineState, subscriptionTerminal, machineEventLog };
}

async function deriveSingletonAddresses(): Promise<SingletonAddresses> {
  const [registry, config, events] = await Promise.all([
    deriveAddress(machineRegistry, ['MachineRegistry']),
    deriveAddress(stateAndSync, ['StateAndSync']),
    deriveAddress(eventRegistry, ['EventRegistry']),
  ]);
  return { registry, config, eventRegistry: events };
}
