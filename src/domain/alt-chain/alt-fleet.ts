/**
 * Which machines of the alt chain does an operator have, and is the list whole? (chain-svm 7.)
 */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { isObservationFresh, judgeObservationAge } from '../index-rules/index-freshness.ts';

/** One machine as the ownership snapshot shows it. */
export interface AltFleetMachine {
  readonly id: MachineId;
  readonly owner: AltKey;
  readonly controller: AltKey | undefined;
  readonly relocating: boolean;
  readonly operator: Address | undefined;
}

/** One answer of the whole registry. */
export interface AltFleet {
  /** Machines by operator, each list in ascending order of id. A machine without an operator stands in none. */
  readonly machinesByOperator: ReadonlyMap<Address, readonly AltFleetMachine[]>;
  /** Rows that failed a check, under the operator they name. */
  readonly unreadableByOperator: ReadonlyMap<Address, number>;
  /** Rows that failed a check and name no operator. */
  readonly unattributed: number;
  /** All rows, the failed ones included. */
  readonly rowCount: number;
}

/**
 * Compares the rows with the registry's own count, read before and after them.
 * `moved`: machines came or went meanwhile, ask again. `incomplete`: the node left rows out; the previous snapshot stays.
 */
export function judgeFleetCount(
  countBefore: bigint,
  countAfter: bigint,
  rowCount: number,
): 'whole' | 'moved' | 'incomplete' {
  if (countBefore !== countAfter) return 'moved';
  return countBefore === BigInt(rowCount) ? 'whole' : 'incomplete';
}

/** A slot, and when it was seen first. */
export interface AltFleetObservation {
  readonly slot: number;
  /** Clock milliseconds. */
  readonly observedAtMilliseconds: number;
}

/** What a snapshot belongs to. Program ids repeat across clusters, the genesis hash does not. */
export function formatAltFleetIdentity(deployment: {
  readonly genesisHash: AltKey;
  readonly machineRegistry: AltKey;
}): string {
  return `layout=1 genesis=${deployment.genesisHash} registry=${deployment.machineRegistry}`;
}

/**
 * Whether a whole answer of a slot replaces the snapshot stored. A slot that is seen again is not observed anew: a node that stands still must
 * not look alive. An earlier one replaces only what is out of date by itself, so that one wrong slot does not shut the list for good.
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
