/** Rows of changes. */
import type { ChangeKind, NumberedChange } from '../../../domain/changes/machine-change.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import { columnToHex } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes } from '../schema/stored-machine-id.ts';

export function fromChangeRow(row: Schema['changes']): NumberedChange {
  return {
    cursor: row.change_cursor,
    kind: row.kind as ChangeKind,
    machineId: fromIdBytes(row.machine_id),
    operator: row.operator === null ? undefined : (columnToHex(row.operator) as Address),
    from: row.from_value,
    to: row.to_value,
    blockNumber: row.block_number,
    observedAt: row.observed_at,
  };
}
