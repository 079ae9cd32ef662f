/**
 * Evidence of payments for one machine, as its rating uses it: moves of verdicts, accounts in force and numbers of verdicts (design/scoring.md,
 * What the answer shows). Without payment sources there is none, and every verdict is `declared`.
 */
import { classifyEvent } from '../domain/rating/event-class.ts';
import { WINDOW_DAYS } from '../domain/rating/constants.ts';
import type { RatingEvent } from '../domain/rating/event.ts';
import { listClaimedHands, type Claim } from '../domain/rating/paid/claims.ts';
import { paymentFingerprint } from '../domain/rating/paid/payment-configuration.ts';
import type { PaidMove } from '../domain/rating/paid/paid-moves.ts';
import type { RateTable } from '../domain/rating/rate-table.ts';
import type { Rating } from '../domain/rating/rating.ts';
import { dayOf } from '../domain/rating/utc-day.ts';
import { VERDICTS, type VerdictCode } from '../domain/rating/verdict.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { HandsChange, PaymentMachine, PaymentScan, PaymentSummary } from '../ports/payment-store.ts';

export type VerdictCounts = Readonly<Record<VerdictCode, number>>;

export interface PaymentEvidence {
  /** Null without payment sources. */
  readonly sourcesHash: string | null;
  /** Undefined: nothing is searched yet. */
  readonly scan: PaymentScan | undefined;
  /** Claims in force. */
  readonly accounts: readonly Claim[];
  /** Moves of all verdicts, with those that a change of hands ended. */
  readonly moves: readonly PaidMove[];
  readonly counts: PaymentSummary['counts'];
  /** Newest change of hands that claims show; undefined without one, and on the main chain. */
  readonly claimedHands: HandsChange | undefined;
  /** Owner that the newest claim names; undefined without a claim. */
  readonly claimedOwner: string | undefined;
}

export const NO_PAYMENTS: PaymentEvidence = {
  sourcesHash: null,
  scan: undefined,
  accounts: [],
  moves: [],
  counts: [],
  claimedHands: undefined,
  claimedOwner: undefined,
};

/** Returns the hash of the payment sources; undefined without any. */
export function currentSourcesHash({ paymentSources }: Ctx): string | undefined {
  return paymentSources?.hash ?? undefined;
}

/** Returns the fingerprint of the configuration; undefined without payment sources. */
export function currentPaymentFingerprint(ctx: Ctx): string | undefined {
  const hash = currentSourcesHash(ctx);
  return hash === undefined ? undefined : paymentFingerprint(hash, ctx.fxRates.current().fingerprint, ctx.namespace);
}

/** What is rated; the index may already hold what happened later, which says nothing about it. */
export interface RatedPart {
  /** Newest change of hands of a main-chain machine. */
  readonly change: HandsChange | undefined;
  readonly eventCount: number;
  /** Time of the block; undefined on the alt chain, where changes of hands show in claims alone. */
  readonly blockTimestamp: number | undefined;
}

/** Reads the evidence of the first events of a machine. Throws `StoreUnavailable`. */
export async function readPaymentEvidence(
  ctx: Ctx,
  machine: PaymentMachine,
  { change, eventCount, blockTimestamp }: RatedPart,
): Promise<PaymentEvidence> {
  const fingerprint = currentPaymentFingerprint(ctx);
  if (fingerprint === undefined) return NO_PAYMENTS;
  const summary = await ctx.store.readPaymentSummary(fingerprint, machine, change, eventCount);
  const { scan, claims: known, counts } = summary;
  const claims = known.filter(({ seq }) => seq < eventCount);
  const isPast = (at: number) => blockTimestamp !== undefined && at <= blockTimestamp;
  const isEnded = ({ end }: Claim) =>
    end !== undefined && (isPast(end.at) || (machine.home === 'alt' && end.seq < eventCount));
  const isInForce = (claim: Claim) => !isEnded(claim) && (change === undefined || claim.seq >= change.seq);
  const claimedSeqs = machine.home === 'alt' ? listClaimedHands(claims) : [];
  const claimedHands = claims.filter(({ seq }) => claimedSeqs.includes(seq)).map(({ seq, since: at }) => ({ seq, at }));
  // Moves that only a later change of hands ended go on.
  const isOver = (end: number) => isPast(end) || claimedHands.some(({ at }) => at === end);
  const moves = summary.moves.map((move) =>
    move.endedAt === undefined || isOver(move.endedAt) ? move : { ...move, endedAt: undefined },
  );
  return {
    sourcesHash: ctx.paymentSources!.hash,
    scan,
    accounts: claims.filter(isInForce),
    moves,
    counts,
    claimedHands: claimedHands.at(-1),
    claimedOwner: claims.at(-1)?.owner,
  };
}

/** Returns the evidence as if the machine changed hands at `now`: no account is in force, and every move has ended. */
export function endEvidence(evidence: PaymentEvidence, now: number): PaymentEvidence {
  const moves = evidence.moves.map((move) => ({ ...move, endedAt: move.endedAt ?? now }));
  return { ...evidence, accounts: [], moves };
}

/** Counts the verdicts on events in the blocks of 180 days. Events that are not searched yet are pending where they may be followed. */
export function countVerdicts(
  { sourcesHash, scan, accounts, counts }: PaymentEvidence,
  { verdictCount, lastUpdated }: Pick<Rating, 'verdictCount' | 'lastUpdated'>,
  { foldedSeq, tail, rates, now }: UnsearchedEvents,
): VerdictCounts {
  const result = Object.fromEntries(VERDICTS.map((code) => [code, 0])) as Record<VerdictCode, number>;
  if (sourcesHash === null) return { ...result, declared: verdictCount };
  if (scan === undefined) return { ...result, pending: verdictCount };
  const oldestDay = dayOf(Math.max(now, lastUpdated ?? now)) - (WINDOW_DAYS - 1);
  let others = verdictCount;
  const add = (code: VerdictCode, count: number): void => {
    const added = Math.min(others, count);
    result[code] += added;
    others -= added;
  };
  for (const { code, blockDay, count } of counts) if (blockDay >= oldestDay) add(code, count);
  if (accounts.length > 0) {
    const unsearched = tail.filter((event) => Number(event.seq) >= scan.citedSeq && mayBeFollowed(event, rates));
    add('pending', Math.max(0, foldedSeq - scan.citedSeq) + unsearched.length);
  }
  return { ...result, declared: others };
}

/** Events that may be newer than the search. */
export interface UnsearchedEvents {
  /** Number of events in the rating state. */
  readonly foldedSeq: number;
  readonly tail: readonly RatingEvent[];
  readonly rates: RateTable;
  readonly now: number;
}

function mayBeFollowed(event: RatingEvent, rates: RateTable): boolean {
  return event.trust > 0 && classifyEvent(event, rates, false).hasVerdict;
}
