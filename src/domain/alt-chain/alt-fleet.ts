/** Fleet snapshots of the alt chain: machines by operator, and the rules for completeness and age (chain-svm 7). */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { isObservationFresh, judgeObservationAge } from '../index-rules/index-freshness.ts';

/** One machine of the snapshot. */
export interface AltFleetMachine {
  readonly id: MachineId;
  readonly owner: AltKey;
  readonly controller: AltKey | undefined;
  readonly relocating: boolean;
  readonly operator: Address | undefined;
}

/** One read of the whole registry. */
export interface AltFleet {
  /** Machines by operator, each list in ascending order of id, without machines that have no operator. */
  readonly machinesByOperator: ReadonlyMap<Address, readonly AltFleetMachine[]>;
  /** Number of rows that failed a check, by the operator they name. */
  readonly unreadableByOperator: ReadonlyMap<Address, number>;
  /** Number of rows that failed a check and name no operator. */
  readonly unattributed: number;
  /** Number of all rows, including failed ones. */
  readonly rowCount: number;
}

/**
 * Compares the rows with the registry's own count, read before and after them.
 * `moved`: machines changed meanwhile, read again. `incomplete`: the node omitted rows; the previous snapshot stays.
 */
export function judgeFleetCount(
  countBefore: bigint,
  countAfter: bigint,
  rowCount: number,
): 'whole' | 'moved' | 'incomplete' {
  if (countBefore !== countAfter) return 'moved';
  return countBefore === BigInt(rowCount) ? 'whole' : 'incomplete';
}

/** A slot and the time of its first observation. */
export interface AltFleetObservation {
  readonly slot: number;
  /** Clock milliseconds. */
  readonly observedAtMilliseconds: number;
}

/** Formats the identity of a snapshot's deployment. Program ids repeat across clusters, the genesis hash does not. */
export function formatAltFleetIdentity(deployment: {
  readonly genesisHash: AltKey;
  readonly machineRegistry: AltKey;
}): string {
  return `layout=1 genesis=${deployment.genesisHash} registry=${deployment.machineRegistry}`;
}

/**
 * Returns whether a complete read replaces the stored snapshot. The same slot does not: a stalled node must not look alive. An
 * earlier slot replaces only an outdated snapshot, so that one wrong slot does not block the list forever.
 */
export function mayReplaceSnapshot(
  stored: AltFleetObservation | undefined,
  slot: number,
  nowMilliseconds: number,
  pollIntervalSeconds: number,
): boolean {
  if (stored === undefined || slot > stored.slot) return true;
  const ageSeconds = judgeObservationAge(stored.observedAtMilliseconds, nowMilliseconds);
  if (ageSeconds === undefined) return true;
  return slot < stored.slot && !isObservationFresh(ageSeconds, pollIntervalSeconds);
}
