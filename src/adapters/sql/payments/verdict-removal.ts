/** Verdicts that depend on a claim of another machine, which are made again where it changes (docs/decisions/payment-sources.md). */
import type { PaymentMachine, PlacedClaim } from '../../../ports/payment-store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { execute, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { fromIdBytes } from '../schema/stored-machine-id.ts';
import { keyOf, prepareOpenNext } from './payment-rows.ts';

/** Account whose assignment, or whose owner, may be another one from a time on. */
export interface ClaimChange {
  readonly account: string;
  readonly fromTime: number;
}

interface DependentRow {
  readonly home: number;
  readonly machine_id: Uint8Array;
  readonly source: string;
}

/** Lists claims that were made, and those whose end is another one. Both lists are in order of position. */
export function listClaimChanges(
  before: readonly PlacedClaim[],
  after: readonly PlacedClaim[],
): readonly ClaimChange[] {
  const stored = new Map(before.map((claim) => [claim.seq, claim]));
  return after.flatMap((claim) => {
    const { account, since, end } = claim;
    const old = stored.get(claim.seq);
    if (old === undefined) return [{ account, fromTime: since }];
    if (old.end?.at === end?.at) return [];
    return [{ account, fromTime: Math.min(old.end?.at ?? Infinity, end?.at ?? Infinity) }];
  });
}

/**
 * Creates a program that makes verdicts of other machines undecided: on payments by one of the accounts, or to a machine that claimed one.
 * All verdicts of such a machine on the source are made again, because later ones depend on earlier ones and their transfers. Requires the
 * write lock.
 */
export function createVerdictRemoval({ dialect }: SqlDatabase) {
  const { batch } = dialect;
  const openNext = prepareOpenNext(dialect);
  const observed = createTouchedMachines(dialect);
  const countChange = prepareText(dialect)()(
    {},
    (q) => q`UPDATE payment_configuration SET claim_revision = claim_revision + 1`,
  );
  const changed = { home: 'integer', machine_id: 'bytes', account: 'text', from_time: 'integer' } as const;
  const selectDependent = [
    `SELECT DISTINCT c.home, c.machine_id, c.source FROM batch
     JOIN payment_citations c ON c.payer = batch.account AND c.payment_time >= batch.from_time
     WHERE (c.home, c.machine_id) <> (batch.home, batch.machine_id)`,
    `SELECT DISTINCT c.home, c.machine_id, c.source FROM batch
     JOIN payment_claims p ON p.account = batch.account
     JOIN payment_citations c ON c.home = p.home AND c.machine_id = p.machine_id AND c.payment_time >= batch.from_time
     WHERE (p.home, p.machine_id) <> (batch.home, batch.machine_id)`,
  ].map((text) => batch(changed, text));
  const ofMachine = { home: 'integer', machine_id: 'bytes', source: 'text' } as const;
  const isOfBatch = (table: string) =>
    `${table}.home = batch.home AND ${table}.machine_id = batch.machine_id AND ${table}.source = batch.source`;
  const removeVerdicts = batch(
    ofMachine,
    `UPDATE payment_citations SET code = 'pending', is_open = 0, attempts = 0, retry_at = 0, paid_cents = 0, token = NULL,
       payer = NULL, worth_cents = NULL, returned_cents = NULL, payment_time = NULL
     FROM batch WHERE ${isOfBatch('payment_citations')}`,
  );
  const removeFlows = batch(
    ofMachine,
    `DELETE FROM payment_cited_flows WHERE (home, machine_id, source) IN (SELECT home, machine_id, source FROM batch)`,
  );
  // Transfers of earlier payments may be pruned.
  const readSendersAgain = batch(
    ofMachine,
    `UPDATE payment_senders SET through_block = NULL
     FROM batch JOIN payment_claims p ON p.home = batch.home AND p.machine_id = batch.machine_id
     WHERE payment_senders.source = batch.source AND payment_senders.address IN (p.account, p.owner)`,
  );

  return function* removeDependent(of: PaymentMachine, changes: readonly ClaimChange[]): SqlProgram<void> {
    if (changes.length === 0) return;
    yield* execute(countChange({}));
    const { home, id } = keyOf(of);
    const rows: DependentRow[] = [];
    for (const text of selectDependent) {
      const found = { sql: text, batch: changes.map(({ account, fromTime }) => [home, id, account, fromTime]) };
      rows.push(...(yield* readRows<DependentRow>(found)));
    }
    if (rows.length === 0) return;
    const dependent = rows.map((row) => [row.home, row.machine_id, row.source]);
    for (const sql of [removeVerdicts, removeFlows, readSendersAgain]) yield* execute({ sql, batch: dependent });
    for (const row of rows) yield* execute(openNext({ home: row.home, id: row.machine_id, source: row.source }));
    yield* observed.touch({ machines: rows.map((row) => fromIdBytes(row.machine_id)), kybOperators: [] });
  };
}
