/** Sample machines, logs and rating states of the store contract. */
import { MAX_MACHINE_ID, type Address, type MachineId } from '../../../src/domain/identifiers/identifiers.ts';
import type { EventGeneration } from '../../../src/ports/main-chain.ts';
import {
  MAX_MACHINE_LOGS,
  type AppliedDecision,
  type DecisionLogPage,
  type ChipLogEntry,
  type Checkpoint,
  type ControllerLogEntry,
  type EventLogEntry,
  type OwnershipReads,
  type RegistryLogEntry,
  type Store,
  type StoredRatingState,
  type TransferLogEntry,
} from '../../../src/ports/store.ts';

/** Ownership reads of a block without changes. */
export const NO_OWNERSHIP: OwnershipReads = { readAtBlock: 0, changes: [] };

/** Logs that a writing process stores with each block: enough that a kill often hits a transaction. */
export const LOGS_PER_BLOCK = 200;

let logIndex = 0;

/** Returns an index after those of all earlier samples, which are therefore in chain order within a block. */
function nextLogIndex(): number {
  return logIndex++;
}

export const MAX_UINT256 = 2n ** 256n - 1n;

export const id = (number: bigint | number) => BigInt(number) as MachineId;

/** Ids in numeric order; as text, or as bytes without leading zeros, they sort differently. */
export const ORDERED_IDS = [1n, 2n, 9n, 10n, 255n, 256n, 2n ** 64n, 2n ** 255n, MAX_MACHINE_ID].map(id);

export const checkpointAt = (blockNumber: number, word = 'a'): Checkpoint => ({
  blockNumber,
  blockHash: `0x${word.repeat(64)}`,
});

export function submitted(
  machineId: MachineId,
  parts: Partial<EventLogEntry & { kind: 'submitted' }> = {},
): EventLogEntry {
  return {
    kind: 'submitted',
    generation: 'current',
    machineId,
    eventIndex: 0n,
    eventType: 0,
    value: 1n,
    blockNumber: 1,
    blockTimestamp: 1_700_000_000,
    logIndex: nextLogIndex(),
    ...parts,
  };
}

export function imported(machineId: MachineId, generation: EventGeneration = 'current'): EventLogEntry {
  return { kind: 'imported', generation, machineId, blockNumber: 1, logIndex: nextLogIndex() };
}

export function transferred(
  machineId: MachineId,
  to: Address,
  parts: Partial<TransferLogEntry> = {},
): TransferLogEntry {
  const log = { kind: 'transfer', generation: 'current', machineId, from: undefined, to } as const;
  const place = { blockNumber: 1, blockTimestamp: 1_700_000_000, logIndex: nextLogIndex(), transactionHash: '0x01' };
  return { ...log, ...place, ...parts };
}

export function controlled(machineId: MachineId, transactionHash: string): ControllerLogEntry {
  const sides = { from: undefined, to: undefined };
  const place = { blockNumber: 1, blockTimestamp: 1_700_000_000, logIndex: nextLogIndex(), transactionHash };
  return { kind: 'controller', generation: 'current', machineId, ...sides, ...place };
}

/** Returns more logs of the machine than are read. */
export function controlledTooOften(machineId: MachineId): RegistryLogEntry[] {
  return Array.from({ length: MAX_MACHINE_LOGS + 1 }, () => controlled(machineId, '0x01'));
}

/** Attests a chip; revokes it without `expiresAt`. */
export function chipRecorded(machineId: MachineId, expiresAt: bigint | undefined, blockNumber = 1): ChipLogEntry {
  const log = { generation: 'current', machineId, blockNumber, logIndex: nextLogIndex() } as const;
  return expiresAt === undefined
    ? { kind: 'chip-revoked', ...log, revokedAt: 1_700_000_000n }
    : { kind: 'chip-attested', ...log, issuedAt: 1_700_000_000n, expiresAt };
}

export function repeat(count: number, log: EventLogEntry): EventLogEntry[] {
  return Array.from({ length: count }, () => log);
}

/** Stores logs with the next block. */
export async function append(store: Store, ...logs: readonly EventLogEntry[]): Promise<void> {
  const expected = await store.readMainChainCheckpoint();
  const next = checkpointAt((expected?.blockNumber ?? 0) + 1);
  if (!(await store.advanceMainChain(expected, next, logs, NO_OWNERSHIP)))
    throw new Error('the sample logs were refused');
}

/** Creates a decision of machine 7. */
export function decisionOf(timestamp: number, parts: Partial<AppliedDecision> = {}): AppliedDecision {
  return {
    machineId: id(7),
    optedIn: timestamp % 2 === 1,
    timestamp,
    signer: `0x${'a1'.repeat(20)}` as Address,
    signature: `0x${timestamp}`,
    message: `message of ${timestamp}`,
    authority: {
      owner: `0x${'a1'.repeat(20)}` as Address,
      controller: `0x${'a2'.repeat(20)}` as Address,
      block: { number: timestamp, hash: `0x${'b1'.repeat(32)}` },
      slot: undefined,
    },
    appliedAtMilliseconds: 1_000 * timestamp,
    ...parts,
  };
}

/** Lists the whole decision log of a machine, newest first. */
export function readDecisionLog(store: Pick<Store, 'listDecisions'>, machineId: MachineId): Promise<DecisionLogPage> {
  return store.listDecisions(machineId, { through: Number.MAX_SAFE_INTEGER, limit: 1_000_000 });
}

/** Lists the logged decisions of a machine as they were applied, oldest first. */
export async function listApplied(
  store: Pick<Store, 'listDecisions'>,
  machineId: MachineId,
): Promise<AppliedDecision[]> {
  const { decisions } = await readDecisionLog(store, machineId);
  return decisions
    .map(({ record, ...decision }) => ({ ...decision, message: record!.message, authority: record!.authority }))
    .reverse();
}

export function ratingStateOf(machineId: MachineId, nextSeq: number, parts: Partial<StoredRatingState> = {}) {
  return {
    generation: 'current' as EventGeneration,
    id: machineId,
    epoch: 0,
    nextSeq,
    state: `up to ${nextSeq}`,
    ...parts,
  };
}

/** Lists the ids of unfolded machines. */
export async function listUnfoldedIds(store: Store, fingerprint: string, limit = 100): Promise<MachineId[]> {
  return (await store.listUnfolded(fingerprint, limit)).map((machine) => machine.id);
}
