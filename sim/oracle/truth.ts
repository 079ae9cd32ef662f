/**
 * Expected facts of a machine at a block. Computed from the virtual chain's own history with the second implementation of
 * the rating model; no code of `src/` takes part.
 */
import { isDeepStrictEqual } from 'node:util';
import { rateRawEvents, type ModelResult } from '../../cli/replay/model/model.ts';
import { listJudged } from '../../cli/replay/model/qualifying.ts';
import { digestRateTable } from '../../cli/replay/rates.ts';
import { ADDRESSES, CHAIN_ID } from '../chain/deployment.ts';
import {
  isInForce,
  LOCAL_ORDINAL,
  machineOf,
  NO_RECORD,
  operatorOf,
  STATUS_NAMES,
  statusAt,
  ZERO,
  type Machine,
  type SimEvent,
  type World,
} from '../chain/machine-state.ts';
import type { Block } from '../chain/virtual-chain.ts';
import { checksum } from './checksum.ts';
import { readDirectory, type Directory } from './directory.ts';
import { NO_PAYMENTS, RATE_TABLE, toRawEvents, type PaymentEvidence } from './evidence.ts';

export type HomeStatus =
  | { readonly kind: 'here' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'elsewhere'; readonly ordinal: number }
  | { readonly kind: 'relocating' }
  /** A token here and a home elsewhere: an error, never a guess. */
  | { readonly kind: 'contradiction' };

/** Applies the table of chain-evm 3.6, as far as the main chain decides. */
export function judge({ owner, relocating, home }: Machine): HomeStatus {
  if (relocating) return { kind: 'relocating' };
  if (owner !== undefined) return { kind: home === LOCAL_ORDINAL ? 'here' : 'contradiction' };
  return home === 0 || home === LOCAL_ORDINAL ? { kind: 'absent' } : { kind: 'elsewhere', ordinal: home };
}

/** Returns whether every fact of the machine that a response shows is the same at both blocks. */
export function isSameAt(id: bigint, one: Block, other: Block): boolean {
  if (one === other) return true;
  const machine = machineOf(one.world, id);
  const twin = machineOf(other.world, id);
  return (
    one.world.machines.get(id) === other.world.machines.get(id) &&
    one.world.kyb.get(operatorOf(machine)) === other.world.kyb.get(operatorOf(twin)) &&
    toAvailability(machine, one.world) === toAvailability(twin, other.world) &&
    statusAt(machine, one.world, one.timestamp) === statusAt(twin, other.world, other.timestamp)
  );
}

const NO_VERDICTS = {
  ...{ declared: 0, pending: 0, not_found: 0, failed: 0, wrong_time: 0, wrong_payee: 0 },
  ...{ unknown_payer: 0, self_paid: 0, circular: 0, already_counted: 0, paid: 0 },
};

const RATES_DIGEST = digestRateTable(RATE_TABLE);

function rate(machine: Machine, block: Block, nowSeconds: number, { paid }: PaymentEvidence): ModelResult {
  const hands = machine.hands.map(({ seq }) => seq);
  const kyb = block.world.kyb.get(operatorOf(machine)) ?? NO_RECORD;
  const isVerified = machine.isAccepted && isInForce(kyb, nowSeconds);
  const history = { prior: machine.prior, hands, isVerified, paid };
  return rateEvents(machine.events, history, null, machine, block, nowSeconds);
}

interface RatedHistory {
  readonly prior: number;
  /** Changes of hands, each as the number of events before it. */
  readonly hands: readonly number[];
  /** Whether the operator's identity is verified and it accepted the machine. */
  readonly isVerified: boolean;
  /** Paid cents by position of the event. */
  readonly paid?: PaymentEvidence['paid'];
}

/** Rates events of either chain with the machine's facts on the main chain. */
export function rateEvents(
  events: readonly SimEvent[],
  { prior, hands, isVerified, paid = NO_PAYMENTS.paid }: RatedHistory,
  ratingUnavailable: string | null,
  machine: Machine,
  block: Block,
  nowSeconds: number,
): ModelResult {
  const subscription = STATUS_NAMES[statusAt(machine, block.world, block.timestamp)]!;
  const key = [prior, hands.join(' '), isVerified, ratingUnavailable, subscription, nowSeconds, ...paid].join();
  return remember(ratings, machine, events, key, () =>
    rateRawEvents({
      events: toRawEvents(events).map((event, seq) => ({ ...event, paidCents: paid.get(seq) ?? 0n })),
      hands: hands.map(BigInt),
      operatorVerified: isVerified,
      priorEvents: BigInt(prior),
      subscription,
      negativeFlagAt: BigInt(machine.flaggedAt),
      trustOverride: machine.override === undefined ? null : BigInt(machine.override),
      ratingUnavailable,
      now: BigInt(nowSeconds),
      rates: RATE_TABLE,
    }),
  );
}

type Remembered<T> = WeakMap<Machine, WeakMap<readonly SimEvent[], Map<string, T>>>;

/** Ratings of immutable states: one response is compared with many blocks and seconds, and most of them hold the same state. */
const ratings: Remembered<ModelResult> = new WeakMap();

/** Returns the value of a state, computed on first use. */
function remember<T>(
  known: Remembered<T>,
  machine: Machine,
  events: readonly SimEvent[],
  key: string,
  compute: () => T,
): T {
  const ofMachine = known.get(machine) ?? new WeakMap<readonly SimEvent[], Map<string, T>>();
  known.set(machine, ofMachine);
  const ofEvents = ofMachine.get(events) ?? new Map<string, T>();
  ofMachine.set(events, ofEvents);
  let value = ofEvents.get(key);
  if (value === undefined) ofEvents.set(key, (value = compute()));
  return value;
}

export type MachineRoute = 'mcr' | 'explanation' | 'profile' | 'card';

/** Returns the expected body of a 200. */
export function expectBody(
  route: MachineRoute,
  id: bigint,
  block: Block,
  nowSeconds: number,
  evidence: PaymentEvidence,
  machine = machineOf(block.world, id),
): object {
  if (route === 'card') {
    const machineRegistry = `eip155:${CHAIN_ID}:${checksum(ADDRESSES.machineRegistry)}`;
    const { endpoints, events } = machine;
    return expectCard(machine, block, {
      endpoints,
      operator: operatorOf(machine),
      count: events.length,
      machineRegistry,
    });
  }
  const rating = rate(machine, block, nowSeconds, evidence);
  if (route === 'profile') return expectProfile(machine, rating);
  const record = expectRecord(id, rating);
  if (route === 'mcr') return record;
  const { events, prior } = machine;
  const changedHandsAt = events.length === 0 ? undefined : machine.hands.at(-1)?.at;
  const history = { prior, events, count: events.length, changedHandsAt, evidence };
  const availability = toAvailability(machine, block.world);
  return { ...record, ...expectExplanation(machine, block, rating, nowSeconds, { ...history, availability }) };
}

/** Returns whether a body is as expected; its availability may be unreadable, and what is not judged yet pending or declared. */
export function matchesExpected(body: Readonly<Record<string, unknown>>, expected: object): boolean {
  const isUnknown = body['availability'] === 'unreadable';
  const wanted = isUnknown ? { ...expected, availability: 'unreadable' } : expected;
  return isDeepStrictEqual(body, withPending(wanted, body['evidence'] as ExplainedEvidence | undefined));
}

interface ExplainedEvidence {
  readonly sources_hash: string | null;
  readonly verdicts: Readonly<Record<string, number>>;
}

/** Returns the expected body with as many pending verdicts as are shown; without a payment source there are none. */
function withPending(
  expected: { readonly evidence?: ExplainedEvidence },
  shown: ExplainedEvidence | undefined,
): object {
  const { evidence } = expected;
  const pending = shown?.verdicts['pending'] ?? 0;
  if (evidence === undefined || evidence.sources_hash === null || pending === 0) return expected;
  const declared = evidence.verdicts['declared']! - pending;
  return { ...expected, evidence: { ...evidence, verdicts: { ...evidence.verdicts, pending, declared } } };
}

export function toAvailability({ generalPaused, technicalPaused, operatorPaused }: Machine, world: World): string {
  if (generalPaused) return 'deactivated';
  const isStopped = technicalPaused || operatorPaused || world.generalPausedGlobal || world.technicalPausedGlobal;
  return isStopped ? 'paused' : 'available';
}

/** Returns the expected entry of an operator's list. */
export function expectEntry(
  id: bigint,
  block: Block,
  nowSeconds: number,
  evidence: PaymentEvidence,
  machine = machineOf(block.world, id),
): object {
  const rating = rate(machine, block, nowSeconds, evidence);
  return {
    did: `did:svc:${id}`,
    machine_id: String(id),
    mcr_score: rating.mcr_score,
    mcr: rating.mcr,
    negative_flag: rating.negative_flag,
    name: `Machine #${id}`,
    bond_status: rating.bond_status,
    event_count: rating.event_count,
  };
}

/** Returns the machines that an address owns or controls on the main chain. */
export function listHoldings(account: string, block: Block): bigint[] {
  const held = [...block.world.machines.values()].filter(
    ({ owner, controller, home }) =>
      owner !== undefined && home === LOCAL_ORDINAL && (owner === account || controller === account),
  );
  return held.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
}

export function expectRecord(id: bigint, rating: ModelResult) {
  return {
    did: `did:svc:${id}`,
    machine_id: String(id),
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
    average_revenue_per_event: rating.average_hundredths === null ? null : rating.average_hundredths / 100,
    last_updated: rating.last_updated,
    summary: rating.summary,
  };
}

/** Returns the explanation; `home` holds the facts of the machine's home chain. */
export function expectExplanation(
  machine: Machine,
  block: Block,
  rating: ModelResult,
  nowSeconds: number,
  home: {
    readonly prior: number;
    readonly events: readonly SimEvent[];
    readonly count: number;
    readonly changedHandsAt: number | undefined;
    readonly slot?: number;
    readonly availability: string;
    readonly evidence: PaymentEvidence;
  },
) {
  const { number, hash, timestamp } = block;
  const { prior, count, slot, availability, changedHandsAt, evidence } = home;
  const raw = { events: toRawEvents(home.events), now: BigInt(nowSeconds), rates: RATE_TABLE };
  const made = Object.values(evidence.verdicts).reduce((sum, each) => sum + each, 0);
  const declared = listJudged(raw, 180n).length - made;
  return {
    model: rating.model,
    total_hundredths: rating.total_hundredths,
    factors: rating.factors,
    dormancy: rating.dormancy,
    anchor: rating.anchor,
    reasons: rating.reasons,
    availability,
    inputs: {
      block: { number: String(number), hash, timestamp },
      now: nowSeconds,
      subscription: STATUS_NAMES[statusAt(machine, block.world, timestamp)],
      negative_flag_at: String(machine.flaggedAt),
      trust_override: machine.override ?? null,
      prior_events: prior,
      event_count: count,
      ...(slot !== undefined && { slot: String(slot) }),
      rates: { feed: false, through: '1970-01-01', digest: RATES_DIGEST },
    },
    evidence: {
      sources_hash: evidence.sourcesHash,
      changed_hands_at: changedHandsAt ?? null,
      chip_changed_hands: slot === undefined ? hasChipChangedHands(machine) : null,
      accounts: evidence.accounts,
      verdicts: { ...NO_VERDICTS, ...evidence.verdicts, declared },
    },
  };
}

/** Returns whether the machine changed hands since its chip record was issued; null without one, and when it was revoked. */
function hasChipChangedHands({ chip, hands }: Machine): boolean | null {
  if (chip.issuedAt === 0 || chip.revokedAt !== 0) return null;
  return hands.some(({ at }) => at >= chip.issuedAt);
}

function expectProfile(machine: Machine, rating: ModelResult) {
  const { id, endpoints } = machine;
  const directory = readDirectory(endpoints);
  const data = expectData(directory, machine.events);
  return {
    schema_version: '1.0',
    name: `Machine #${id}`,
    svcos: {
      machine_id: String(id),
      did: `did:svc:${id}`,
      operator: toDid(operatorOf(machine)),
      mcr: rating.mcr,
      mcr_score: rating.mcr_score,
      bond_status: rating.bond_status,
      negative_flag: rating.negative_flag,
      event_count: rating.event_count,
      data_visibility: directory.visibility,
      documentation_url: directory.documentation ?? null,
      service_endpoints: endpoints.map(({ id: name, type, url }) => ({ id: name, type, endpoint: url })),
      ...data,
    },
  };
}

/** Returns the event data that the visibility allows. */
export function expectData({ visibility, dataApi }: Directory, events: readonly SimEvent[]): object {
  if (visibility === 'onchain') return { event_data: events.slice(0, 100).flatMap(showEvent) };
  if (visibility === 'public') return { partner_data_error: dataApi === undefined ? 'no_data_api' : 'not_fetched' };
  return dataApi === undefined ? {} : { data_api: dataApi };
}

/** Returns the card; `home` holds the facts of the machine's home chain. */
export function expectCard(
  machine: Machine,
  block: Block,
  home: {
    readonly endpoints: Machine['endpoints'];
    readonly operator: string | undefined;
    readonly count: number;
    readonly machineRegistry: string;
  },
) {
  const { id } = machine;
  const { endpoints, operator, count, machineRegistry } = home;
  const directory = readDirectory(endpoints);
  const status = statusAt(machine, block.world, block.timestamp);
  const web = directory.dataApi === undefined ? [] : [{ name: 'web', endpoint: directory.dataApi }];
  return {
    type: 'svcos:registration:v1',
    name: `Machine #${id}`,
    description: 'svcOS machine',
    did: `did:svc:${id}`,
    active: true,
    services: [...web, ...directory.others.map(({ type, url }) => ({ name: type, endpoint: url }))],
    data_visibility: directory.visibility,
    documentation_url: directory.documentation ?? '',
    operator: operator === undefined ? null : toDid(operator),
    bond_status: status === 1 || status === 2 ? 'bonded' : 'unbonded',
    event_count: count,
    registrations: [{ type: 'svcos:registration:v1', machineId: String(id), machineRegistry }],
  };
}

export function toDid(account: string): string | null {
  return account === ZERO ? null : `did:svc:${checksum(account)}`;
}

/** Returns an event as a profile shows it. */
export function showEvent({ type, value, timestamp, trust, metadata, currency }: SimEvent): object[] {
  const parsed = Buffer.from(metadata, 'hex').toString('utf8');
  const activity = {
    event_type: type,
    origin_value: Number(value),
    timestamp,
    trust_level: trust,
    metadata: parsed.startsWith('{') ? (JSON.parse(parsed) as object) : {},
  };
  if (type === 1) return [activity];
  const isUsd = currency === 'USD';
  const cents = { origin_currency: currency, usd_value: isUsd ? Number(value) : null };
  const status = isUsd ? 'ok' : 'fx_unavailable';
  return [{ ...activity, ...cents, origin_subunit: 100, usd_subunit: 100, amount_status: status }];
}
