/**
 * Comparison of a machine's facts with its newest logs (design/real-chains 1): who owns and controls it, and its chip record. The stored
 * rows are those at the checkpoint; followed logs lead from there to the block of the facts.
 */
import type { AttestationRecord } from '../../domain/evidence/verify-status.ts';
import type { MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import type { ReadResult } from '../../domain/read-result.ts';
import type { ChipLogBody, RegistryLogBody } from '../../ports/main-chain.ts';
import type { IndexedMachine, OwnershipChange, TransferLogEntry } from '../../ports/store.ts';

/** Followed logs of the machine between its checkpoint and the block of the facts, in chain order. */
export interface FollowedLogs {
  readonly logs: readonly RegistryLogBody[];
  /** Whether the block of the facts is the older of the two. */
  readonly isBackward: boolean;
}

/** Returns whether owner and controller are those of the rows and logs. An unreadable controller is left to its readers. */
export function isOwnershipEqual(
  { owner, controller }: MachineSnapshot,
  stored: OwnershipChange,
  { logs, isBackward }: FollowedLogs,
): boolean {
  const newest = (kind: 'transfer' | 'controller') => {
    const changes = logs.filter((log) => log.kind === kind) as Extract<RegistryLogBody, { kind: typeof kind }>[];
    return isBackward ? changes[0] && { value: changes[0].from } : changes.at(-1) && { value: changes.at(-1)!.to };
  };
  const storedOwner = stored.kind === 'gone' ? undefined : stored.owner;
  const transfer = newest('transfer');
  if (toOptional(owner) !== (transfer === undefined ? storedOwner : transfer.value)) return false;
  const change = newest('controller');
  if (controller.state === 'unreadable') return true;
  if (change !== undefined) return toOptional(controller) === change.value;
  // A mint or an arrival may set a controller without a log of its own.
  const isNew = stored.kind !== 'held' || logs.some((log) => log.kind === 'transfer' && log.from === undefined);
  return isNew || toOptional(controller) === stored.controller;
}

/** Returns whether each transfer leads to the next one, and the newest to the owner. Only a hidden way back to an owner is not seen. */
export function explainsOwner(transfers: readonly TransferLogEntry[], ownership: OwnershipChange): boolean {
  const owner = ownership.kind === 'gone' ? undefined : ownership.owner;
  return transfers.every(({ from }, i) => from === transfers[i - 1]?.to) && transfers.at(-1)?.to === owner;
}

/** Returns whether the chip record and the number of its logs are those of the logs; true where the registry does not count them. */
export function isChipEqual(
  { attestations, chipLogCount }: MachineSnapshot,
  { chipLogs }: IndexedMachine,
  { logs, isBackward }: FollowedLogs,
): boolean {
  if (chipLogCount.state !== 'present') return true;
  const followed = logs.filter((log) => log.kind === 'chip-attested' || log.kind === 'chip-revoked');
  const count = chipLogs.length + (isBackward ? -followed.length : followed.length);
  if (chipLogCount.value !== BigInt(count)) return false;
  if (attestations.state !== 'present' || (isBackward && followed.length > 0)) return true;
  const expected = foldChipLogs([...chipLogs, ...followed]);
  const { chip } = attestations.value;
  return (
    chip?.issuedAt === expected?.issuedAt &&
    chip?.expiresAt === expected?.expiresAt &&
    chip?.revokedAt === expected?.revokedAt
  );
}

/** An attestation replaces the record; a revocation marks it. */
function foldChipLogs(logs: readonly ChipLogBody[]): AttestationRecord | undefined {
  let record: AttestationRecord | undefined;
  for (const log of logs) {
    if (log.kind === 'chip-attested') {
      const { issuedAt, expiresAt } = log;
      record = { issuedAt, expiresAt: expiresAt === 0n ? undefined : expiresAt, revokedAt: undefined };
    } else if (record !== undefined) record = { ...record, revokedAt: log.revokedAt };
  }
  return record;
}

function toOptional<T>(result: ReadResult<T>): T | undefined {
  return result.state === 'present' ? result.value : undefined;
}
