/** Fleet snapshots of the alt chain: machines by operator, and the rules for completeness and age (chain-svm 7). */
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import { isObservationFresh, judgeObservationAge } from '../index-rules/index-freshness.ts';

/** Rows of the whole registry. */
export interface AltFleet {
  /** Machines by operator, each list in ascending order of id, without machines that have no operator. */
  readonly machinesByOperator: ReadonlyMap<Address, readonly MachineId[]>;
  /** Number of rows that failed a check, by the operator they name. */
  readonly unreadableByOperator: ReadonlyMap<Address, number>;
  /** Number of rows that failed a check and name no operator. */
  readonly unattributed: number;
  /** Account addresses of all rows, including failed ones, without duplicates. */
  readonly addresses: ReadonlySet<unknown>;
}

/** Number of machines that the registry itself states at a slot. */
export interface MachineCount {
  readonly slot: number;
  readonly machineCount: bigint;
}

/** One read of the whole registry. */
export interface FleetReading {
  /** Slot of the rows. */
  readonly slot: number;
  readonly fleet: AltFleet;
  readonly before: MachineCount;
  readonly after: MachineCount;
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
export function groupByOperator(rows: readonly AltFleetRow[]): Omit<AltFleet, 'addresses'> {
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
  return { machinesByOperator, unreadableByOperator, unattributed };
}

/**
 * Compares the rows with the registry's own count, read before and after them. Counts of other slots than that of the rows may be equal
 * although the node omitted a row: one machine came before the rows, and another left after them. Then each row must be of an earlier
 * read too, so that none came.
 * `moved`: machines changed meanwhile, or may have; read again. `incomplete`: the node omitted rows, or some may be of any operator; the
 * previous snapshot stays.
 */
export function judgeFleet(
  { slot, fleet: { addresses, unattributed }, before, after }: FleetReading,
  earlierAddresses: ReadonlySet<unknown>,
): 'whole' | 'moved' | 'incomplete' {
  if (before.machineCount !== after.machineCount) return 'moved';
  if (before.machineCount !== BigInt(addresses.size) || unattributed > 0) return 'incomplete';
  const isCounted = before.slot === slot || after.slot === slot;
  return isCounted || addresses.isSubsetOf(earlierAddresses) ? 'whole' : 'moved';
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
