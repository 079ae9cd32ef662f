/** Opt-in decisions and the decision log (`DecisionStore`): one current row per machine, and the chain of the decisions that were current. */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { SignedLogHead } from '../../../domain/monetization/decision-log-head.ts';
import { hashDecisionRow, toDecisionRow } from '../../../domain/monetization/decision-log.ts';
import type { SignedDecision, Signer } from '../../../domain/monetization/decision.ts';
import type {
  AppliedDecision,
  DecisionLogPage,
  DecisionRecord,
  DecisionRetention,
  DecisionStore,
  LoggedDecision,
} from '../../../ports/store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import { bytes, integer, prepareQuery, text, type ParameterType } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { columnToHex, hexToColumn } from '../schema/hex-columns.ts';
import type { Schema } from '../schema/schema.ts';
import { toIdBytes } from '../schema/stored-machine-id.ts';
import {
  countChanges,
  execute,
  readFirst,
  readRows,
  type SqlDatabase,
  type SqlProgram,
} from '../engine/sql-program.ts';

type DecisionColumns = Pick<Schema['decisions'], 'opted_in' | 'signed_at' | 'signer'>;

const ROW = { machineId: bytes, optedIn: integer, signedAt: integer, signer: text } as const;
const optionalInteger: ParameterType<number | null> = {};
const NO_BYTES = new Uint8Array();

export function createDecisions(database: SqlDatabase): DecisionStore {
  const { builder } = database.dialect;
  const observed = createTouchedMachines(database.dialect);
  const select = prepareQuery({ machineId: bytes }, ({ machineId }) =>
    builder.selectFrom('decisions').select(['opted_in', 'signed_at', 'signer']).where('machine_id', '=', machineId),
  );
  // Locks the row until the end of the transaction, so that the log has the order in which decisions were current.
  const upsert = prepareQuery(ROW, ({ machineId, optedIn, signedAt, signer }) =>
    builder
      .insertInto('decisions')
      .values({ machine_id: machineId, opted_in: optedIn, signed_at: signedAt, signer })
      .onConflict((conflict) =>
        conflict
          .column('machine_id')
          .doUpdateSet((set) => ({
            opted_in: set.ref('excluded.opted_in'),
            signed_at: set.ref('excluded.signed_at'),
            signer: set.ref('excluded.signer'),
          }))
          .whereRef('decisions.signed_at', '<', 'excluded.signed_at'),
      ),
  );
  const selectEnds = prepareText(database.dialect)<{ head: Uint8Array | null; oldest: number | null }>()(
    { machineId: bytes },
    (sql, { machineId }) => sql`SELECT
      (SELECT hash FROM decision_audit WHERE machine_id = ${machineId} AND hash IS NOT NULL
        ORDER BY signed_at DESC LIMIT 1) AS head,
      (SELECT signed_at FROM decision_audit WHERE machine_id = ${machineId} ORDER BY signed_at LIMIT 1) AS oldest`,
  );
  const insertAudit = prepareQuery(
    {
      ...{ ...ROW, signature: text, appliedAt: integer, message: text, owner: text, controller: text },
      ...{ blockNumber: integer, blockHash: bytes, slot: optionalInteger, previous: bytes, hash: bytes },
    },
    (row) =>
      builder.insertInto('decision_audit').values({
        machine_id: row.machineId,
        signed_at: row.signedAt,
        opted_in: row.optedIn,
        signer: row.signer,
        signature: row.signature,
        applied_at: row.appliedAt,
        message: row.message,
        owner: row.owner,
        controller: row.controller,
        block_number: row.blockNumber,
        block_hash: row.blockHash,
        slot: row.slot,
        previous: row.previous,
        hash: row.hash,
      }),
  );
  const selectPage = prepareQuery(
    { machineId: bytes, through: integer, limit: integer },
    ({ machineId, through, limit }) =>
      builder
        .selectFrom('decision_audit')
        .selectAll()
        .where('machine_id', '=', machineId)
        .where('signed_at', '<=', through)
        .orderBy('signed_at', 'desc')
        .limit(limit),
  );
  const selectPrunable = prepareQuery(
    { machineId: bytes, from: integer, newest: integer },
    ({ machineId, from, newest }) =>
      builder
        .selectFrom('decision_audit')
        .select('signed_at')
        .where('machine_id', '=', machineId)
        .where('signed_at', '<', from)
        .where('signed_at', '<=', (oldest) =>
          oldest
            .selectFrom('decision_audit')
            .select('signed_at')
            .where('machine_id', '=', machineId)
            .orderBy('signed_at', 'desc')
            .limit(1)
            .offset(newest),
        )
        .orderBy('signed_at', 'desc')
        .limit(1),
  );
  const selectChained = prepareQuery({ machineId: bytes, through: integer }, ({ machineId, through }) =>
    builder
      .selectFrom('decision_audit')
      .select(['signed_at', 'hash'])
      .where('machine_id', '=', machineId)
      .where('signed_at', '<=', through)
      .where('hash', 'is not', null)
      .orderBy('signed_at', 'desc')
      .limit(1),
  );
  const deleteRows = (isChained: boolean) =>
    prepareQuery({ machineId: bytes, through: integer }, ({ machineId, through }) =>
      builder
        .deleteFrom('decision_audit')
        .where('machine_id', '=', machineId)
        .where('signed_at', '<=', through)
        .where('hash', isChained ? 'is not' : 'is', null),
    );
  const [deleteUnproven, deleteChained] = [deleteRows(false), deleteRows(true)];
  const selectCheckpoint = prepareQuery({ machineId: bytes }, ({ machineId }) =>
    builder.selectFrom('decision_checkpoints').selectAll().where('machine_id', '=', machineId),
  );
  const upsertCheckpoint = prepareQuery(
    { machineId: bytes, hash: bytes, logCount: integer, signedAt: integer, signer: text, signature: text },
    ({ machineId, hash, logCount, signedAt, signer, signature }) =>
      builder
        .insertInto('decision_checkpoints')
        .values({ machine_id: machineId, hash, log_count: logCount, signed_at: signedAt, signer, signature })
        .onConflict((conflict) =>
          conflict.column('machine_id').doUpdateSet((set) => ({
            hash: set.ref('excluded.hash'),
            log_count: set.ref('excluded.log_count'),
            signed_at: set.ref('excluded.signed_at'),
            signer: set.ref('excluded.signer'),
            signature: set.ref('excluded.signature'),
          })),
        ),
  );

  function* apply(decision: AppliedDecision, retention: DecisionRetention | undefined): SqlProgram<boolean> {
    const row = {
      machineId: toIdBytes(decision.machineId),
      optedIn: decision.optedIn ? 1 : 0,
      signedAt: decision.timestamp,
      signer: decision.signer,
    };
    if ((yield* countChanges(upsert(row))) === 0) return false;
    const { head, oldest } = (yield* readFirst(selectEnds(row)))!;
    const hash = hashDecisionRow(toDecisionRow(decision, head === null ? undefined : columnToHex(head)));
    const { signature, appliedAtMilliseconds: appliedAt, message, authority } = decision;
    const { owner, controller, block, slot = null } = authority;
    const place = { blockNumber: block.number, blockHash: hexToColumn(block.hash), slot };
    const link = { previous: head ?? NO_BYTES, hash: hexToColumn(hash) };
    yield* execute(insertAudit({ ...row, signature, appliedAt, message, owner, controller, ...place, ...link }));
    if (retention !== undefined && oldest !== null && oldest < retention.from) yield* prune(row.machineId, retention);
    yield* observed.touch({ machines: [decision.machineId], kybOperators: [] });
    return true;
  }

  function* prune(machineId: Uint8Array, { from, newest, sign }: DecisionRetention): SqlProgram<void> {
    const last = yield* readFirst(selectPrunable({ machineId, from, newest }));
    if (last === undefined) return;
    // A replica of an older version writes rows without a hash, which no checkpoint can name.
    const chained = yield* readFirst(selectChained({ machineId, through: last.signed_at }));
    const rows = { machineId, through: (chained ?? last).signed_at };
    yield* execute(deleteUnproven(rows));
    if (chained === undefined) return;
    const pruned = yield* countChanges(deleteChained(rows));
    const earlier = (yield* readFirst(selectCheckpoint({ machineId })))?.log_count ?? 0;
    const { head, signer, signature } = sign({ hash: columnToHex(chained.hash!), count: earlier + pruned });
    const { count: logCount, signedAt } = head;
    yield* execute(
      upsertCheckpoint({ machineId, hash: hexToColumn(head.hash), logCount, signedAt, signer, signature }),
    );
  }

  function* list(id: MachineId, page: { through: number; limit: number }): SqlProgram<DecisionLogPage> {
    const machineId = toIdBytes(id);
    const rows = yield* readRows(selectPage({ machineId, ...page }));
    const { head } = (yield* readFirst(selectEnds({ machineId })))!;
    const checkpoint = yield* readFirst(selectCheckpoint({ machineId }));
    return {
      decisions: rows.map((row) => toLogged(id, row)),
      head: head === null ? undefined : columnToHex(head),
      checkpoint: checkpoint && toCheckpoint(id, checkpoint),
    };
  }

  return {
    async readDecision(id) {
      const row = await database.run(readFirst(select({ machineId: toIdBytes(id) })));
      return row && toDecision(id, row);
    },
    applyDecision: (decision, retention) => database.transaction(apply(decision, retention)),
    listDecisions: (id, page) => database.snapshot(list(id, page)),
  };
}

function toDecision(machineId: MachineId, { opted_in, signed_at, signer }: DecisionColumns): SignedDecision {
  return { machineId, optedIn: opted_in === 1, timestamp: signed_at, signer: signer as Signer };
}

function toLogged(id: MachineId, row: Schema['decision_audit']): LoggedDecision {
  return {
    ...toDecision(id, row),
    signature: row.signature,
    appliedAtMilliseconds: row.applied_at,
    record: row.hash === null ? undefined : toRecord(row, row.hash),
  };
}

/** Converts a row of a chain, whose columns are filled. */
function toRecord(row: Schema['decision_audit'], hash: Uint8Array): DecisionRecord {
  return {
    message: row.message!,
    authority: {
      owner: row.owner as Signer,
      controller: row.controller as Signer,
      block: { number: row.block_number!, hash: columnToHex(row.block_hash!) },
      slot: row.slot ?? undefined,
    },
    previous: row.previous!.length === 0 ? undefined : columnToHex(row.previous!),
    hash: columnToHex(hash),
  };
}

function toCheckpoint(id: MachineId, row: Schema['decision_checkpoints']): SignedLogHead {
  const { hash, log_count: count, signed_at: signedAt, signer, signature } = row;
  return { head: { machineId: String(id), hash: columnToHex(hash), count, signedAt }, signature, signer };
}
