/**
 * Logs of the contracts by machine: transfers, controllers, chip records and other facts. Events are judged by them again where a repair changes
 * them, and the number of those of a chip record is compared with the registry's (design/real-chains 1).
 */
import { sql } from 'kysely';
import { compareIds, type Address, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import { UNKNOWN_BLOCK_TIME } from '../../../ports/index-proof.ts';
import {
  MAX_MACHINE_LOGS,
  type ChipLogEntry,
  type ControllerLogEntry,
  type EventLogEntry,
  type RegistryLogEntry,
  type TransferLogEntry,
} from '../../../ports/store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, prepareQuery } from '../engine/prepared-query.ts';
import { columnToHex, hexToColumn } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, readRows, type Batch, type SqlProgram, type SqlValue } from '../engine/sql-program.ts';

type Row = Schema['registry_logs'];

export interface RegistryLogs {
  /** Stores the logs; one that is already stored is skipped. Requires the write lock. */
  append(logs: readonly RegistryLogEntry[]): SqlProgram<void>;
  /** Removes the logs of one machine. Requires the write lock. */
  remove(id: MachineId): SqlProgram<void>;
  /** Returns the logs of one machine in chain order. */
  list(id: MachineId): SqlProgram<readonly RegistryLogEntry[]>;
  /** Returns whether the machine has more than `MAX_MACHINE_LOGS` logs; reads no more of them. */
  exceedsLimit(id: MachineId): SqlProgram<boolean>;
  /** Returns the logs of these blocks, in any order. */
  listOfBlocks(numbers: readonly number[]): SqlProgram<readonly RegistryLogEntry[]>;
  /** Returns whether a transfer of the machine is of unknown block time. */
  isUntimed(id: MachineId): SqlProgram<boolean>;
}

export function createRegistryLogs({ builder, batch }: Dialect): RegistryLogs {
  const columns = {
    machine_id: 'bytes',
    block_number: 'integer',
    log_index: 'integer',
    kind: 'text',
    block_timestamp: 'integer',
    transaction_hash: 'text',
    from_address: 'bytes',
    to_address: 'bytes',
    issued_at: 'text',
    expires_at: 'text',
    revoked_at: 'text',
    value: 'text',
  } as const;
  const names = Object.keys(columns).join(', ');
  const insert = batch(
    columns,
    `INSERT INTO registry_logs (${names}) SELECT ${names} FROM batch WHERE true ON CONFLICT DO NOTHING`,
  );
  const remove = prepareQuery({ id: bytes }, ({ id }) =>
    builder.deleteFrom('registry_logs').where('machine_id', '=', id),
  );
  const select = prepareQuery({ id: bytes }, ({ id }) =>
    builder
      .selectFrom('registry_logs')
      .selectAll()
      .where('machine_id', '=', id)
      .orderBy('block_number')
      .orderBy('log_index'),
  );
  const selectExcess = prepareQuery({ id: bytes }, ({ id }) =>
    builder
      .selectFrom('registry_logs')
      .select('log_index')
      .where('machine_id', '=', id)
      .limit(sql.lit(1))
      .offset(sql.lit(MAX_MACHINE_LOGS)),
  );
  const selectOfBlocks = batch(
    { block_number: 'integer' },
    'SELECT r.* FROM batch JOIN registry_logs r ON r.block_number = batch.block_number',
  );
  const selectUntimed = prepareQuery({ id: bytes }, ({ id }) =>
    builder
      .selectFrom('registry_logs')
      .select('log_index')
      .where('machine_id', '=', id)
      .where('kind', '=', sql.lit('transfer'))
      .where('block_timestamp', '=', sql.lit(UNKNOWN_BLOCK_TIME))
      .limit(sql.lit(1)),
  );

  return {
    *append(logs) {
      // Rows in random order change several times as many pages.
      yield* execute({ sql: insert, batch: logs.toSorted((a, b) => compareIds(a.machineId, b.machineId)).map(toRow) });
    },
    *remove(id) {
      yield* execute(remove({ id: toIdBytes(id) }));
    },
    *list(id) {
      return (yield* readRows(select({ id: toIdBytes(id) }))).map(toEntry);
    },
    *exceedsLimit(id) {
      return (yield* readFirst(selectExcess({ id: toIdBytes(id) }))) !== undefined;
    },
    *listOfBlocks(numbers) {
      const query: Batch<Row> = { sql: selectOfBlocks, batch: numbers.map((number) => [number]) };
      return (yield* readRows(query)).map(toEntry);
    },
    *isUntimed(id) {
      return (yield* readFirst(selectUntimed({ id: toIdBytes(id) }))) !== undefined;
    },
  };
}

/** Returns whether the log is one of a chip record. */
export function isChipLog(log: EventLogEntry): log is ChipLogEntry {
  return log.kind === 'chip-attested' || log.kind === 'chip-revoked';
}

export function isTransfer(log: EventLogEntry): log is TransferLogEntry {
  return log.kind === 'transfer';
}

export function isControllerLog(log: EventLogEntry): log is ControllerLogEntry {
  return log.kind === 'controller' || log.kind === 'minted';
}

function toRow(log: RegistryLogEntry): SqlValue[] {
  const place = [toIdBytes(log.machineId), log.blockNumber, log.logIndex, log.kind];
  switch (log.kind) {
    case 'chip-attested':
      return [...place, null, null, null, null, String(log.issuedAt), String(log.expiresAt), null, null];
    case 'chip-revoked':
      return [...place, null, null, null, null, null, null, String(log.revokedAt), null];
    case 'transfer':
    case 'controller':
    case 'minted': {
      const from = log.kind === 'minted' ? undefined : log.from;
      const sides = [from, log.to].map((address) => (address === undefined ? null : hexToColumn(address)));
      return [...place, log.blockTimestamp, log.transactionHash, ...sides, null, null, null, null];
    }
    default: {
      const { blockTimestamp, transactionHash, value } = log;
      return [...place, blockTimestamp, transactionHash, null, null, null, null, null, value?.toString() ?? null];
    }
  }
}

function toEntry(row: Row): RegistryLogEntry {
  const place = {
    generation: 'current' as const,
    machineId: fromIdBytes(row.machine_id),
    blockNumber: row.block_number,
    logIndex: row.log_index,
  };
  const kind = row.kind as RegistryLogEntry['kind'];
  switch (kind) {
    case 'chip-attested':
      return { kind, ...place, issuedAt: BigInt(row.issued_at!), expiresAt: BigInt(row.expires_at!) };
    case 'chip-revoked':
      return { kind, ...place, revokedAt: BigInt(row.revoked_at!) };
    case 'transfer':
    case 'controller':
    case 'minted': {
      const [from, to] = [toAddress(row.from_address), toAddress(row.to_address)];
      const blockTimestamp = row.block_timestamp ?? UNKNOWN_BLOCK_TIME;
      const origin = { ...place, blockTimestamp, transactionHash: row.transaction_hash! };
      return kind === 'minted' ? { kind, ...origin, to } : { kind, ...origin, from, to };
    }
    default: {
      const value = row.value === null ? undefined : BigInt(row.value);
      return { kind, ...place, value, blockTimestamp: row.block_timestamp!, transactionHash: row.transaction_hash! };
    }
  }
}

function toAddress(column: Uint8Array | null): Address | undefined {
  return column === null ? undefined : (columnToHex(column) as Address);
}
