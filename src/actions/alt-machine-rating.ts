/**
 * Ratings and summaries of alt-chain machines (http-facts 4 and 5, chain-svm 5 and 6, decisions 1). Events come from the alt chain's
 * index; bond and flags from the main chain.
 */
import { NO_EVENTS, type AltEventLog } from '../domain/alt-chain/alt-machine-facts.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import { judgeBond } from '../domain/machine/bond.ts';
import { chainUnreadable } from '../domain/faults.ts';
import type { MachineSnapshot } from '../domain/machine/machine-facts.ts';
import { emptyRatingState } from '../domain/rating/rating-state.ts';
import { isFlagPlausible } from '../domain/rating/negative-flag.ts';
import type { Rating } from '../domain/rating/rating.ts';
import { judgeVerifyStatus, type AttestationRecord } from '../domain/evidence/verify-status.ts';
import { NO_PROVENANCE, type Provenance } from '../domain/machine/provenance.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { EventHistoryRead } from './event-history.ts';
import { requireMain, type FoundAltMachine } from './find-machine.ts';
import { endEvidence, readPaymentEvidence } from './payment-evidence.ts';
import { computeRating, type AltHomeInfo, type RatedSnapshot } from './machine-rating.ts';
import { watchRating } from './refused-ratings.ts';
import { requireTrustedSeconds } from './trusted-clock.ts';

/** Members of a rating that every route shows. */
export type MachineStatus = Pick<Rating, 'letter' | 'score' | 'bondStatus' | 'hasNegativeFlag' | 'eventCount'>;

/** Machine as shown by routes that do not rate machines of the alt chain. */
export interface MachineSummary {
  readonly snapshot: MachineSnapshot;
  readonly rating: MachineStatus;
  readonly alt: AltHomeInfo | undefined;
}

/**
 * Rates a machine from its indexed events, or reports why it cannot: while the index lags, the counts are of the indexed events.
 * Throws `ChainUnreadable` of either chain, `ClockInvalid`, `StoreUnavailable`.
 */
export async function rateAltMachine(
  ctx: Ctx,
  alt: FoundAltMachine,
  snapshot: MachineSnapshot,
): Promise<RatedSnapshot> {
  return watchRating(ctx, snapshot.id, () => rateNow(ctx, alt, snapshot));
}

async function rateNow(ctx: Ctx, alt: FoundAltMachine, snapshot: MachineSnapshot): Promise<RatedSnapshot> {
  const log = readEventLog(alt);
  const rates = ctx.fxRates.current();
  const { isComplete, ...events } =
    log.count === 0
      ? { isComplete: true, state: emptyRatingState(), tail: [] }
      : await alt.index.readHistory(alt.snapshot, rates.fingerprint);
  const now = requireTrustedSeconds(ctx, snapshot.block);
  const stored = await readPaymentEvidence(
    ctx,
    { home: 'alt', id: snapshot.id },
    { change: undefined, eventCount: log.count, blockTimestamp: undefined },
  );
  // Owner changes leave no log: the newest claim names the owner whose evidence counts.
  const isSold = stored.claimedOwner !== undefined && stored.claimedOwner !== alt.machine.owner;
  const payments = isSold ? endEvidence(stored, now) : stored;
  const changeOfHands = isSold ? { seq: log.count, at: now } : stored.claimedHands;
  const provenance: Provenance = {
    ...NO_PROVENANCE,
    changeOfHands: changeOfHands && { ...changeOfHands, transactionHash: '' },
    changedHandsAfter: isSold ? now : undefined,
  };
  const history: EventHistoryRead = { ...events, provenance };
  const unavailable = log.count === 0 ? 'no_events_yet' : isComplete ? undefined : 'indexer_behind';
  const operatorVerified = unavailable === undefined && (await isOperatorVerified(ctx, alt, snapshot, now));
  const facts = {
    snapshot,
    history,
    priorEvents: log.priorEventCount,
    eventCount: log.count,
    operatorVerified,
    payments,
  };
  return computeRating({ ...facts, alt: toHomeInfo(alt, unavailable) }, rates, now);
}

/**
 * Returns whether the operator's identity is verified, and accepted the machine (design/scoring.md, Anchor). Throws `ChainUnreadable` of either
 * chain.
 */
async function isOperatorVerified(
  ctx: Ctx,
  alt: FoundAltMachine,
  snapshot: MachineSnapshot,
  now: number,
): Promise<boolean> {
  if (ctx.bindings === undefined) return false;
  if (judgeVerifyStatus(await readAltKyb(ctx, alt, snapshot), now) !== 'verified') return false;
  return (await readAltAcceptance(ctx, alt)) !== undefined;
}

/** Returns since when the owner's wallet is bound to the operator; undefined while it is not. Throws `ChainUnreadable`. */
export async function readAltAcceptance(
  { bindings }: Ctx,
  { machine: { operator, owner } }: FoundAltMachine,
): Promise<number | undefined> {
  const binding = await bindings?.readBinding(owner);
  return binding?.kind === 'bound' && binding.operator === operator ? binding.since : undefined;
}

/** Returns the KYB record of the operator at the block of the snapshot; undefined without one. Throws `ChainUnreadable`. */
export async function readAltKyb(
  { main }: Ctx,
  { machine: { operator } }: FoundAltMachine,
  snapshot: MachineSnapshot,
): Promise<AttestationRecord | undefined> {
  const records = unwrapOptional(snapshot.attestations);
  if (operator === undefined || records === undefined) return undefined;
  return records.operator === operator ? records.kyb : requireMain({ main }).chain.readKyb(operator, snapshot.block);
}

/** Summarizes a machine without rating it. Throws `ChainUnreadable` of either chain, `ClockInvalid`. */
export function summarizeAltMachine(ctx: Ctx, alt: FoundAltMachine, snapshot: MachineSnapshot): MachineSummary {
  const { count } = readEventLog(alt);
  const flaggedAt = unwrapOptional(snapshot.flags)?.flaggedAt ?? 0n;
  return {
    snapshot,
    rating: {
      letter: 'Provisioned',
      score: 0,
      bondStatus: judgeBond(unwrap(snapshot.subscriptionStatus)),
      hasNegativeFlag: isFlagPlausible(flaggedAt, requireTrustedSeconds(ctx, snapshot.block)),
      eventCount: count,
    },
    alt: toHomeInfo(alt, count === 0 ? 'no_events_yet' : 'not_rated_here'),
  };
}

/** Returns the counts of the machine's log account. Throws `ChainUnreadable` where a position is not a safe integer. */
export function readEventLog({ snapshot }: FoundAltMachine): {
  readonly count: number;
  readonly priorEventCount: bigint;
} {
  const { count, priorEventCount }: AltEventLog = unwrapOptional(snapshot.eventLog, 'alt') ?? NO_EVENTS;
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw chainUnreadable('alt', 'undecodable');
  return { count: Number(count), priorEventCount };
}

function toHomeInfo(alt: FoundAltMachine, unavailable: AltHomeInfo['unavailable']): AltHomeInfo {
  return { ordinal: alt.chain.ordinal, slot: alt.snapshot.slot, unavailable };
}
