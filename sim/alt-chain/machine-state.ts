/** State of the virtual alt chain at one slot. Values are immutable; a later slot has new ones. */
import type { AltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import type { Address } from '../../src/domain/identifiers/identifiers.ts';
import type { Endpoint, SimEvent } from '../chain/machine-state.ts';

/** An event; its block time is that of the slot. */
export interface AltSimEvent extends SimEvent {
  /** Unique among all events. */
  readonly dataHash: string;
  /** Slot, and order in the slot. */
  readonly place: readonly [slot: number, order: number];
}

/** Token account of a machine. */
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
  /** Byte that fills the account behind the newest record, left by an earlier, longer one. */
  readonly garbage: number;
}

export interface AltMachine {
  readonly id: bigint;
  readonly account: AltAccount | undefined;
  readonly log: AltLog | undefined;
  /** Whether the empty addresses of the machine hold lamports. */
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

/** Returns the machines of an operator, ascending. */
export function listOperated(world: AltWorld, operator: string): bigint[] {
  const operated = [...world.machines.values()].filter(({ account }) => account?.operator === operator);
  return operated.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
}

export function countMachines({ machines }: AltWorld): number {
  return [...machines.values()].filter(({ account }) => account !== undefined).length;
}
