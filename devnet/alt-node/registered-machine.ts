/** Test fixture for events on the alt chain: the event registry, a machine and its subscription. */
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import type { AltNode } from './alt-node.ts';
import { BorshWriter } from './borsh-writer.ts';
import { encodeEventRegistry } from './event-accounts.ts';
import { machineAddresses, singletonAddresses } from './program-addresses.ts';
import { keyOfSeed } from './signed-transaction.ts';

export const GENESIS = 1_700_000_000;
export const OWNER_SEED = new Uint8Array(32).fill(1);
export const CONTROLLER_SEED = new Uint8Array(32).fill(2);
export const STRANGER_SEED = new Uint8Array(32).fill(3);
export const ADMIN_SEED = new Uint8Array(32).fill(4);
export const LIFECYCLE_SEED = new Uint8Array(32).fill(5);

export interface RegisteredState {
  readonly isRelocating?: boolean;
  /** Absent = 1, active. */
  readonly subscriptionStatus?: number;
}

const ZERO_HASH = `0x${'00'.repeat(32)}`;

/** Revenue event one minute before `GENESIS`. */
export const REVENUE: EventRecord = {
  eventType: 0,
  value: 12_50n,
  timestamp: BigInt(GENESIS - 60),
  dataHash: `0x${'11'.repeat(32)}`,
  trustLevel: 1,
  sourceChainId: 5n,
  sourceTxHash: ZERO_HASH,
  metadata: '0x7b7d',
  currency: 'USD',
};

export const ACTIVITY: EventRecord = { ...REVENUE, eventType: 1, value: 7n, metadata: '0x', currency: '' };

export async function placeEventRegistry(node: AltNode, paused = false): Promise<void> {
  const { eventRegistry } = await singletonAddresses();
  const data = encodeEventRegistry({
    admin: await keyOfSeed(ADMIN_SEED),
    lifecycleAuthority: await keyOfSeed(LIFECYCLE_SEED),
    paused,
    bump: eventRegistry.bump,
  });
  node.setAccount(eventRegistry.address, { owner: node.programs.eventRegistry, data });
}

/** Writes a machine owned by `OWNER_SEED` and controlled by `CONTROLLER_SEED`, with its subscription. */
export async function placeMachine(node: AltNode, machineId: bigint, state: RegisteredState = {}): Promise<void> {
  const { machine, subscriptionTerminal } = await machineAddresses(machineId);
  const record = new BorshWriter()
    .hex('1966160d3af38a4f')
    .word(machineId)
    .key(await keyOfSeed(OWNER_SEED))
    .key(await keyOfSeed(CONTROLLER_SEED))
    .key(undefined) // manufacturer
    .bool(state.isRelocating ?? false)
    .i64(BigInt(GENESIS))
    .u8(machine.bump)
    .address(undefined)
    .text('test machine')
    .blob('0x')
    .u32(0) // verification methods
    .u32(0) // authentication
    .u32(0) // service endpoints
    .bytes();
  const subscription = new BorshWriter()
    .hex('65451ac76fb175bc')
    .word(machineId)
    .u8(1) // tier
    .u8(state.subscriptionStatus ?? 1)
    .i64(0n)
    .u64(1n) // last sequence
    .u64(0n)
    .u64(0n)
    .i64(0n)
    .u8(subscriptionTerminal.bump)
    .bytes();
  node.setAccount(machine.address, { owner: node.programs.machineRegistry, data: record });
  node.setAccount(subscriptionTerminal.address, { owner: node.programs.subscription, data: subscription });
}
