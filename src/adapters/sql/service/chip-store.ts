/**
 * Evidence challenges and accepted evidence records (`ChipStore`). The WHERE clauses are the concurrency control: of several documents
 * that race for a challenge exactly one consumes it, and parallel requests cannot exceed a cap.
 */
import { sql } from 'kysely';
import type { ChallengeLookup } from '../../../domain/evidence/challenge-record.ts';
import type { AcceptanceOutcome } from '../../../domain/evidence/evidence-steps.ts';
import { fromHex, toHex, type Hex } from '../../../domain/evidence/signed-bytes.ts';
import type { Address } from '../../../domain/identifiers/identifiers.ts';
import type {
  AttestationReview,
  ChallengeCaps,
  ChipStore,
  StoredEvidenceRecord,
  NewChallenge,
} from '../../../ports/store.ts';
import { bytes, integer, prepareQuery } from '../engine/prepared-query.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';
import {
  countChanges,
  execute,
  readFirst,
  readRows,
  type SqlDatabase,
  type SqlProgram,
} from '../engine/sql-program.ts';

const RETENTION_AFTER_EXPIRY_SECONDS = 3_600;
const RETENTION_AFTER_CONSUMPTION_SECONDS = 30 * 86_400;

export function createChipStore(database: SqlDatabase): ChipStore {
  const { builder } = database.dialect;
  // Locks the row until the end of the transaction, so that counts cannot change before the insert.
  const lockCaps = builder
    .insertInto('challenge_issuing')
    .values({ only_row: 1, issued: 1 })
    .onConflict((conflict) =>
      conflict.column('only_row').doUpdateSet({ issued: sql<number>`challenge_issuing.issued + 1` }),
    )
    .compile();
  const insertUnderCaps = prepareQuery(
    {
      nonceHash: bytes,
      machineId: bytes,
      didController: bytes,
      chainId: integer,
      issuedAt: integer,
      expiresAt: integer,
      perMachine: integer,
      total: integer,
    },
    (value) => {
      const open = builder
        .selectFrom('challenges')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('consumed_by', 'is', null)
        .where('expires_at', '>', value.issuedAt);
      return builder
        .insertInto('challenges')
        .columns(['nonce_hash', 'machine_id', 'did_controller', 'chain_id', 'issued_at', 'expires_at'])
        .expression(
          builder
            .selectNoFrom([
              value.nonceHash.as('nonce_hash'),
              value.machineId.as('machine_id'),
              value.didController.as('did_controller'),
              value.chainId.as('chain_id'),
              value.issuedAt.as('issued_at'),
              value.expiresAt.as('expires_at'),
            ])
            .where(open.where('machine_id', '=', value.machineId), '<', value.perMachine)
            .where(open, '<', value.total),
        );
    },
  );
  const selectChallenge = prepareQuery({ nonceHash: bytes }, ({ nonceHash }) =>
    builder.selectFrom('challenges').selectAll().where('nonce_hash', '=', nonceHash),
  );
  const selectRecordOf = prepareQuery({ evidenceHash: bytes }, ({ evidenceHash }) =>
    builder.selectFrom('evidence_intakes').select('received_at').where('evidence_hash', '=', evidenceHash),
  );
  const consume = prepareQuery({ nonceHash: bytes, evidenceHash: bytes, now: integer }, (value) =>
    builder
      .updateTable('challenges')
      .set({ consumed_at: value.now, consumed_by: value.evidenceHash })
      .where('nonce_hash', '=', value.nonceHash)
      .where('consumed_by', 'is', null)
      .where('expires_at', '>', value.now),
  );
  const deleteOld = prepareQuery({ expiredBefore: integer, consumedBefore: integer }, (value) =>
    builder
      .deleteFrom('challenges')
      .where((where) =>
        where.or([
          where.and([where('consumed_by', 'is', null), where('expires_at', '<=', value.expiredBefore)]),
          where('consumed_at', '<=', value.consumedBefore),
        ]),
      ),
  );
  const countOpen = prepareQuery({ now: integer }, ({ now }) =>
    builder
      .selectFrom('challenges')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('consumed_by', 'is', null)
      .where('expires_at', '>', now),
  );

  function* count(now: number): SqlProgram<number> {
    return (yield* readFirst(countOpen({ now })))!.count;
  }

  function* insertChallenge(challenge: NewChallenge, caps: ChallengeCaps): SqlProgram<boolean> {
    yield* execute({ sql: lockCaps.sql, parameters: lockCaps.parameters as number[] });
    const inserted = yield* countChanges(
      insertUnderCaps({
        ...caps,
        nonceHash: fromHex(challenge.nonceHash),
        machineId: toIdBytes(challenge.machineId),
        didController: fromHex(challenge.didController),
        chainId: challenge.chainId,
        issuedAt: challenge.issuedAt,
        expiresAt: challenge.expiresAt,
      }),
    );
    return inserted === 1;
  }

  function* find(nonceHash: Hex, evidenceHash: Hex): SqlProgram<ChallengeLookup> {
    const row = yield* readFirst(selectChallenge({ nonceHash: fromHex(nonceHash) }));
    if (row !== undefined) return { state: 'stored', challenge: toChallenge(row) };
    const record = yield* readFirst(selectRecordOf({ evidenceHash: fromHex(evidenceHash) }));
    return { state: 'gone', isDocumentAccepted: record !== undefined };
  }

  function* accept(nonceHash: Hex, record: StoredEvidenceRecord): SqlProgram<AcceptanceOutcome> {
    const evidenceHash = fromHex(record.evidenceHash);
    const consumed = yield* countChanges(
      consume({ nonceHash: fromHex(nonceHash), evidenceHash, now: record.receivedAt }),
    );
    if (consumed === 0) return yield* find(nonceHash, record.evidenceHash);
    const { sql: text, parameters } = builder.insertInto('evidence_intakes').values(toRow(record)).compile();
    yield* execute({ sql: text, parameters: parameters as Uint8Array[] });
    return { state: 'written' };
  }

  function* list(machineId: Uint8Array | undefined, limit: number): SqlProgram<StoredEvidenceRecord[]> {
    const all = builder.selectFrom('evidence_intakes').selectAll();
    const wanted = machineId === undefined ? all : all.where('machine_id', '=', machineId);
    const query = wanted.orderBy('received_at', 'desc').orderBy('receipt_id').limit(limit).compile();
    const rows = yield* readRows<Schema['evidence_intakes']>({
      sql: query.sql,
      parameters: query.parameters as number[],
    });
    return rows.map(toRecord);
  }

  return {
    insertChallenge: (challenge, caps) => database.transaction(insertChallenge(challenge, caps)),
    // Needs no snapshot: records are permanent, and a deleted challenge does not return.
    findChallenge: (nonceHash, evidenceHash) => database.run(find(nonceHash, evidenceHash)),
    consumeChallenge: (nonceHash, record) => database.transaction(accept(nonceHash, record)),
    deleteOldChallenges: (now) =>
      database.run(
        countChanges(
          deleteOld({
            expiredBefore: now - RETENTION_AFTER_EXPIRY_SECONDS,
            consumedBefore: now - RETENTION_AFTER_CONSUMPTION_SECONDS,
          }),
        ),
      ),
    countOpenChallenges: (now) => database.run(count(now)),
    listEvidenceRecords: (machineId, limit) =>
      database.run(list(machineId === undefined ? undefined : toIdBytes(machineId), limit)),
    async readEvidenceRecord(receiptId) {
      const query = builder.selectFrom('evidence_intakes').selectAll().where('receipt_id', '=', fromHex(receiptId));
      const { sql: text, parameters } = query.compile();
      const program = readFirst<Schema['evidence_intakes']>({ sql: text, parameters: parameters as Uint8Array[] });
      const row = await database.run(program);
      return row && toRecord(row);
    },
    async insertAttestationReview(review) {
      const { sql: text, parameters } = builder.insertInto('attestation_reviews').values(toReviewRow(review)).compile();
      await database.run(execute({ sql: text, parameters: parameters as (Uint8Array | number | string | null)[] }));
    },
    async listAttestationReviews(subject) {
      const all = builder.selectFrom('attestation_reviews').selectAll().where('subject', '=', subject);
      const { sql: text, parameters } = all.orderBy('reviewed_at', 'desc').orderBy('transaction_hash').compile();
      const program = readRows<Schema['attestation_reviews']>({ sql: text, parameters: parameters as string[] });
      return (await database.run(program)).map(toReview);
    },
  };
}

function toReviewRow(review: AttestationReview): Schema['attestation_reviews'] {
  const { receiptId, operator } = review;
  return {
    transaction_hash: fromHex(review.transaction),
    change: review.change,
    receipt_id: receiptId === undefined ? null : fromHex(receiptId),
    subject: review.subject,
    reviewer: review.reviewer,
    reason: review.reason ?? null,
    expires_at: review.expiresAt ?? null,
    operator: operator === undefined ? null : fromHex(operator),
    reviewed_at: review.reviewedAt,
  };
}

function toReview(row: Schema['attestation_reviews']): AttestationReview {
  return {
    transaction: toHex(row.transaction_hash),
    change: row.change,
    receiptId: row.receipt_id === null ? undefined : toHex(row.receipt_id),
    subject: row.subject,
    reviewer: row.reviewer,
    reason: row.reason ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    operator: row.operator === null ? undefined : (toHex(row.operator) as Address),
    reviewedAt: row.reviewed_at,
  };
}

function toChallenge(row: Schema['challenges']) {
  return {
    nonceHash: toHex(row.nonce_hash),
    machineId: fromIdBytes(row.machine_id),
    didController: toHex(row.did_controller) as Address,
    chainId: row.chain_id,
    expiresAt: row.expires_at,
    consumedBy: row.consumed_by === null ? undefined : toHex(row.consumed_by),
  };
}

function toRow(record: StoredEvidenceRecord): Schema['evidence_intakes'] {
  return {
    receipt_id: fromHex(record.receiptId),
    evidence_hash: fromHex(record.evidenceHash),
    machine_id: toIdBytes(record.machineId),
    chip_ref: fromHex(record.chipRef),
    leaf_fingerprint: fromHex(record.leafFingerprint),
    leaf_serial: fromHex(record.leafSerial),
    controller: fromHex(record.controller),
    received_at: record.receivedAt,
    evidence: record.evidence ?? null,
  };
}

function toRecord(row: Schema['evidence_intakes']): StoredEvidenceRecord {
  return {
    receiptId: toHex(row.receipt_id),
    evidenceHash: toHex(row.evidence_hash),
    machineId: fromIdBytes(row.machine_id),
    chipRef: toHex(row.chip_ref),
    leafFingerprint: toHex(row.leaf_fingerprint),
    leafSerial: toHex(row.leaf_serial),
    controller: toHex(row.controller) as Address,
    receivedAt: row.received_at,
    evidence: row.evidence === null ? undefined : Uint8Array.from(row.evidence),
  };
}
