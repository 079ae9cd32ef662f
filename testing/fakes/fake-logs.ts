/** Contract logs for a fake chain, with the records that they store. */
import type { Address, MachineId } from '../../src/domain/identifiers/identifiers.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import type { EventGeneration, LogEffect, RegistryLogBody } from '../../src/ports/main-chain.ts';

export const REGISTRY = `0x${'a1'.repeat(20)}` as Address;
export const EVENTS = `0x${'e7'.repeat(20)}` as Address;
export const LEGACY_EVENTS = `0x${'1e'.repeat(20)}` as Address;

/** One log, and the record that it stores, if any. */
export interface FakeLog {
  readonly address: Address;
  readonly effect: LogEffect;
  readonly ownershipOf?: readonly MachineId[];
  readonly event?:
    | { readonly kind: 'submitted'; readonly generation: EventGeneration; readonly record: Partial<EventRecord> }
    | { readonly kind: 'imported'; readonly generation: EventGeneration; readonly priorEvents: bigint }
    | undefined;
  readonly registry?: RegistryLogBody | undefined;
  readonly machineId: MachineId;
}

/** Creates a log with a revenue record of USD 50, timestamped with its block unless given otherwise. */
export function submitted(
  machineId: MachineId,
  record: Partial<EventRecord> = {},
  generation: EventGeneration = 'current',
): FakeLog {
  const address = generation === 'current' ? EVENTS : LEGACY_EVENTS;
  return { address, machineId, effect: touches(machineId), event: { kind: 'submitted', generation, record } };
}

export function imported(machineId: MachineId, priorEvents: bigint): FakeLog {
  const event = { kind: 'imported', generation: 'current', priorEvents } as const;
  return { address: EVENTS, machineId, effect: touches(machineId), event };
}

export const OWNER = `0x${'0b'.repeat(20)}` as Address;

/** Creates a transfer; a mint without `from`, a burn to `'zero'`. */
export function transferred(machineId: MachineId, from?: Address, to: Address | 'zero' = OWNER): FakeLog {
  const registry = { kind: 'transfer', machineId, from, to: to === 'zero' ? undefined : to } as const;
  return { address: REGISTRY, machineId, effect: touches(machineId), ownershipOf: [machineId], registry };
}

/** Creates a log that sets the controller; undefined: none. */
export function controlled(machineId: MachineId, from: Address | undefined, to: Address | undefined): FakeLog {
  const registry = { kind: 'controller', machineId, from, to } as const;
  return { address: REGISTRY, machineId, effect: touches(machineId), ownershipOf: [machineId], registry };
}

/** Creates the log of a mint that names its controller. */
export function minted(machineId: MachineId, controller: Address | undefined): FakeLog {
  const registry = { kind: 'minted', machineId, to: controller } as const;
  return { address: REGISTRY, machineId, effect: touches(machineId), ownershipOf: [machineId], registry };
}

export function chipAttested(machineId: MachineId, issuedAt: bigint, expiresAt = 0n): FakeLog {
  const registry = { kind: 'chip-attested', machineId, issuedAt, expiresAt } as const;
  return { address: REGISTRY, machineId, effect: touches(machineId), registry };
}

export function chipRevoked(machineId: MachineId, revokedAt: bigint): FakeLog {
  const registry = { kind: 'chip-revoked', machineId, revokedAt } as const;
  return { address: REGISTRY, machineId, effect: touches(machineId), registry };
}

export function emitted(effect: LogEffect): FakeLog {
  return { address: REGISTRY, machineId: 1n as MachineId, effect };
}

function touches(id: MachineId): LogEffect {
  return { kind: 'machines', ids: [id] };
}
