/** Rows of payment tables, and what they hold. */
import type { HomeChain } from '../../../domain/rating/paid/claims.ts';
import type { Flow } from '../../../domain/rating/paid/flows.ts';
import type { OpenCitation, PaymentMachine, PlacedClaim } from '../../../ports/payment-store.ts';
import type { Dialect } from '../engine/dialect.ts';
import { bytes, integer, text } from '../engine/prepared-query.ts';
import { prepareText } from '../engine/prepared-text.ts';
import type { Schema } from '../schema/schema.ts';
import { fromIdBytes, toIdBytes } from '../schema/stored-machine-id.ts';

export type ClaimRow = Schema['payment_claims'];
export type CitationRow = Schema['payment_citations'];
/** Citation with the number of writes of claims. */
export type OpenCitationRow = CitationRow & { readonly claim_revision: number };

export interface PlaceRow {
  readonly block: number;
  readonly place: number;
}

export type FlowRow = PlaceRow &
  Pick<Schema['payment_flows'], 'sender' | 'receiver' | 'token' | 'units' | 'block' | 'block_time'>;

export const HOMES: readonly HomeChain[] = ['main', 'alt'];
/** Parameters of a query about one machine. */
export const MACHINE = { home: integer, id: bytes };

export const homeNumber = (home: HomeChain): number => HOMES.indexOf(home);
export const keyOf = ({ home, id }: PaymentMachine) => ({ home: homeNumber(home), id: toIdBytes(id) });

/** Reads the claims of a machine in order. */
export const prepareClaims = (dialect: Dialect) =>
  prepareText(dialect)<ClaimRow>()(
    MACHINE,
    (q, { home, id }) => q`SELECT * FROM payment_claims WHERE home = ${home} AND machine_id = ${id} ORDER BY seq`,
  );

/** Number of writes that changed claims. */
export const CLAIM_REVISION = 'COALESCE((SELECT claim_revision FROM payment_configuration), 0)';

/** Opens the oldest citation of a machine on a source that has no verdict. */
export const prepareOpenNext = (dialect: Dialect) =>
  prepareText(dialect)()(
    { ...MACHINE, source: text },
    (q, { home, id, source }) => q`UPDATE payment_citations SET is_open = 1
      WHERE home = ${home} AND machine_id = ${id} AND seq = (SELECT min(seq) FROM payment_citations
        WHERE home = ${home} AND machine_id = ${id} AND source = ${source} AND code = 'pending')`,
  );

export function fromClaimRow(row: ClaimRow): PlacedClaim {
  const { account, owner, since, seq, block, place: index, end_at: at, end_seq: endSeq } = row;
  const end = at === null || endSeq === null ? undefined : { at, seq: endSeq };
  return { account, owner, since, seq, end, place: { block, index } };
}

export function fromCitationRow(row: OpenCitationRow): OpenCitation {
  return {
    home: HOMES[row.home]!,
    id: fromIdBytes(row.machine_id),
    seq: row.seq,
    source: row.source,
    reference: row.reference,
    cents: row.cents,
    day: row.event_day,
    timestamp: row.event_timestamp,
    blockTimestamp: row.block_timestamp,
    isAttested: row.is_attested === 1,
    attempts: row.attempts,
    claimRevision: row.claim_revision,
  };
}

export function fromFlowRow({ sender: from, receiver: to, token, units, block, block_time: time }: FlowRow): Flow {
  return { from, to, token, units: BigInt(units), block, time };
}

export function compareFlowRows(a: PlaceRow, b: PlaceRow): number {
  return a.block - b.block || a.place - b.place;
}
