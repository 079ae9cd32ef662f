/**
 * Metrics of the service, computed from its counters on each scrape. `docs/operating.md` documents every name. A counter
 * that an alert reads exists from the start with the value 0, because a rate cannot see the first value of a series.
 */
import { getPaymentSearches, getReadiness } from '../actions/health.ts';
import { CLOCK_STATES } from '../domain/clock/clock-judgement.ts';
import type { CallCounter } from '../domain/metrics/call-counter.ts';
import type { LatencyHistogram } from '../domain/metrics/latency-histogram.ts';
import { UNREADABLE_CAUSES, type UnreadableCause } from '../domain/faults.ts';
import { nowSeconds } from '../ports/runtime.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { DistributedCounters, PaymentSourceState } from '../ports/runtime.ts';
import type { OutcomeCounts, WriteCounts } from './counted-store.ts';
import { readChangeMetrics, type ChangeMetricSources } from './change-metrics.ts';
import { family, one, type MetricFamily, type Sample } from './exposition.ts';

/** Counters of the HTTP server. */
export interface HttpCounts {
  responses(): readonly {
    readonly route: string;
    readonly method: string;
    readonly status: string;
    readonly durations: LatencyHistogram;
  }[];
  faults(): readonly { readonly fault: string; readonly cause: string; readonly count: number }[];
  sameCallerRequests(): number;
  limiters(): readonly {
    readonly name: string;
    readonly keys: number;
    readonly capacity: number;
    readonly refused: number;
  }[];
}

/** Counters of a chain's adapter. */
export interface UpstreamCounts {
  /** Home chain, or the name of a payment source. */
  readonly chain: string;
  readonly budget: () => {
    readonly callsPerSecond: number | undefined;
    readonly calls: Readonly<Record<string, number>>;
    readonly waiting: number;
    readonly refused: number;
    readonly refusals: number;
    readonly isDayExhausted: boolean;
  };
  readonly counters: {
    readonly httpRequests: number;
    readonly calls: CallCounter;
    readonly durations: LatencyHistogram;
    readonly failures: Readonly<Partial<Record<UnreadableCause, number>>>;
    /** Of home chains only. */
    readonly machineReads?: number;
    /** The following exist for the main chain only. */
    readonly disagreements?: number;
    readonly retries?: number;
    readonly snapshotHits?: number;
    readonly snapshotCount?: number;
    readonly snapshotBytes?: number;
  };
}

/** Counters of the head follower of the main chain. */
export interface HeadCounts {
  readonly reorgs: number;
  readonly unknownLogs: number;
}

/** Comparison of the main-chain index with the contracts' counters, and its proof. */
export interface IndexCounts {
  readonly repair: { readonly started: number; readonly succeeded: number };
  readonly missingEvents: number | undefined;
  readonly prover: { readonly differences: number };
}

/** Counters of a loop. */
export interface LoopCounts {
  readonly name: string;
  report(): {
    readonly steps: number;
    readonly failures: number;
    readonly lastSuccessAtMilliseconds: number | undefined;
  };
}

export interface MetricSources {
  readonly ctx: Ctx;
  readonly http: HttpCounts;
  readonly upstreams: readonly UpstreamCounts[];
  readonly loops: readonly LoopCounts[];
  /** Undefined: no main chain is configured. */
  readonly head: (() => HeadCounts) | undefined;
  /** Undefined: no main chain is configured. */
  readonly index: (() => IndexCounts) | undefined;
  readonly writes: WriteCounts;
  /** By the database's error code. */
  readonly databaseFailures: OutcomeCounts;
  /** Undefined: each replica counts independently, as configured. */
  readonly distributedCounters: DistributedCounters | undefined;
  readonly changeFeed: ChangeMetricSources;
  /** Whether this process is the leader. */
  readonly isLeader: () => boolean;
}

export async function readServiceMetrics(sources: MetricSources): Promise<MetricFamily[]> {
  const { distributedCounters } = sources;
  return [
    ...toHttpMetrics(sources.http),
    family(
      'gauge',
      'svc_shared_counters_up',
      '1 while rate limits are counted across replicas, 0 while each replica counts independently.',
      one(toNumber(distributedCounters?.isUp())),
    ),
    family(
      'counter',
      'svc_shared_counters_failures_total',
      'Requests counted by this replica alone because the counter store did not respond.',
      one(distributedCounters?.failures()),
    ),
    ...sources.upstreams.flatMap(toUpstreamMetrics).reduce(mergeFamilies, []),
    ...toLoopMetrics(sources.loops),
    ...toHeadMetrics(sources.head?.()),
    ...toIndexMetrics(sources.index?.()),
    ...toWriteMetrics(sources.writes),
    family(
      'gauge',
      'svc_open_challenges',
      'Chip challenges that still accept evidence, across all replicas.',
      one(await countOpenChallenges(sources.ctx)),
    ),
    family(
      'counter',
      'svc_database_failures_total',
      'Database statements that failed, by error code.',
      toSamples('code', sources.databaseFailures),
    ),
    family(
      'gauge',
      'svc_leader',
      '1 if this process is the leader, which follows the chains for all replicas.',
      one(Number(sources.isLeader())),
    ),
    family(
      'gauge',
      'svc_poll_interval_seconds',
      'Seconds between two reads of an index that has caught up, as configured.',
      one(sources.ctx.pollIntervalSeconds),
    ),
    toClockMetric(sources.ctx),
    ...toSourceMetrics(sources.ctx.process?.paymentSources?.() ?? []),
    await readSearchMetric(sources.ctx),
    ...(await readChangeMetrics(sources.ctx, sources.changeFeed)),
    ...(await readReadinessMetrics(sources.ctx)),
  ];
}

function toClockMetric({ trustedClock }: Ctx): MetricFamily {
  const { state } = trustedClock.judge();
  return family(
    'gauge',
    'svc_clock_state',
    '1 for the state of the wall clock, 0 for every other state.',
    CLOCK_STATES.map((each) => ({ labels: { state: each }, value: Number(each === state) })),
  );
}

function toSourceMetrics(states: readonly PaymentSourceState[]): MetricFamily[] {
  const bySource = (read: (state: PaymentSourceState) => number | undefined): Sample[] =>
    states.flatMap((state) => one(read(state), { source: state.name }));
  return [
    family(
      'gauge',
      'svc_payment_source_up',
      '1 if the last step could read the payment source.',
      bySource(({ isUp }) => toNumber(isUp)),
    ),
    family(
      'gauge',
      'svc_payment_source_head_age_seconds',
      'Seconds since the newest finalized block read from the payment source.',
      bySource(({ headAgeSeconds }) => headAgeSeconds),
    ),
    family(
      'gauge',
      'svc_payment_source_waiting_machines',
      'Machines that wait for a verdict on a payment of the source.',
      bySource(({ waitingMachines }) => waitingMachines),
    ),
    family(
      'counter',
      'svc_payment_verdicts_postponed_total',
      'Verdicts that were postponed because the transaction could not be read from the payment source.',
      bySource(({ postponedVerdicts }) => postponedVerdicts),
    ),
  ];
}

/** Before the first pass the age is infinite, so that an alert sees that no event is searched. */
export async function readSearchMetric(ctx: Ctx): Promise<MetricFamily> {
  const searches = (await getPaymentSearches(ctx)) ?? [];
  return family(
    'gauge',
    'svc_payment_search_age_seconds',
    'Seconds since the time through which the events of a home chain are searched for payments; +Inf before the first search.',
    searches.map(({ home, ageSeconds = Infinity }) => ({ labels: { chain: home }, value: ageSeconds })),
  );
}

/** Metric that `svc doctor` reads. */
export const SAME_CALLER_METRIC = 'svc_same_caller_requests';

function toHttpMetrics(http: HttpCounts): MetricFamily[] {
  const limiters = http.limiters();
  return [
    {
      name: 'http_request_duration_seconds',
      help: 'Histogram of seconds from request headers to response, by route, method and status class.',
      type: 'histogram',
      samples: http.responses().map(({ durations, ...labels }) => ({ labels, durations })),
    },
    family(
      'counter',
      'svc_faults_total',
      'Errors returned, by kind.',
      http.faults().map(({ count, ...labels }) => ({ labels, value: count })),
    ),
    family(
      'counter',
      'svc_rate_limiter_refused_total',
      'Requests rejected because their caller exceeded the rate limit.',
      limiters.map(({ name, refused }) => ({ labels: { limiter: name }, value: refused })),
    ),
    family(
      'gauge',
      'svc_rate_limiter_keys',
      'Rate limiter keys tracked in this process.',
      limiters.map(({ name, keys }) => ({ labels: { limiter: name }, value: keys })),
    ),
    family(
      'gauge',
      'svc_rate_limiter_capacity_keys',
      'Rate limiter keys that can be tracked before the least recently used is evicted.',
      limiters.map(({ name, capacity }) => ({ labels: { limiter: name }, value: capacity })),
    ),
    family(
      'gauge',
      SAME_CALLER_METRIC,
      'Rate-limited requests in a row from one address.',
      one(http.sameCallerRequests()),
    ),
  ];
}

function toUpstreamMetrics({ chain, counters, budget }: UpstreamCounts): MetricFamily[] {
  const { callsPerSecond, calls: budgetCalls, waiting, refused, refusals, isDayExhausted } = budget();
  const { failures, calls, durations, disagreements, snapshotHits, snapshotCount, snapshotBytes, retries } = counters;
  const own = (value: number | undefined): Sample[] => one(value, { chain });
  return [
    family('counter', 'svc_upstream_requests_total', 'HTTP requests sent to nodes.', own(counters.httpRequests)),
    family(
      'counter',
      'svc_upstream_calls_total',
      'RPC calls sent to nodes, by method and outcome.',
      calls.list().map(({ method, outcome, count }) => ({ labels: { chain, method, outcome }, value: count })),
    ),
    {
      name: 'svc_upstream_request_duration_seconds',
      help: 'Histogram of seconds from a request to a node to its response or failure.',
      type: 'histogram',
      samples: [{ labels: { chain }, durations }],
    },
    family(
      'counter',
      'svc_upstream_failures_total',
      'Requests to nodes without a usable response, by cause.',
      UNREADABLE_CAUSES.map((cause) => ({ labels: { chain, cause }, value: failures[cause] ?? 0 })),
    ),
    family(
      'counter',
      'svc_rpc_disagreements_total',
      'Responses of nodes that differed where several nodes must agree.',
      own(disagreements),
    ),
    family(
      'counter',
      'svc_upstream_retries_total',
      'Requests to nodes that were retried after a transient error.',
      own(retries),
    ),
    family(
      'counter',
      'svc_call_budget_calls_total',
      'RPC calls admitted by the call budget, by the work they were sent for.',
      Object.entries(budgetCalls).map(([work, value]) => ({ labels: { chain, work }, value })),
    ),
    family('gauge', 'svc_call_budget_rate', 'Calls per second that the budget allows now.', own(callsPerSecond)),
    family('gauge', 'svc_call_budget_waiting', 'Requests that wait for their turn.', own(waiting)),
    family(
      'counter',
      'svc_call_budget_refused_total',
      'Reads of callers that were refused because their turn did not come in time.',
      own(refused),
    ),
    family(
      'counter',
      'svc_call_budget_node_refusals_total',
      'Times that all nodes refused calls for their number.',
      own(refusals),
    ),
    family(
      'gauge',
      'svc_call_budget_day_exhausted',
      '1 while the calls of the day are used up faster than the day passes.',
      own(Number(isDayExhausted)),
    ),
    family('counter', 'svc_machine_reads_total', 'Machines read from nodes.', own(counters.machineReads)),
    family('counter', 'svc_snapshot_hits_total', 'Machine reads answered from the snapshot cache.', own(snapshotHits)),
    family('gauge', 'svc_snapshots', 'Machines in the snapshot cache.', own(snapshotCount)),
    family('gauge', 'svc_snapshot_bytes', 'Bytes of memory used by the snapshot cache.', own(snapshotBytes)),
  ];
}

/** Merges samples of one metric into one family. */
function mergeFamilies(families: MetricFamily[], added: MetricFamily): MetricFamily[] {
  const at = families.findIndex(({ name }) => name === added.name);
  if (at === -1) return [...families, added];
  const merged = { ...families[at]!, samples: [...families[at]!.samples, ...added.samples] } as MetricFamily;
  return families.with(at, merged);
}

function toLoopMetrics(loops: readonly LoopCounts[]): MetricFamily[] {
  const reports = loops.map((loop) => ({ labels: { loop: loop.name }, ...loop.report() }));
  return [
    family(
      'counter',
      'svc_loop_steps_total',
      'Steps that a background loop has run.',
      reports.map(({ labels, steps }) => ({ labels, value: steps })),
    ),
    family(
      'counter',
      'svc_loop_failures_total',
      'Steps of a background loop that failed.',
      reports.map(({ labels, failures }) => ({ labels, value: failures })),
    ),
    family(
      'gauge',
      'svc_loop_last_success_timestamp_seconds',
      'Unix time of the last successful step of a background loop.',
      reports.flatMap(({ labels, lastSuccessAtMilliseconds: at }) =>
        one(at === undefined ? undefined : at / 1000, labels),
      ),
    ),
  ];
}

function toHeadMetrics(head: HeadCounts | undefined): MetricFamily[] {
  return [
    family(
      'counter',
      'svc_head_reorgs_total',
      'New heads of the main chain that did not follow the previous one.',
      one(head?.reorgs),
    ),
    family(
      'counter',
      'svc_unknown_logs_total',
      'Logs of the main-chain contracts in new blocks whose event is unknown to this release.',
      one(head?.unknownLogs),
    ),
  ];
}

function toIndexMetrics(index: IndexCounts | undefined): MetricFamily[] {
  return [
    family(
      'gauge',
      'svc_index_missing_events',
      'Events that the index lacks at its checkpoint according to totalEventCount; negative: events in excess.',
      one(index?.missingEvents),
    ),
    family(
      'counter',
      'svc_index_repairs_total',
      "Repairs of the index after a difference from the contracts' counters, by state.",
      Object.entries(index?.repair ?? {}).map(([state, value]) => ({ labels: { state }, value })),
    ),
    family(
      'counter',
      'svc_index_differences_total',
      'Blocks whose stored logs were not those of their receipts and were replaced.',
      one(index?.prover.differences),
    ),
  ];
}

function toWriteMetrics({ decisions, challenges, evidenceRecords }: WriteCounts): MetricFamily[] {
  return [
    family(
      'counter',
      'svc_decisions_total',
      'Opt-in decisions submitted to the database, by outcome.',
      toSamples('outcome', decisions),
    ),
    family(
      'counter',
      'svc_challenges_total',
      'Chip challenges requested, by outcome.',
      toSamples('outcome', challenges),
    ),
    family(
      'counter',
      'svc_evidence_total',
      'Chip evidence submitted to the database, by outcome.',
      toSamples('outcome', evidenceRecords),
    ),
  ];
}

/** Returns the count across all replicas. Undefined: onboarding is off, or the database cannot be queried. */
async function countOpenChallenges({ onboarding, store, clock }: Ctx): Promise<number | undefined> {
  return onboarding === undefined ? undefined : store.countOpenChallenges(nowSeconds(clock)).catch(() => undefined);
}

async function readReadinessMetrics(ctx: Ctx): Promise<MetricFamily[]> {
  const { isReady, operatorIndex, altIndex } = await getReadiness(ctx);
  return [
    family('gauge', 'svc_ready', '1 if /ready succeeds.', one(Number(isReady))),
    family('gauge', 'svc_index_ready', '1 if the operator index is served.', one(toNumber(operatorIndex?.isReady))),
    family('gauge', 'svc_index_block', 'Last indexed block of the main chain.', one(operatorIndex?.indexedBlock)),
    family(
      'gauge',
      'svc_head_block',
      'Newest block of the main chain observed by the index worker.',
      one(operatorIndex?.headBlock),
    ),
    family(
      'gauge',
      'svc_index_lag_blocks',
      'Blocks by which the index lags behind the head.',
      one(operatorIndex?.lagBlocks),
    ),
    family(
      'gauge',
      'svc_index_unproven_blocks',
      'Blocks whose stored logs are not proven yet.',
      one(operatorIndex?.proof?.unprovenBlocks),
    ),
    family(
      'gauge',
      'svc_head_observed_age_seconds',
      'Seconds since the index worker observed the head.',
      one(operatorIndex?.headObservedAgeSeconds),
    ),
    family(
      'gauge',
      'svc_alt_index_ready',
      '1 if the event index of the alt chain is complete and this process can read its accounts.',
      one(toNumber(altIndex?.isReady)),
    ),
    family('gauge', 'svc_alt_index_slot', 'Last indexed slot of the alt chain.', one(altIndex?.slot)),
    family(
      'gauge',
      'svc_alt_index_age_seconds',
      'Seconds since the last indexed slot of the alt chain was observed.',
      one(altIndex?.ageSeconds),
    ),
  ];
}

function toNumber(flag: boolean | undefined): number | undefined {
  return flag === undefined ? undefined : Number(flag);
}

/** Returns one sample per outcome, with the outcome under this label. */
function toSamples(label: string, counts: OutcomeCounts): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}
