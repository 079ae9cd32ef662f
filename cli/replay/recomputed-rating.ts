/** Recomputes a rating from the chains with the independent model, in the shape of the explanation. */
import type { RateTable } from './model/conversion.ts';
import { rateRawEvents } from './model/model.ts';
import { UnreadableEvents } from './model/raw-events.ts';
import { digestRateTable } from './rates.ts';
import type { RawInputs } from './raw-inputs.ts';
import type { JsonObject } from './replay-json.ts';
import type { PaymentEvidence } from './replayed-payments.ts';
import { ReplayFailure } from './replay-failure.ts';
import type { ServedInputs } from './served-explanation.ts';

export function recompute(
  did: string,
  machineId: bigint,
  inputs: ServedInputs,
  machine: RawInputs,
  rates: RateTable,
  { sources_hash: sourcesHash, accounts, verdicts }: PaymentEvidence,
): JsonObject {
  const unavailable = machine.home !== undefined && machine.events.length === 0 ? 'no_events_yet' : null;
  const rating = rate(machine, unavailable, rates, inputs.now);
  return {
    did,
    machine_id: String(machineId),
    mcr_score: rating.mcr_score,
    mcr: rating.mcr,
    mcr_degraded: rating.mcr_degraded,
    bond_status: rating.bond_status,
    negative_flag: rating.negative_flag,
    event_count: rating.event_count,
    revenue_event_count: rating.revenue_event_count,
    activity_event_count: rating.activity_event_count,
    revenue_trend: rating.revenue_trend,
    total_revenue: rating.total_revenue,
    // Exact: up to 10^11 hundredths, the quotient is the double that its decimal text parses to.
    average_revenue_per_event: rating.average_hundredths === null ? null : rating.average_hundredths / 100,
    last_updated: rating.last_updated,
    ...(machine.home !== undefined && { home_chain: Number(machine.home) }),
    ...(unavailable !== null && { rating_unavailable: unavailable }),
    summary: rating.summary,
    model: rating.model,
    total_hundredths: rating.total_hundredths,
    factors: rating.factors.map((factor) => ({ ...factor })),
    dormancy: rating.dormancy === null ? null : { ...rating.dormancy },
    anchor: rating.anchor === null ? null : { ...rating.anchor },
    reasons: rating.reasons.map((reason) => ({ ...reason })),
    inputs: {
      block: {
        number: String(inputs.block.number),
        hash: inputs.block.hash,
        timestamp: Number(machine.blockTimestamp),
      },
      ...(inputs.slot !== undefined && { slot: String(inputs.slot) }),
      now: inputs.now,
      subscription: machine.subscription,
      negative_flag_at: String(machine.negativeFlagAt),
      trust_override: machine.trustOverride === null ? null : Number(machine.trustOverride),
      prior_events: Number(machine.priorEvents < MAX_SAFE ? machine.priorEvents : MAX_SAFE),
      event_count: machine.events.length,
      rates: { feed: rates.feed, through: rates.feed ? rates.through : inputs.through, ...digestOf(rates, inputs) },
    },
    evidence: {
      sources_hash: sourcesHash,
      changed_hands_at:
        machine.events.length === 0 || machine.changedHandsAt === null ? null : Number(machine.changedHandsAt),
      chip_changed_hands: hasChipChangedHands(machine),
      accounts,
      verdicts,
    },
  };
}

function hasChipChangedHands({ chipIssuedAt, changedHandsAt }: RawInputs): boolean | null {
  if (chipIssuedAt === null) return null;
  return changedHandsAt !== null && changedHandsAt >= chipIssuedAt;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Returns the digest of the rates, where it can be compared. With a feed, the service may hold fewer years of it than the replay; a rate that
 * matters shows in the rating.
 */
function digestOf(rates: RateTable, { digest }: ServedInputs): { readonly digest?: string } {
  if (digest === undefined) return {};
  const own = digestRateTable(rates);
  return rates.feed && own !== digest ? {} : { digest: own };
}

/**
 * Returns the last day of the rates. A table that covers more days than the service's is cut to those; one that covers fewer is a
 * difference.
 */
export function throughOf(own: RateTable, { feed, through }: ServedInputs): string {
  return own.feed && feed && typeof through === 'string' && through < own.through ? through : own.through;
}

function rate(machine: RawInputs, ratingUnavailable: string | null, rates: RateTable, now: number) {
  try {
    return rateRawEvents({ ...machine, ratingUnavailable, now: BigInt(now), rates });
  } catch (error) {
    if (error instanceof UnreadableEvents) throw new ReplayFailure('contradictory', error.message);
    throw error;
  }
}
