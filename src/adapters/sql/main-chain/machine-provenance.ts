/** Provenance of main-chain machines, as of the index's checkpoint (`domain/machine/provenance.ts`). */
import { compareIds, type Address, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import { NO_PROVENANCE, type Provenance } from '../../../domain/machine/provenance.ts';
import type { EventLogEntry } from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, prepareQuery } from '../engine/prepared-query.ts';
import { execute, readFirst, readRows, type Batch, type SqlProgram, type SqlValue } from '../engine/sql-program.ts';
import { columnToHex, hexToColumn } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';

type Row = Schema['machine_provenance'];

export interface MachineProvenance {
  read(id: MachineId): SqlProgram<Provenance>;
  /** Removes what is stored about a machine. Requires the write lock. */
  remove(id: MachineId): SqlProgram<void>;
  load(ids: readonly MachineId[]): SqlProgram<ProvenanceMap>;
  /** Stores what changed since it was loaded. Requires the write lock. */
  save(map: ProvenanceMap): SqlProgram<void>;
}

export function createMachineProvenance({ builder, batch }: Dialect): MachineProvenance {
  const select = prepareQuery({ id: bytes }, ({ id }) =>
    builder.selectFrom('machine_provenance').selectAll().where('machine_id', '=', id),
  );
  const remove = prepareQuery({ id: bytes }, ({ id }) =>
    builder.deleteFrom('machine_provenance').where('machine_id', '=', id),
  );
  const selectMany = batch(
    { machine_id: 'bytes' },
    'SELECT p.* FROM batch CROSS JOIN machine_provenance p WHERE p.machine_id = batch.machine_id',
  );
  const columns = {
    machine_id: 'bytes',
    owner: 'bytes',
    changed_at: 'integer',
    changed_seq: 'integer',
    changed_transaction: 'text',
    is_accepted: 'integer',
    accepted_at: 'integer',
    changed_after: 'integer',
    chip_expires_at: 'text',
  } as const;
  const names = Object.keys(columns);
  const changes = names.slice(1).map((name) => `${name} = excluded.${name}`);
  const upsert = batch(
    columns,
    `INSERT INTO machine_provenance (${names.join(', ')}) SELECT ${names.join(', ')} FROM batch WHERE true
     ON CONFLICT (machine_id) DO UPDATE SET ${changes.join(', ')}`,
  );

  return {
    *read(id) {
      const row = yield* readFirst(select({ id: toIdBytes(id) }));
      return row === undefined ? NO_PROVENANCE : toProvenance(row);
    },
    *load(ids) {
      const query: Batch<Row> = { sql: selectMany, batch: ids.map((id) => [toIdBytes(id)]) };
      const rows = yield* readRows(query);
      return new ProvenanceMap(rows.map((row) => [fromIdBytes(row.machine_id), toProvenance(row)]));
    },
    *remove(id) {
      yield* execute(remove({ id: toIdBytes(id) }));
    },
    *save(map) {
      yield* execute({ sql: upsert, batch: map.listChanged().map(([id, provenance]) => toRow(id, provenance)) });
    },
  };
}

/** Provenance by machine while logs are applied. Legacy machines have none. */
export class ProvenanceMap {
  readonly #current: Map<MachineId, Provenance>;
  readonly #changed = new Set<MachineId>();

  constructor(loaded: readonly (readonly [MachineId, Provenance])[]) {
    this.#current = new Map(loaded);
  }

  of({ generation, machineId }: EventLogEntry): Provenance {
    return (generation === 'current' ? this.#current.get(machineId) : undefined) ?? NO_PROVENANCE;
  }

  set(log: EventLogEntry, provenance: Provenance): void {
    if (log.generation === 'legacy' || provenance === this.of(log)) return;
    this.#current.set(log.machineId, provenance);
    this.#changed.add(log.machineId);
  }

  /** Lists them in order of id, which is cheaper to store. */
  listChanged(): (readonly [MachineId, Provenance])[] {
    return [...this.#changed].sort(compareIds).map((id) => [id, this.#current.get(id)!]);
  }
}

function toRow(id: MachineId, provenance: Provenance): SqlValue[] {
  const { owner, changeOfHands, isAccepted, acceptedAt, changedHandsAfter, chipExpiresAt } = provenance;
  return [
    toIdBytes(id),
    owner === undefined ? null : hexToColumn(owner),
    changeOfHands?.at ?? null,
    changeOfHands?.seq ?? null,
    changeOfHands?.transactionHash ?? null,
    isAccepted ? 1 : 0,
    acceptedAt ?? null,
    changedHandsAfter ?? null,
    chipExpiresAt?.toString() ?? null,
  ];
}

function toProvenance(row: Row): Provenance {
  const { owner, changed_at, changed_seq, changed_transaction, changed_after, chip_expires_at } = row;
  return {
    owner: owner === null ? undefined : (columnToHex(owner) as Address),
    changeOfHands:
      changed_at === null ? undefined : { at: changed_at, seq: changed_seq!, transactionHash: changed_transaction! },
    isAccepted: row.is_accepted === 1,
    acceptedAt: row.accepted_at ?? undefined,
    changedHandsAfter: changed_after ?? undefined,
    chipExpiresAt: chip_expires_at === null ? undefined : BigInt(chip_expires_at),
  };
}
