/**
 * Computes the current rating of a machine from its history and facts (design/scoring.md, chain-evm 3.7). Shared by every action that
 * shows a score.
 */
import { judgeVerifyStatus } from '../domain/evidence/verify-status.ts';
import { judgeBond } from '../domain/machine/bond.ts';
import { chainUnreadable, type ChainName } from '../domain/faults.ts';
import { unwrap, unwrapOptional } from '../domain/read-result.ts';
import type { MachineSnapshot, SubscriptionStatus } from '../domain/machine/machine-facts.ts';
import { findOperator, readAttestations } from '../domain/machine/operator-kyb.ts';
import { EventsUnreadable } from '../domain/rating/rating-state.ts';
import type { RateTable } from '../domain/rating/rate-table.ts';
import { rateMachine, type Rating } from '../domain/rating/rating.ts';
import type { Ctx, MainChainPorts } from '../ports/ctx.ts';
import { nowSeconds } from '../ports/runtime.ts';
import type { HandsChange } from '../ports/payment-store.ts';
import type { FxConfiguration } from '../ports/rates.ts';
import { readHistory, syncing, toEventCount, type EventSource, type EventHistoryRead } from './event-history.ts';
import { chain, type MaybePromise } from './maybe-async.ts';
import {
  countVerdicts,
  currentSourcesHash,
  NO_PAYMENTS,
  readPaymentEvidence,
  type PaymentEvidence,
  type VerdictCounts,
} from './payment-evidence.ts';
import { watchRating } from './refused-ratings.ts';
import { requireTrustedSeconds } from './trusted-clock.ts';
import { VersionedCache } from './versioned-cache.ts';

/** Greatest age of the verdicts in a response (design/scoring.md, Counts). */
const MAX_PAYMENTS_AGE_SECONDS = 10;

/** Rating and its inputs other than events. For one snapshot and second it is the same object. */
export interface RatedSnapshot {
  readonly snapshot: MachineSnapshot;
  readonly rating: Rating;
  readonly inputs: RatingInputs;
  /** Undefined: a machine of the main chain. */
  readonly alt: AltHomeInfo | undefined;
  readonly payments: PaymentEvidence;
  readonly verdicts: VerdictCounts;
  /** Newest change of hands; undefined without one. */
  readonly changeOfHands: HandsChange | undefined;
  /** Epoch of the history; undefined on the alt chain, and without stored logs. */
  readonly epoch: number | undefined;
}

/** Home of an alt-chain machine, part of every response about it. */
export interface AltHomeInfo {
  /** Protocol ordinal of its home. */
  readonly ordinal: number;
  /** Slot of its own facts; those of `snapshot` are the main chain's. */
  readonly slot: number;
  /** Undefined: the machine is rated. */
  readonly unavailable: 'no_events_yet' | 'indexer_behind' | 'not_rated_here' | undefined;
}

/** Returns whether the letter reports an index that lags, and says nothing about the machine. */
export function isBehind({ alt }: Pick<RatedSnapshot, 'alt'>): boolean {
  return alt?.unavailable === 'indexer_behind';
}

/** Inputs of the model other than events; with them `svc replay` recomputes the rating. */
export interface RatingInputs {
  /** Clock in Unix seconds, before the model raises it. */
  readonly now: number;
  readonly subscriptionStatus: SubscriptionStatus;
  readonly negativeFlagAt: bigint;
  readonly trustOverride: number | undefined;
  readonly priorEvents: bigint;
  readonly eventCount: number;
  readonly rates: RateTable;
  /** Whether the operator's identity is verified and it accepted the machine. */
  readonly operatorVerified: boolean;
  /** Block time of the newest change of hands; undefined without one, and without events. */
  readonly changedHandsAt: number | undefined;
}

const createHistories = () => new VersionedCache<MachineSnapshot, EventHistoryRead>();
const createPayments = () => new VersionedCache<MachineSnapshot, PaymentEvidence>();
const createRatings = () => new VersionedCache<MachineSnapshot, RatedSnapshot>();

/**
 * Rates a machine of the main chain at its snapshot's block and the current second of the clock; synchronously when its history
 * is cached. Throws `ChainUnreadable`, `ClockInvalid`, `EventIndexSyncing`, `StoreUnavailable`.
 */
export function rateSnapshot(ctx: Ctx, main: MainChainPorts, snapshot: MachineSnapshot): MaybePromise<RatedSnapshot> {
  return watchRating(ctx, snapshot.id, () => {
    const { fingerprint } = ctx.fxRates.current();
    const histories = ctx.actionState.of(createHistories);
    const history = histories.get(snapshot, [fingerprint], () => {
      ctx.workScope?.extend();
      return readSnapshotHistory(ctx, main, snapshot, fingerprint);
    });
    return chain(history, (read) =>
      chain(readPayments(ctx, snapshot, read), (payments) => rateNow(ctx, snapshot, read, payments)),
    );
  });
}

/** Lets the next rating of the snapshot read its history again, where the one in use is still of this epoch. */
export function forgetHistory({ actionState }: Ctx, snapshot: MachineSnapshot, ratedEpoch: number): void {
  actionState.of(createHistories).drop(snapshot, ({ epoch }) => epoch === ratedEpoch);
}

/** Verdicts change without a log of the machine, so they are read again after some seconds. */
function readPayments(ctx: Ctx, snapshot: MachineSnapshot, history: EventHistoryRead): MaybePromise<PaymentEvidence> {
  const sourcesHash = currentSourcesHash(ctx);
  if (sourcesHash === undefined) return NO_PAYMENTS;
  const { fingerprint } = ctx.fxRates.current();
  const period = Math.floor(nowSeconds(ctx.clock) / MAX_PAYMENTS_AGE_SECONDS);
  return ctx.actionState.of(createPayments).get(snapshot, [sourcesHash, fingerprint, history, period], () =>
    readPaymentEvidence(
      ctx,
      { home: 'main', id: snapshot.id },
      {
        change: history.provenance.changeOfHands,
        eventCount: readEventCount(snapshot),
        blockTimestamp: snapshot.block.timestamp,
      },
    ),
  );
}

function rateNow(
  ctx: Ctx,
  snapshot: MachineSnapshot,
  history: EventHistoryRead,
  payments: PaymentEvidence,
): RatedSnapshot {
  const rates = ctx.fxRates.current();
  const second = requireTrustedSeconds(ctx, snapshot.block);
  return ctx.actionState.of(createRatings).get(snapshot, [second, rates.table, history, payments], () => {
    const priorEvents = unwrap(snapshot.priorEventCount);
    const operatorVerified = isOperatorVerified(snapshot, history, second);
    const eventCount = readEventCount(snapshot);
    const facts = { snapshot, history, priorEvents, eventCount, operatorVerified, payments, alt: undefined };
    return computeRating(facts, rates, second);
  });
}

/** Returns whether the printed operator's identity is verified and it accepted the machine (design/scoring.md, Anchor). */
function isOperatorVerified(snapshot: MachineSnapshot, { provenance }: EventHistoryRead, now: number): boolean {
  const records = readAttestations(snapshot, findOperator(snapshot));
  return provenance.isAccepted && judgeVerifyStatus(records?.kyb, now) === 'verified';
}

/** Reads the history of a machine whose logs are complete. Async so that an unreadable fact rejects like any failed read. */
async function readSnapshotHistory(
  ctx: Ctx,
  main: MainChainPorts,
  snapshot: MachineSnapshot,
  fingerprint: string,
): Promise<EventHistoryRead> {
  const [history, checked] = await Promise.all([
    readHistory(ctx, main, toEventSource(main, snapshot), fingerprint),
    main.counters.checkMachine(snapshot),
  ]);
  // The check says nothing about logs of another epoch.
  const isOther = history.storedEpoch !== undefined && history.storedEpoch !== checked.epoch;
  if (isOther) throw await syncing(main, snapshot.block);
  return history;
}

/** Returns the event source of a machine of the second generation. */
export function toEventSource({ chain }: MainChainPorts, snapshot: MachineSnapshot): EventSource {
  const { id, block, events, firstEvents } = snapshot;
  return {
    generation: 'current',
    id,
    block,
    count: readEventCount(snapshot),
    hasPriorEvents: unwrap(snapshot.priorEventCount) > 0n,
    needsProvenance: hasRecord(snapshot),
    pages: [events, firstEvents],
    readEvents: (from, to) => chain.readEvents(id, block, from, to),
  };
}

function hasRecord({ attestations }: MachineSnapshot): boolean {
  const records = unwrapOptional(attestations);
  return records?.kyb !== undefined || records?.chip !== undefined;
}

/**
 * Returns whether the machine changed hands since its chip record was issued; undefined without a record in force. Within the second of the
 * record it counts as changed.
 */
export function hasChipChangedHands({ snapshot, alt, changeOfHands }: RatedSnapshot): boolean | undefined {
  const { attestations } = snapshot;
  const chip = alt === undefined && attestations.state === 'present' ? attestations.value.chip : undefined;
  if (chip === undefined || chip.revokedAt !== undefined) return undefined;
  return changeOfHands !== undefined && BigInt(changeOfHands.at) >= chip.issuedAt;
}

/** Returns the number of the machine's records. */
export function readEventCount(snapshot: MachineSnapshot): number {
  return toEventCount(unwrap(snapshot.eventCount));
}

interface RatedFacts {
  readonly snapshot: MachineSnapshot;
  readonly history: EventHistoryRead;
  /** Prior events on the machine's home chain. */
  readonly priorEvents: bigint;
  readonly eventCount: number;
  readonly operatorVerified: boolean;
  readonly payments: PaymentEvidence;
  readonly alt: AltHomeInfo | undefined;
}

/** Runs the model at the second `now`. Throws `ChainUnreadable`. */
export function computeRating(facts: RatedFacts, rates: FxConfiguration, now: number): RatedSnapshot {
  const { snapshot, history, priorEvents, eventCount, operatorVerified, payments, alt } = facts;
  const { changedHandsAfter, changeOfHands } = history.provenance;
  const subscriptionStatus = unwrap(snapshot.subscriptionStatus);
  const flags = unwrapOptional(snapshot.flags);
  const inputs: RatingInputs = {
    now,
    subscriptionStatus,
    negativeFlagAt: flags?.flaggedAt ?? 0n,
    trustOverride: flags?.trustOverride,
    priorEvents,
    eventCount,
    rates: rates.table,
    operatorVerified,
    changedHandsAt: eventCount === 0 ? undefined : changeOfHands?.at,
  };
  try {
    const rating = rateMachine({
      state: history.state,
      tail: history.tail,
      changedHandsAfter,
      paidMoves: payments.moves.filter(({ endedAt }) => endedAt === undefined),
      operatorVerified,
      rates: rates.table,
      now,
      bondStatus: judgeBond(subscriptionStatus),
      negativeFlagAt: inputs.negativeFlagAt,
      trustOverride: inputs.trustOverride,
      priorEvents,
      ratingUnavailable: alt?.unavailable,
    });
    const unsearched = { foldedSeq: history.state.nextSeq, tail: history.tail, rates: rates.table, now };
    const verdicts = countVerdicts(payments, rating, unsearched);
    return { snapshot, rating, inputs, alt, payments, verdicts, changeOfHands, epoch: history.epoch };
  } catch (error) {
    const chain: ChainName = alt === undefined ? 'main' : 'alt';
    if (error instanceof EventsUnreadable) throw chainUnreadable(chain, 'events');
    throw error;
  }
}
