/** Verdicts that depend on a claim, which are made again where it changes (docs/decisions/payment-sources.md). */
import type { PaymentMachine, PlacedClaim } from '../../../ports/payment-store.ts';
import { createTouchedMachines } from '../changes/touched-machines.ts';
import { bytes, integer, text } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import { execute, readFirst, readRows, type SqlDatabase, type SqlProgram } from '../engine/sql-program.ts';
import { fromIdBytes } from '../schema/stored-machine-id.ts';
import { keyOf, prepareOpenNext } from './payment-rows.ts';

/** Claim that holds, or does not hold, from a time on. */
export interface ClaimChange {
  readonly account: string;
  readonly owner: string;
  readonly fromTime: number;
}

interface DependentRow {
  readonly home: number;
  readonly machine_id: Uint8Array;
  readonly source: string;
  readonly seq: number;
}

/** Lists the claims of a machine that are made, removed, or end at another time. */
export function listClaimChanges(
  before: readonly PlacedClaim[],
  after: readonly PlacedClaim[],
): readonly ClaimChange[] {
  const [old, current] = [before, after].map((claims) => new Map(claims.map((claim) => [keyOfClaim(claim), claim])));
  return [...new Set([...old!.keys(), ...current!.keys()])].flatMap((key) => {
    const [was, is] = [old!.get(key), current!.get(key)];
    const { account, owner, since } = (was ?? is)!;
    if (was === undefined || is === undefined) return [{ account, owner, fromTime: since }];
    const fromTime = Math.min(was.end?.at ?? Infinity, is.end?.at ?? Infinity);
    return was.end?.at === is.end?.at ? [] : [{ account, owner, fromTime }];
  });
}

function keyOfClaim({ account, owner, since, place }: PlacedClaim): string {
  return [account, owner, since, place.block, place.index].join();
}

export interface VerdictRemoval {
  /** Notes that claims or citations changed, so that no verdict is stored that is in the making. Requires the write lock. */
  countChange(): SqlProgram<void>;
  /**
   * Makes verdicts undecided, with the later ones of the same machine and source, which may depend on them: on payments to a machine that
   * claimed one of the accounts, also the machine itself, and on those by one of them where the owners are the same. A verdict of the main
   * chain depends on no claim of the alt chain. Requires the write lock, and that the claims are stored.
   */
  removeDependent(of: PaymentMachine, changes: readonly ClaimChange[]): SqlProgram<void>;
}

export function createVerdictRemoval({ dialect }: SqlDatabase): VerdictRemoval {
  const query = prepareText(dialect);
  const openNext = prepareOpenNext(dialect);
  const observed = createTouchedMachines(dialect);
  const readSearched = query<{ time: number | null }>()(
    {},
    (q) => q`SELECT max(scanned_through) AS time FROM payment_positions`,
  );
  const increment = query()({}, (q) => q`UPDATE payment_configuration SET claim_revision = claim_revision + 1`);
  const dependentOf = {
    home: 'integer',
    machine_id: 'bytes',
    account: 'text',
    owner: 'text',
    from_time: 'integer',
  } as const;
  const selectDependent = [
    `SELECT c.home, c.machine_id, c.source, min(c.seq) AS seq FROM batch
     JOIN payment_citations c ON c.payer = batch.account AND c.payment_time >= batch.from_time AND c.home = batch.home
     WHERE EXISTS (SELECT 1 FROM payment_claims o
       WHERE o.home = c.home AND o.machine_id = c.machine_id AND o.owner = batch.owner)
     GROUP BY c.home, c.machine_id, c.source`,
    `SELECT c.home, c.machine_id, c.source, min(c.seq) AS seq FROM (
       SELECT p.home, p.machine_id, min(batch.from_time) AS from_time FROM batch
       JOIN payment_claims p ON p.account = batch.account AND (p.home = batch.home OR batch.home = 0)
       GROUP BY p.home, p.machine_id) claimants
     JOIN payment_citations c ON c.home = claimants.home AND c.machine_id = claimants.machine_id
       AND c.payment_time >= claimants.from_time
     GROUP BY c.home, c.machine_id, c.source`,
  ].map((text) => dialect.batch(dependentOf, text));
  const removeVerdicts = query()(
    { home: integer, id: bytes, source: text, seq: integer },
    (q, { home, id, source, seq }) => q`UPDATE payment_citations SET code = 'pending', is_open = 0, attempts = 0,
        retry_at = 0, paid_cents = 0, token = NULL, payer = NULL, worth_cents = NULL, returned_cents = NULL,
        payment_time = NULL
      WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND seq >= ${seq}
        AND code NOT IN ('not_found', 'failed')`,
  );
  // Their transfers are those of the accounts that the machine had claimed.
  const removeFlows = query()(
    { home: integer, id: bytes, source: text, seq: integer },
    (q, { home, id, source, seq }) => q`DELETE FROM payment_cited_flows
      WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND seq >= ${seq}`,
  );

  function* countChange(): SqlProgram<void> {
    yield* execute(increment({}));
  }

  function* removeDependent(of: PaymentMachine, changes: readonly ClaimChange[]): SqlProgram<void> {
    if (changes.length === 0) return;
    // No verdict was made on later payments.
    const searched = (yield* readFirst(readSearched({})))?.time ?? -1;
    const early = changes.filter(({ fromTime }) => fromTime <= searched);
    if (early.length === 0) return;
    yield* countChange();
    const { home, id } = keyOf(of);
    const found: DependentRow[] = [];
    for (const sql of selectDependent) {
      const rows = early.map(({ account, owner, fromTime }) => [home, id, account, owner, fromTime]);
      found.push(...(yield* readRows<DependentRow>({ sql, batch: rows })));
    }
    // One statement for each, because a machine may have many citations.
    for (const { seq, source, ...dependent } of found) {
      const key = { home: dependent.home, id: dependent.machine_id, source };
      yield* execute(removeVerdicts({ ...key, seq }));
      yield* execute(removeFlows({ ...key, seq }));
      yield* execute(openNext(key));
    }
    yield* observed.touch({ machines: found.map((row) => fromIdBytes(row.machine_id)), kybOperators: [] });
  }

  return { countChange, removeDependent };
}
