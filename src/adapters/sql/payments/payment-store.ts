/** Claims, citations, verdicts and transfers (`PaymentStore`; design/scoring.md, Sources and payout accounts, Verdict). */
import { sql } from 'kysely';
import { SECONDS_PER_DAY } from '../../../domain/rating/utc-day.ts';
import type { PaymentStore } from '../../../ports/payment-store.ts';
import { integer, text } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { execute, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { createPaymentFlows } from './payment-flows.ts';
import { createPaymentScans } from './payment-scans.ts';
import { createPaymentVerdicts } from './payment-verdicts.ts';
import { createScanReads } from './scan-reads.ts';

const TABLES = ['scans', 'claims', 'citations', 'senders', 'flows', 'cited_flows', 'positions'];
const FLOW_SECONDS_BEFORE_CITATION = 200 * SECONDS_PER_DAY;

export function createPaymentStore(database: SqlDatabase): PaymentStore {
  const query = prepareText(database.dialect);
  const scanReads = createScanReads(database);

  const saveFingerprint = query()(
    { fingerprint: text },
    (q, { fingerprint }) => q`INSERT INTO payment_configuration (only_row, fingerprint) VALUES (1, ${fingerprint})
      ON CONFLICT (only_row) DO UPDATE SET fingerprint = excluded.fingerprint,
        claim_revision = payment_configuration.claim_revision + 1`,
  );
  const pruneCitations = query()(
    { before: integer },
    (q, { before }) => q`DELETE FROM payment_citations WHERE block_timestamp < ${before} AND code <> 'pending'`,
  );
  const pruneFlows = (['payment_flows', 'payment_cited_flows'] as const).map((name) =>
    query()(
      { before: integer },
      (q, { before }) => q`DELETE FROM ${sql.raw(name)} WHERE block_time < ${before} AND block_time < COALESCE(
        (SELECT min(block_timestamp) - ${sql.lit(FLOW_SECONDS_BEFORE_CITATION)} FROM payment_citations
          WHERE code = 'pending'), ${before})`,
    ),
  );

  function* use(fingerprint: string): SqlProgram<void> {
    if ((yield* scanReads.readFingerprint()) === fingerprint) return;
    for (const name of TABLES) yield* execute({ sql: `DELETE FROM payment_${name}`, parameters: [] });
    yield* execute(saveFingerprint({ fingerprint }));
  }

  function* prune(citationsBefore: number, flowsBefore: number): SqlProgram<void> {
    yield* execute(pruneCitations({ before: citationsBefore }));
    for (const remove of pruneFlows) yield* execute(remove({ before: flowsBefore }));
  }

  return {
    ...createPaymentScans(database, scanReads),
    ...createPaymentVerdicts(database, scanReads),
    ...createPaymentFlows(database, scanReads),
    async usePaymentConfiguration(fingerprint) {
      scanReads.use(fingerprint);
      await database.exclusive(use(fingerprint));
    },
    prunePayments: (citationsBefore, flowsBefore) => database.exclusive(prune(citationsBefore, flowsBefore)),
  };
}
