/** Marks machines for observation, in the transaction that stores what may have changed them (docs/decisions/changes.md). */
import { compareIds, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { TouchedMachines } from '../../../ports/change-store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { execute, type SqlProgram, type SqlValue } from '../engine/sql-program.ts';
import { hexToColumn } from '../schema/hex-columns.ts';
import { toIdBytes } from '../schema/stored-machine-id.ts';

export interface TouchedMachineRows {
  touch(touched: TouchedMachines): SqlProgram<void>;
  /** Marks those machines alone that are not known yet. */
  discover(machines: readonly MachineId[]): SqlProgram<void>;
}

export function createTouchedMachines({ batch }: Dialect): TouchedMachineRows {
  const touchMachines = batch(
    { machine_id: 'bytes' },
    `INSERT INTO observed_machines (machine_id, version, touches, due_at)
     SELECT machine_id, 0, 1, 0 FROM batch WHERE true
     ON CONFLICT (machine_id) DO UPDATE SET touches = observed_machines.touches + 1, due_at = 0`,
  );
  const insertNew = batch(
    { machine_id: 'bytes' },
    `INSERT INTO observed_machines (machine_id, version, touches, due_at)
     SELECT machine_id, 0, 0, 0 FROM batch WHERE true ON CONFLICT (machine_id) DO NOTHING`,
  );
  const touchOperators = batch(
    { operator: 'bytes' },
    `UPDATE observed_machines SET touches = touches + 1, due_at = 0
     WHERE observed_operator IN (SELECT operator FROM batch)`,
  );
  // Without an operator, KYB is that of the owner.
  const touchOwners = batch(
    { owner: 'text' },
    `UPDATE observed_machines SET touches = touches + 1, due_at = 0
     WHERE observed_owner IN (SELECT owner FROM batch) AND observed_operator IS NULL`,
  );

  return {
    *touch({ machines, kybOperators }) {
      yield* execute({ sql: touchMachines, batch: toBatch(machines) });
      yield* execute({ sql: touchOperators, batch: kybOperators.map((operator) => [hexToColumn(operator)]) });
      yield* execute({ sql: touchOwners, batch: kybOperators.map((operator) => [operator]) });
    },
    *discover(machines) {
      yield* execute({ sql: insertNew, batch: toBatch(machines) });
    },
  };
}

/** One statement must not touch a row twice. Rows in order are cheaper to store. */
function toBatch(ids: readonly MachineId[]): SqlValue[][] {
  return [...new Set(ids)].sort(compareIds).map((id) => [toIdBytes(id)]);
}
