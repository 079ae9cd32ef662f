/** Opt-in decisions and the decision log (`DecisionStore`): one current row per machine, and the newest decisions that were current. */
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { SignedDecision, Signer } from '../../../domain/monetization/decision.ts';
import type { AppliedDecision, DecisionStore } from '../../../ports/store.ts';
import { MAX_LOGGED_DECISIONS } from '../../../ports/store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import { bytes, integer, prepareQuery, text } from '../engine/prepared-query.ts';
import { toIdBytes } from '../schema/stored-machine-id.ts';
import { execute, readFirst, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';

interface DecisionRow {
  readonly opted_in: number;
  readonly signed_at: number;
  readonly signer: string;
}

const ROW = { machineId: bytes, optedIn: integer, signedAt: integer, signer: text } as const;

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
  const insertAudit = prepareQuery(
    { ...ROW, signature: text, appliedAt: integer },
    ({ machineId, optedIn, signedAt, signer, signature, appliedAt }) =>
      builder.insertInto('decision_audit').values({
        machine_id: machineId,
        signed_at: signedAt,
        opted_in: optedIn,
        signer,
        signature,
        applied_at: appliedAt,
      }),
  );
  const deleteOldest = prepareQuery({ machineId: bytes }, ({ machineId }) =>
    builder
      .deleteFrom('decision_audit')
      .where('machine_id', '=', machineId)
      .where('signed_at', '<=', (newest) =>
        newest
          .selectFrom('decision_audit')
          .select('signed_at')
          .where('machine_id', '=', machineId)
          .orderBy('signed_at', 'desc')
          .limit(1)
          .offset(MAX_LOGGED_DECISIONS),
      ),
  );
  const selectAudit = prepareQuery({ machineId: bytes }, ({ machineId }) =>
    builder
      .selectFrom('decision_audit')
      .select(['opted_in', 'signed_at', 'signer', 'signature', 'applied_at'])
      .where('machine_id', '=', machineId)
      .orderBy('signed_at'),
  );

  function* apply(decision: AppliedDecision): SqlProgram<boolean> {
    const row = {
      machineId: toIdBytes(decision.machineId),
      optedIn: decision.optedIn ? 1 : 0,
      signedAt: decision.timestamp,
      signer: decision.signer,
    };
    if ((yield* execute(upsert(row))) === 0) return false;
    const { signature, appliedAtMilliseconds: appliedAt } = decision;
    yield* execute(insertAudit({ ...row, signature, appliedAt }));
    yield* execute(deleteOldest(row));
    yield* observed.touch({ machines: [decision.machineId], kybOperators: [] });
    return true;
  }

  return {
    async readDecision(id) {
      const row = await database.run(readFirst(select({ machineId: toIdBytes(id) })));
      return row && toDecision(id, row);
    },
    applyDecision: (decision) => database.transaction(apply(decision)),
    async listAppliedDecisions(id) {
      const rows = await database.run(readRows(selectAudit({ machineId: toIdBytes(id) })));
      return rows.map((row) => ({
        ...toDecision(id, row),
        signature: row.signature,
        appliedAtMilliseconds: row.applied_at,
      }));
    },
  };
}

function toDecision(machineId: MachineId, { opted_in, signed_at, signer }: DecisionRow): SignedDecision {
  return { machineId, optedIn: opted_in === 1, timestamp: signed_at, signer: signer as Signer };
}
