/** Deployment of the virtual alt chain: its programs, derived addresses and cluster identity. */
import { deriveProgramAddress } from '../../src/adapters/alt-chain/accounts/program-address.ts';
import { formatAltKey, type AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { toWord } from '../../devnet/alt-node/borsh-writer.ts';

const keyOf = (byte: number): AltKey => formatAltKey(new Uint8Array(32).fill(byte));

/** Protocol ordinal by which the main chain names this chain as a home. */
export const ALT_ORDINAL = 5;
export const GENESIS_HASH = keyOf(0xa0);
export const FOREIGN_GENESIS_HASH = keyOf(0xa1);
/** First slot of the chain; no event is older. */
export const FIRST_SLOT = 1_000;
export const SLOT_MILLISECONDS = 400;

export const PROGRAMS = {
  machineRegistry: keyOf(1),
  stateAndSync: keyOf(2),
  subscription: keyOf(3),
  eventRegistry: keyOf(4),
  infoDesk: undefined,
};
/** Program that forwards instructions (CPI) and writes arbitrary log lines. */
export const CALLER_PROGRAM = keyOf(6);
export const SYSTEM_PROGRAM = formatAltKey(new Uint8Array(32));
export const ADMIN = keyOf(7);

export const WALLETS: readonly AltKey[] = [keyOf(11), keyOf(12), keyOf(13)];

interface ProgramAddress {
  readonly address: AltKey;
  readonly bump: number;
}

export interface MachineAddresses {
  readonly machine: ProgramAddress;
  readonly machineState: ProgramAddress;
  readonly subscriptionTerminal: ProgramAddress;
  readonly eventLog: ProgramAddress;
}

const derive = (program: AltKey, name: string, word?: Uint8Array) =>
  deriveProgramAddress(program, [Buffer.from(name, 'utf8'), ...(word === undefined ? [] : [word])]);

export const SINGLETONS = {
  registry: derive(PROGRAMS.machineRegistry, 'MachineRegistry'),
  config: derive(PROGRAMS.stateAndSync, 'StateAndSync'),
  eventRegistry: derive(PROGRAMS.eventRegistry, 'EventRegistry'),
};

const known = new Map<bigint, MachineAddresses>();

/** Returns the derived addresses of a machine. Cached, because a derivation takes several curve checks. */
export function addressesOf(id: bigint): MachineAddresses {
  let addresses = known.get(id);
  if (addresses === undefined) {
    const word = toWord(id);
    addresses = {
      machine: derive(PROGRAMS.machineRegistry, 'Machine', word),
      machineState: derive(PROGRAMS.stateAndSync, 'MachineState', word),
      subscriptionTerminal: derive(PROGRAMS.subscription, 'SubscriptionTerminal', word),
      eventLog: derive(PROGRAMS.eventRegistry, 'MachineEventLog', word),
    };
    known.set(id, addresses);
  }
  return addresses;
}
