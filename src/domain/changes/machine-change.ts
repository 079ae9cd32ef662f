/**
 * Changes of machines: differences between two consecutive observations of one machine, both made of final facts
 * (docs/decisions/changes.md). An observation has one value for each kind of change.
 */
import type { Address, MachineId } from '../identifiers/identifiers.ts';

/** Kinds in the order in which the changes of one observation are numbered. Names of the wire. */
export const CHANGE_KINDS = ['owner', 'operator', 'bond', 'flag', 'kyb', 'chip', 'opt-in', 'rating'] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Values of a machine by kind; null where there is none. */
export type MachineValues = Readonly<Record<ChangeKind, string | null>>;

/** Values of one observation; undefined where a value could not be determined, so that it says nothing. */
export type ObservedValues = Readonly<Record<ChangeKind, string | null | undefined>>;

export interface MachineChange {
  readonly kind: ChangeKind;
  readonly machineId: MachineId;
  /** Operator after the change, or before it where there is none any more. */
  readonly operator: Address | undefined;
  readonly from: string | null;
  readonly to: string | null;
  /** Final block of the main chain at which the change was observed. */
  readonly blockNumber: number;
  /** Unix seconds. */
  readonly observedAt: number;
}

/** Change with its cursor: its place in the order of all changes, counted from 1 without a gap. */
export interface NumberedChange extends MachineChange {
  readonly cursor: number;
}

/** Range of the stored changes. */
export interface ChangeRange {
  /** Cursor of the newest change that was ever stored; 0 without one. */
  readonly newest: number;
  /** Changes up to this cursor are no longer stored. */
  readonly prunedThrough: number;
  /** Unix second since which changes are stored; undefined until every known machine was observed once. */
  readonly openedAt: number | undefined;
}

export interface ChangePage extends ChangeRange {
  /** In the order of their cursors. */
  readonly changes: readonly NumberedChange[];
  /** Cursor to continue from; changes of other kinds may lie before it. */
  readonly next: number;
}

/** Values of a machine that is not here: it does not exist, was retired, or has moved to a chain that is not served. */
export const ABSENT_VALUES: MachineValues = {
  owner: null,
  operator: null,
  bond: null,
  flag: null,
  kyb: null,
  chip: null,
  'opt-in': null,
  rating: null,
};

/** Returns the observed values; where one could not be determined, the previous one. */
export function settleValues(previous: MachineValues, observed: ObservedValues): MachineValues {
  const settled = CHANGE_KINDS.map((kind) => [kind, observed[kind] === undefined ? previous[kind] : observed[kind]]);
  return Object.fromEntries(settled) as MachineValues;
}

/** Returns whether the machine is here. */
export function isPresent({ owner }: MachineValues): boolean {
  return owner !== null;
}

/** Returns the changes from one observation to the next, in the order of the kinds. */
export function listMachineChanges(
  machineId: MachineId,
  previous: MachineValues,
  next: MachineValues,
  { blockNumber, observedAt }: Pick<MachineChange, 'blockNumber' | 'observedAt'>,
): MachineChange[] {
  const operator = (next.operator ?? previous.operator ?? undefined) as Address | undefined;
  return CHANGE_KINDS.flatMap((kind) => {
    const [from, to] = [previous[kind], next[kind]];
    return from === to ? [] : [{ kind, machineId, operator, from, to, blockNumber, observedAt }];
  });
}
