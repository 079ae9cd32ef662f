/** Programs of the local alt chain and their addresses. */
import { createHash } from 'node:crypto';
import { formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { Chain } from './chain.ts';
import { readProgram } from './program/programs.ts';
import type { ProgramName } from './program/programs.ts';

/** Program addresses, the same in every devnet. Each program is executable and owned by the upgradeable loader. */
export interface AltNodePrograms {
  readonly machineRegistry: AltKey;
  readonly stateAndSync: AltKey;
  readonly subscription: AltKey;
  readonly eventRegistry: AltKey;
  readonly infoDesk: AltKey;
  readonly binding: AltKey;
  /** Test program that forwards an instruction to another program, or fills the log. */
  readonly caller: AltKey;
}

export const ALT_PROGRAMS: AltNodePrograms = {
  machineRegistry: programKey('machine registry'),
  stateAndSync: programKey('state and sync'),
  subscription: programKey('subscription terminal'),
  eventRegistry: programKey('event registry'),
  infoDesk: programKey('info desk'),
  binding: programKey('address binding'),
  caller: programKey('caller'),
};

/** Accounts of the other programs are written directly, so a stub that rejects every call replaces these programs. */
const BYTES_OF: Readonly<Record<keyof AltNodePrograms, ProgramName>> = {
  machineRegistry: 'stand-in',
  stateAndSync: 'stand-in',
  subscription: 'stand-in',
  eventRegistry: 'event-registry',
  infoDesk: 'stand-in',
  binding: 'stand-in',
  caller: 'caller',
};

export function installPrograms(chain: Chain): void {
  for (const [role, address] of Object.entries(ALT_PROGRAMS) as [keyof AltNodePrograms, AltKey][]) {
    chain.addProgram(address, readProgram(BYTES_OF[role]));
  }
}

function programKey(name: string): AltKey {
  return formatAltKey(new Uint8Array(createHash('sha256').update(`devnet program ${name}`).digest()));
}
