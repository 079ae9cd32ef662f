/** Receivers of webhooks, and which changes each of them watches (`WATCH_FILE`; docs/decisions/changes.md). */
import type { Address, MachineId } from '../identifiers/identifiers.ts';
import type { ChangeKind, MachineChange } from './machine-change.ts';

export interface WatchedSubjects {
  /** Identifies the receiver in the store, in logs and in metrics; unique. */
  readonly name: string;
  readonly machines: ReadonlySet<MachineId>;
  readonly operators: ReadonlySet<Address>;
  /** Undefined: every kind. */
  readonly kinds: ReadonlySet<ChangeKind> | undefined;
}

/** Returns whether the receiver watches the machine of the change, or the operator that it has, had or gets. */
export function isWatched({ machines, operators, kinds }: WatchedSubjects, change: MachineChange): boolean {
  if (kinds !== undefined && !kinds.has(change.kind)) return false;
  if (machines.has(change.machineId)) return true;
  if (change.operator !== undefined && operators.has(change.operator)) return true;
  return change.kind === 'operator' && operators.has(change.from as Address);
}
