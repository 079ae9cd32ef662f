/** Fleet snapshots of the alt chain: machines by operator, and the rules for completeness and age (chain-svm 7). */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { isObservationFresh, judgeObservationAge } from '../index-rules/index-freshness.ts';

/** One read of the whole registry. */
export interface AltFleet {
  /** Machines by operator, each list in ascending order of id, without machines that have no operator. */
  readonly machinesByOperator: ReadonlyMap<Address, readonly MachineId[]>;
  /** Number of rows that failed a check, by the operator they name. */
  readonly unreadableByOperator: ReadonlyMap<Address, number>;
  /** Number of rows that failed a check and name no operator. */
  readonly unattributed: number;
  /** Number of all rows, including failed ones. */
  readonly rowCount: number;
}

/** One row of the registry, as read. */
export interface AltFleetRow {
  /** Undefined if the row failed a check. */
  readonly id: MachineId | undefined;
  /** Operator that the row names, even if it failed a check. */
  readonly operator: Address | undefined;
}

/**
 * Lists each machine under the operator of its account (interface, "Operator listing", rule 6). A machine without an operator is not listed.
 * Rows that failed a check are counted, by the operator they name.
 */
export function groupByOperator(rows: readonly AltFleetRow[]): AltFleet {
  const machinesByOperator = new Map<Address, MachineId[]>();
  const unreadableByOperator = new Map<Address, number>();
  let unattributed = 0;
  for (const { id, operator } of rows) {
    if (operator === undefined) {
      if (id === undefined) unattributed++;
    } else if (id === undefined) {
      unreadableByOperator.set(operator, (unreadableByOperator.get(operator) ?? 0) + 1);
    } else {
      const machines = machinesByOperator.get(operator);
      if (machines === undefined) machinesByOperator.set(operator, [id]);
      else machines.push(id);
    }
  }
  for (const machines of machinesByOperator.values()) machines.sort((a, b) => (a < b ? -1 : 1));
  return { machinesByOperator, unreadableByOperator, unattributed, rowCount: rows.length };
}

/**
 * Compares the rows with the registry's own count, read before and after them.
 * `moved`: machines changed meanwhile, read again. `incomplete`: the node omitted rows, or some may be of any operator; the previous
 * snapshot stays.
 */
export function judgeFleetCount(
  countBefore: bigint,
  countAfter: bigint,
  { rowCount, unattributed }: Pick<AltFleet, 'rowCount' | 'unattributed'>,
): 'whole' | 'moved' | 'incomplete' {
  if (countBefore !== countAfter) return 'moved';
  return countBefore === BigInt(rowCount) && unattributed === 0 ? 'whole' : 'incomplete';
}

/** Finalized slot, and when it was first read. */
export interface SlotObservation {
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
 * Returns whether a slot that was read now replaces the one observed before. The same slot does not: a node that has stopped must not look
 * alive. An earlier slot replaces only an outdated one, so that one wrong slot does not block its index for ever.
 */
export function isNewObservation(
  stored: SlotObservation | undefined,
  slot: number,
  nowMilliseconds: number,
  pollIntervalSeconds: number,
): boolean {
  if (stored === undefined || slot > stored.slot) return true;
  const ageSeconds = judgeObservationAge(stored.observedAtMilliseconds, nowMilliseconds);
  if (ageSeconds === undefined) return true;
  return slot < stored.slot && !isObservationFresh(ageSeconds, pollIntervalSeconds);
}
