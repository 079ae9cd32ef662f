/** What is true of the virtual alt chain at one slot? Values never change, a later slot has new ones. */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { Address } from '../../src/domain/identifiers/identifiers.ts';
import type { Endpoint, SimEvent } from '../chain/machine-state.ts';

/** An event, its block's time being that of the slot. */
export interface AltSimEvent extends SimEvent {
  /** No two events have the same. */
  readonly dataHash: string;
}

/** The machine's own account: the token. */
export interface AltAccount {
  readonly owner: AltKey;
  readonly controller: AltKey | undefined;
  readonly operator: Address | undefined;
  readonly relocating: boolean;
  readonly endpoints: readonly Endpoint[];
}

export interface AltLog {
  readonly prior: number;
  readonly events: readonly AltSimEvent[];
  /** What an earlier, longer record left behind the newest one. */
  readonly garbage: number;
}

export interface AltMachine {
  readonly id: bigint;
  readonly account: AltAccount | undefined;
  readonly log: AltLog | undefined;
  /** Somebody sent lamports to the addresses at which nothing is. */
  readonly isPrefunded: boolean;
}

export interface AltWorld {
  readonly machines: ReadonlyMap<bigint, AltMachine>;
}

export const EMPTY_ALT_WORLD: AltWorld = { machines: new Map() };
export const NO_LOG: AltLog = { prior: 0, events: [], garbage: 0 };
export const MACHINE_TYPE = 'Sensor';

export function altMachineOf(world: AltWorld, id: bigint): AltMachine {
  return world.machines.get(id) ?? { id, account: undefined, log: undefined, isPrefunded: false };
}

/** Machines of an operator, ascending. */
export function listOperated(world: AltWorld, operator: string): bigint[] {
  const operated = [...world.machines.values()].filter(({ account }) => account?.operator === operator);
  return operated.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
}

export function countMachines({ machines }: AltWorld): number {
  return [...machines.values()].filter(({ account }) => account !== undefined).length;
}
