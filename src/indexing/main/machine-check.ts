/**
 * Comparison of a machine's facts with its newest logs (design/real-chains 1): who owns and controls it, and its chip record. The stored
 * rows are those at the checkpoint; followed logs lead from there to the block of the facts.
 */
import type { AttestationRecord } from '../../domain/evidence/verify-status.ts';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { comparePlaces } from '../../domain/index-rules/stored-logs.ts';
import type { MachineSnapshot } from '../../domain/machine/machine-facts.ts';
import { unwrap, unwrapOptional, type ReadResult } from '../../domain/read-result.ts';
import type { ChipLogBody, RegistryLogBody } from '../../ports/main-chain.ts';
import type { ControllerLogEntry, IndexedMachine, OwnershipChange, TransferLogEntry } from '../../ports/store.ts';

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
  const ends = [ownerOf(stored), toOptional(owner)] as const;
  const [older, newer] = isBackward ? [ends[1], ends[0]] : ends;
  const transfers = logs.filter((log) => log.kind === 'transfer');
  if (!areLinked(older, transfers, newer)) return false;
  if (controller.state === 'unreadable') return true;
  // A mint or an arrival may set a controller without a log of its own, and a departure ends it: logs beyond say nothing.
  const own = takeUntil(isBackward ? logs : logs.toReversed(), isMintOrBurn);
  const change = own.find((log) => log.kind === 'controller');
  if (change !== undefined) return toOptional(controller) === (isBackward ? change.from : change.to);
  const isNew = stored.kind !== 'held' || own.length < logs.length;
  return isNew || toOptional(controller) === stored.controller;
}

function isMintOrBurn(log: RegistryLogBody): boolean {
  return log.kind === 'transfer' && (log.from === undefined || log.to === undefined);
}

/** Returns the logs before the first of which this is true. */
function takeUntil(logs: readonly RegistryLogBody[], isEnd: (log: RegistryLogBody) => boolean) {
  const end = logs.findIndex(isEnd);
  return end === -1 ? logs : logs.slice(0, end);
}

/** Returns whether both name the same home for an owned machine. Throws `ChainUnreadable` where the home cannot be read. */
export function isSameHome(
  { owner, homeOrdinal }: MachineSnapshot,
  stored: OwnershipChange,
  localOrdinal: number,
): boolean {
  if (owner.state !== 'present' || stored.kind === 'gone') return true;
  return (unwrap(homeOrdinal) === localOrdinal) === (stored.kind === 'held');
}

/** Returns whether each transfer leads to the next one, and the newest to the owner. Only a hidden way back to an owner is not seen. */
export function explainsOwner(transfers: readonly TransferLogEntry[], ownership: OwnershipChange): boolean {
  return areLinked(undefined, transfers, ownerOf(ownership));
}

/**
 * Returns whether each controller was set in place of the one before, and the newest is that of the machine; true where no log names one
 * since the machine arrived. A mint names its controller and may set it with a log of its own, an arrival from another chain or registry
 * names none, and a departure ends it. Only a hidden way back to a controller is not seen.
 */
export function explainsController(
  { transfers, controllers }: Pick<IndexedMachine, 'transfers' | 'controllers'>,
  ownership: OwnershipChange,
): boolean {
  let known: ControllerLogEntry | undefined;
  for (const log of [...transfers, ...controllers].sort(comparePlaces)) {
    if (log.kind !== 'transfer') {
      const isOfMint = known?.kind === 'minted' && known.blockNumber === log.blockNumber;
      if (log.kind === 'controller' && known !== undefined && log.from !== known.to && !isOfMint) return false;
      known = log;
    } else if (isMintOrBurn(log)) known = undefined;
  }
  return ownership.kind !== 'held' || known === undefined || known.to === ownership.controller;
}

/** Returns whether transfers lead from an owner to another one, or to the same without any. */
function areLinked(
  older: Address | undefined,
  transfers: readonly { readonly from: Address | undefined; readonly to: Address | undefined }[],
  newer: Address | undefined,
): boolean {
  const owners = [older, ...transfers.map(({ to }) => to)];
  return transfers.every(({ from }, i) => from === owners[i]) && owners.at(-1) === newer;
}

function ownerOf(ownership: OwnershipChange): Address | undefined {
  return ownership.kind === 'gone' ? undefined : ownership.owner;
}

/**
 * Returns whether the chip record and the number of its logs are those of the logs; true where the registry does not count them. Throws
 * `ChainUnreadable` where the count cannot be read.
 */
export function isChipEqual(
  { attestations, chipLogCount }: MachineSnapshot,
  { chipLogs }: IndexedMachine,
  { logs, isBackward }: FollowedLogs,
): boolean {
  const counted = unwrapOptional(chipLogCount);
  if (counted === undefined) return true;
  const followed = logs.filter((log) => log.kind === 'chip-attested' || log.kind === 'chip-revoked');
  const count = chipLogs.length + (isBackward ? -followed.length : followed.length);
  if (counted !== BigInt(count)) return false;
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
