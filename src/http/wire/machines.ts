/** Maps rating, explanation, profile and card of a machine to their responses. Members, order and spelling follow http-facts 4 to 6. */
import type {
  MachineCard,
  MachineExplanation,
  MachineProfile,
  MachineRegistration,
  ProfileEvent,
} from '../../actions/machines.ts';
import type { MachineStatus } from '../../actions/alt-machine-rating.ts';
import { hasChipChangedHands, type AltHomeInfo, type RatedSnapshot } from '../../actions/machine-rating.ts';
import { parseEventMetadata } from '../../domain/machine/event-metadata.ts';
import {
  formatAddressDid,
  formatMachineDid,
  type Address,
  type MachineId,
} from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { clampToSafe } from '../../domain/rating/daily-totals.ts';
import type { Factor } from '../../domain/rating/factor.ts';
import { digestRates } from '../../domain/rating/rate-digest.ts';
import { formatDay } from '../../domain/rating/utc-day.ts';
import type {
  CardResponse,
  ExplanationResponse,
  MachineEvent,
  McrRecordResponse,
  ProfileFacts,
  RatingFactor,
} from './response-types.ts';
import { formatAltAccount, formatMainAccount } from './caip.ts';
import type { Sent } from './sent.ts';

/** Cents of a dollar; clients accept no other value. */
const USD_SUBUNIT = 100;

/** Members of a machine or legacy machine that the record contains. */
type RatedMachine = Pick<RatedSnapshot, 'rating' | 'alt'> & { readonly snapshot: { readonly id: MachineId } };

/** `GET /mcr/{did}`. */
export function toMcrRecord({ snapshot: { id }, rating, alt }: RatedMachine, namespace: Namespace): McrRecordResponse {
  return {
    did: formatMachineDid(id, namespace),
    machine_id: String(id),
    mcr_score: rating.score,
    mcr: rating.letter,
    mcr_degraded: rating.isDegraded,
    ...toStatus(rating),
    revenue_event_count: rating.revenueEventCount,
    activity_event_count: rating.activityEventCount,
    revenue_trend: rating.revenueTrend,
    total_revenue: rating.totalRevenueCents,
    average_revenue_per_event: rating.averageHundredths === null ? null : rating.averageHundredths / 100,
    last_updated: rating.lastUpdated,
    ...(alt && toAltHome(alt)),
    summary: rating.summary,
  };
}

/** `GET /mcr/{did}/explanation`: the record, the further results of the model, and its inputs (decisions 1 and 4). */
export function toExplanation(
  { rated, availability }: MachineExplanation,
  namespace: Namespace,
): Sent<ExplanationResponse> {
  const { rating, inputs, snapshot, alt, payments, verdicts } = rated;
  return {
    ...toMcrRecord(rated, namespace),
    model: rating.model,
    total_hundredths: rating.totalHundredths,
    factors: rating.factors.map(toFactor),
    dormancy: rating.dormancy && {
      idle_days: rating.dormancy.idleDays,
      free_days: rating.dormancy.freeDays,
      half_days: rating.dormancy.halfDays,
      lost_hundredths: rating.dormancy.lostHundredths,
    },
    anchor: rating.anchor && {
      operator_verified: rating.anchor.operatorVerified,
      lost_hundredths: rating.anchor.lostHundredths,
    },
    reasons: rating.reasons.map(({ code, lostHundredths, text }) => ({ code, lost_hundredths: lostHundredths, text })),
    availability,
    inputs: {
      block: { number: String(snapshot.block.number), hash: snapshot.block.hash, timestamp: snapshot.block.timestamp },
      ...(alt && { slot: String(alt.slot) }),
      now: inputs.now,
      subscription: inputs.subscriptionStatus,
      negative_flag_at: String(inputs.negativeFlagAt),
      trust_override: inputs.trustOverride ?? null,
      prior_events: clampToSafe(inputs.priorEvents),
      event_count: inputs.eventCount,
      rates: {
        feed: inputs.rates.feed,
        through: formatDay(inputs.rates.throughDay),
        digest: digestRates(inputs.rates),
      },
    },
    evidence: {
      sources_hash: payments.sourcesHash === null ? null : `0x${payments.sourcesHash}`,
      changed_hands_at: inputs.changedHandsAt ?? null,
      chip_changed_hands: hasChipChangedHands(rated) ?? null,
      accounts: payments.accounts.map(({ account, owner, since, seq }) => ({ account, owner, since, seq })),
      verdicts,
    },
  };
}

/** `GET /machine/{did}` and `GET /metadata/{token_id}`. */
export function toProfile(profile: MachineProfile, namespace: Namespace) {
  return {
    schema_version: '1.0',
    name: formatMachineName(profile.shown.snapshot.id),
    [namespace.profile_object]: toProfileFacts(profile, namespace),
  };
}

function toProfileFacts(profile: MachineProfile, namespace: Namespace): Sent<ProfileFacts> {
  const { shown, operator, directory, serviceEndpoints } = profile;
  const { snapshot, rating } = shown;
  return {
    machine_id: String(snapshot.id),
    did: formatMachineDid(snapshot.id, namespace),
    operator: toOperatorDid(operator, namespace),
    mcr: rating.letter,
    mcr_score: rating.score,
    ...toStatus(rating),
    data_visibility: directory.visibility,
    documentation_url: directory.documentationUrl ?? null,
    service_endpoints: serviceEndpoints.map(({ id, serviceType, serviceEndpoint }) => ({
      id,
      type: serviceType,
      endpoint: serviceEndpoint,
    })),
    ...toDataMembers(profile),
    ...toAltMembers(profile),
  };
}

/** `GET /machines/{machine_id}`. */
export function toCard(card: MachineCard, namespace: Namespace): CardResponse {
  const { directory } = card;
  const services = directory.webServices.map(({ serviceType, serviceEndpoint }) => ({
    name: serviceType,
    endpoint: serviceEndpoint,
  }));
  return {
    type: namespace.registration_type,
    name: formatMachineName(card.id),
    description: namespace.card_description,
    did: formatMachineDid(card.id, namespace),
    active: true,
    services: directory.dataApi === undefined ? services : [{ name: 'web', endpoint: directory.dataApi }, ...services],
    data_visibility: directory.visibility,
    documentation_url: directory.documentationUrl ?? '',
    operator: toOperatorDid(card.operator, namespace),
    bond_status: card.bondStatus,
    event_count: card.eventCount,
    registrations: [
      {
        type: namespace.registration_type,
        machineId: String(card.id),
        machineRegistry: formatRegistration(card.registration),
      },
    ],
    ...(card.alt && toAltHome(card.alt)),
  };
}

/** Returns the members that every response about an alt-chain machine has. */
export function toAltHome({ ordinal, unavailable }: AltHomeInfo) {
  return { home_chain: ordinal, ...(unavailable !== undefined && { rating_unavailable: unavailable }) };
}

function toAltMembers({ shown: { alt }, altMachine }: MachineProfile) {
  if (alt === undefined || altMachine === undefined) return {};
  const { owner, controller = null, machineType } = altMachine;
  // A machine that relocates ends in a fault, not in a profile.
  return { ...toAltHome(alt), owner, controller, machine_type: machineType, relocating: false } as const;
}

/** Returns the registry as an account. */
export function formatRegistration(registration: MachineRegistration): string {
  return registration.chain === 'main'
    ? formatMainAccount(registration.chainId, registration.registry)
    : formatAltAccount(registration.genesisHash, registration.program);
}

function toStatus(rating: MachineStatus) {
  return {
    bond_status: rating.bondStatus,
    negative_flag: rating.hasNegativeFlag,
    event_count: rating.eventCount,
  };
}

/** Returns what the visibility allows: the data API, the events, or the partner's data or why there are none. */
function toDataMembers({
  directory: { visibility, dataApi },
  events,
  partner,
}: MachineProfile): Sent<Pick<ProfileFacts, 'data_api' | 'event_data' | 'partner_data' | 'partner_data_error'>> {
  if (visibility === 'onchain') return events === undefined ? {} : { event_data: events.map(toMachineEvent) };
  if (partner?.kind === 'object') return { partner_data: partner.value };
  if (partner !== undefined) return { partner_data_error: partner.kind };
  return dataApi === undefined ? {} : { data_api: dataApi };
}

export function toMachineEvent({ record, amount }: ProfileEvent): Sent<MachineEvent> {
  const activity = {
    event_type: record.eventType,
    origin_value: record.value,
    timestamp: record.timestamp,
    trust_level: record.trustLevel,
    metadata: parseEventMetadata(record.metadata),
  };
  if (amount === undefined) return activity;
  return {
    ...activity,
    origin_currency: record.currency,
    usd_value: amount.usdCents,
    origin_subunit: amount.originSubunit,
    usd_subunit: USD_SUBUNIT,
    amount_status: amount.status,
  };
}

/** The cast restores the pairing of name and measure, which spreading the union loses. */
function toFactor({ name, pointsHundredths, maxHundredths, measure }: Factor): Sent<RatingFactor> {
  return {
    name,
    points_hundredths: pointsHundredths,
    max_hundredths: maxHundredths,
    measure: toSnakeCase(measure),
  } as Sent<RatingFactor>;
}

/** Renames the members of a flat measure. */
function toSnakeCase(measure: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(measure).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

export function formatMachineName(id: bigint): string {
  return `Machine #${id}`;
}

function toOperatorDid(operator: Address | undefined, namespace: Namespace): string | null {
  return operator === undefined ? null : formatAddressDid(operator, namespace);
}
