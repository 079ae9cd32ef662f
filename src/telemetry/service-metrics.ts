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
import type { MetricFamily, Sample } from './exposition.ts';

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
    gauge(
      'svc_shared_counters_up',
      '1 while rate limits are counted across replicas, 0 while each replica counts independently.',
      toNumber(distributedCounters?.isUp()),
    ),
    counterOf(
      'svc_shared_counters_failures_total',
      'Requests counted by this replica alone because the counter store did not respond.',
      distributedCounters === undefined ? [] : [{ labels: {}, value: distributedCounters.failures() }],
    ),
    ...sources.upstreams.flatMap(toUpstreamMetrics).reduce(mergeFamilies, []),
    ...toLoopMetrics(sources.loops),
    ...toHeadMetrics(sources.head?.()),
    ...toIndexMetrics(sources.index?.()),
    ...toWriteMetrics(sources.writes),
    gauge(
      'svc_open_challenges',
      'Chip challenges that still accept evidence, across all replicas.',
      await countOpenChallenges(sources.ctx),
    ),
    counter(
      'svc_database_failures_total',
      'Database statements that failed, by error code.',
      'code',
      sources.databaseFailures,
    ),
    gauge(
      'svc_leader',
      '1 if this process is the leader, which follows the chains for all replicas.',
      Number(sources.isLeader()),
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
  return {
    name: 'svc_clock_state',
    help: '1 for the state of the wall clock, 0 for every other state.',
    type: 'gauge',
    samples: CLOCK_STATES.map((each) => ({ labels: { state: each }, value: Number(each === state) })),
  };
}

function toSourceMetrics(states: readonly PaymentSourceState[]): MetricFamily[] {
  const family = (name: string, help: string, read: (state: PaymentSourceState) => number | undefined) => ({
    ...{ name, help, type: 'gauge' as const },
    samples: states.flatMap((state) => {
      const value = read(state);
      return value === undefined ? [] : [{ labels: { source: state.name }, value }];
    }),
  });
  return [
    family('svc_payment_source_up', '1 if the last step could read the payment source.', ({ isUp }) => toNumber(isUp)),
    family(
      'svc_payment_source_head_age_seconds',
      'Seconds since the newest finalized block read from the payment source.',
      ({ headAgeSeconds }) => headAgeSeconds,
    ),
    family(
      'svc_payment_source_waiting_machines',
      'Machines that wait for a verdict on a payment of the source.',
      ({ waitingMachines }) => waitingMachines,
    ),
    {
      ...family(
        'svc_payment_verdicts_postponed_total',
        'Verdicts that were postponed because the transaction could not be read from the payment source.',
        ({ postponedVerdicts }) => postponedVerdicts,
      ),
      type: 'counter',
    },
  ];
}

/** Before the first pass the age is infinite, so that an alert sees that no event is searched. */
export async function readSearchMetric(ctx: Ctx): Promise<MetricFamily> {
  const searches = (await getPaymentSearches(ctx)) ?? [];
  return {
    name: 'svc_payment_search_age_seconds',
    help: 'Seconds since the time through which the events of a home chain are searched for payments; +Inf before the first search.',
    type: 'gauge',
    samples: searches.map(({ home, ageSeconds = Infinity }) => ({ labels: { chain: home }, value: ageSeconds })),
  };
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
    {
      name: 'svc_faults_total',
      help: 'Errors returned, by kind.',
      type: 'counter',
      samples: http.faults().map(({ count, ...labels }) => ({ labels, value: count })),
    },
    {
      name: 'svc_rate_limiter_refused_total',
      help: 'Requests rejected because their caller exceeded the rate limit.',
      type: 'counter',
      samples: limiters.map(({ name, refused }) => ({ labels: { limiter: name }, value: refused })),
    },
    {
      name: 'svc_rate_limiter_keys',
      help: 'Rate limiter keys tracked in this process.',
      type: 'gauge',
      samples: limiters.map(({ name, keys }) => ({ labels: { limiter: name }, value: keys })),
    },
    {
      name: 'svc_rate_limiter_capacity_keys',
      help: 'Rate limiter keys that can be tracked before the least recently used is evicted.',
      type: 'gauge',
      samples: limiters.map(({ name, capacity }) => ({ labels: { limiter: name }, value: capacity })),
    },
    gauge(SAME_CALLER_METRIC, 'Rate-limited requests in a row from one address.', http.sameCallerRequests()),
  ];
}

function toUpstreamMetrics({ chain, counters, budget }: UpstreamCounts): MetricFamily[] {
  const { callsPerSecond, calls: budgetCalls, waiting, refused, refusals, isDayExhausted } = budget();
  const { failures, calls, durations, disagreements, snapshotHits, snapshotCount, snapshotBytes, retries } = counters;
  const own = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ labels: { chain }, value }]);
  return [
    counterOf('svc_upstream_requests_total', 'HTTP requests sent to nodes.', own(counters.httpRequests)),
    counterOf(
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
    counterOf(
      'svc_upstream_failures_total',
      'Requests to nodes without a usable response, by cause.',
      UNREADABLE_CAUSES.map((cause) => ({ labels: { chain, cause }, value: failures[cause] ?? 0 })),
    ),
    counterOf(
      'svc_rpc_disagreements_total',
      'Responses of nodes that differed where several nodes must agree.',
      own(disagreements),
    ),
    counterOf(
      'svc_upstream_retries_total',
      'Requests to nodes that were retried after a transient error.',
      own(retries),
    ),
    counterOf(
      'svc_call_budget_calls_total',
      'RPC calls admitted by the call budget, by the work they were sent for.',
      Object.entries(budgetCalls).map(([work, value]) => ({ labels: { chain, work }, value })),
    ),
    {
      ...counterOf('svc_call_budget_rate', 'Calls per second that the budget allows now.', own(callsPerSecond)),
      type: 'gauge',
    },
    { ...counterOf('svc_call_budget_waiting', 'Requests that wait for their turn.', own(waiting)), type: 'gauge' },
    counterOf(
      'svc_call_budget_refused_total',
      'Reads of callers that were refused because their turn did not come in time.',
      own(refused),
    ),
    counterOf(
      'svc_call_budget_node_refusals_total',
      'Times that all nodes refused calls for their number.',
      own(refusals),
    ),
    {
      ...counterOf(
        'svc_call_budget_day_exhausted',
        '1 while the calls of the day are used up faster than the day passes.',
        own(Number(isDayExhausted)),
      ),
      type: 'gauge',
    },
    counterOf('svc_machine_reads_total', 'Machines read from nodes.', own(counters.machineReads)),
    counterOf('svc_snapshot_hits_total', 'Machine reads answered from the snapshot cache.', own(snapshotHits)),
    { ...counterOf('svc_snapshots', 'Machines in the snapshot cache.', own(snapshotCount)), type: 'gauge' },
    {
      ...counterOf('svc_snapshot_bytes', 'Bytes of memory used by the snapshot cache.', own(snapshotBytes)),
      type: 'gauge',
    },
  ];
}

/** Merges samples of one metric into one family. */
function mergeFamilies(families: MetricFamily[], family: MetricFamily): MetricFamily[] {
  const at = families.findIndex(({ name }) => name === family.name);
  if (at === -1) return [...families, family];
  const merged = { ...families[at]!, samples: [...families[at]!.samples, ...family.samples] } as MetricFamily;
  return families.with(at, merged);
}

function toLoopMetrics(loops: readonly LoopCounts[]): MetricFamily[] {
  const reports = loops.map((loop) => ({ labels: { loop: loop.name }, ...loop.report() }));
  return [
    counterOf(
      'svc_loop_steps_total',
      'Steps that a background loop has run.',
      reports.map(({ labels, steps }) => ({ labels, value: steps })),
    ),
    counterOf(
      'svc_loop_failures_total',
      'Steps of a background loop that failed.',
      reports.map(({ labels, failures }) => ({ labels, value: failures })),
    ),
    {
      name: 'svc_loop_last_success_timestamp_seconds',
      help: 'Unix time of the last successful step of a background loop.',
      type: 'gauge',
      samples: reports.flatMap(({ labels, lastSuccessAtMilliseconds: at }) =>
        at === undefined ? [] : [{ labels, value: at / 1000 }],
      ),
    },
  ];
}

function toHeadMetrics(head: HeadCounts | undefined): MetricFamily[] {
  const samples = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }]);
  return [
    counterOf(
      'svc_head_reorgs_total',
      'New heads of the main chain that did not follow the previous one.',
      samples(head?.reorgs),
    ),
    counterOf(
      'svc_unknown_logs_total',
      'Logs of the main-chain contracts in new blocks whose event is unknown to this release.',
      samples(head?.unknownLogs),
    ),
  ];
}

function toIndexMetrics(index: IndexCounts | undefined): MetricFamily[] {
  return [
    gauge(
      'svc_index_missing_events',
      'Events that the index lacks at its checkpoint according to totalEventCount; negative: events in excess.',
      index?.missingEvents,
    ),
    counterOf(
      'svc_index_repairs_total',
      "Repairs of the index after a difference from the contracts' counters, by state.",
      Object.entries(index?.repair ?? {}).map(([state, value]) => ({ labels: { state }, value })),
    ),
    counterOf(
      'svc_index_differences_total',
      'Blocks whose stored logs were not those of their receipts and were replaced.',
      index === undefined ? [] : [{ labels: {}, value: index.prover.differences }],
    ),
  ];
}

function toWriteMetrics({ decisions, challenges, evidenceRecords }: WriteCounts): MetricFamily[] {
  return [
    counter('svc_decisions_total', 'Opt-in decisions submitted to the database, by outcome.', 'outcome', decisions),
    counter('svc_challenges_total', 'Chip challenges requested, by outcome.', 'outcome', challenges),
    counter('svc_evidence_total', 'Chip evidence submitted to the database, by outcome.', 'outcome', evidenceRecords),
  ];
}

/** Returns the count across all replicas. Undefined: onboarding is off, or the database cannot be queried. */
async function countOpenChallenges({ onboarding, store, clock }: Ctx): Promise<number | undefined> {
  return onboarding === undefined ? undefined : store.countOpenChallenges(nowSeconds(clock)).catch(() => undefined);
}

async function readReadinessMetrics(ctx: Ctx): Promise<MetricFamily[]> {
  const { isReady, operatorIndex, altIndex } = await getReadiness(ctx);
  return [
    gauge('svc_ready', '1 if /ready succeeds.', Number(isReady)),
    gauge('svc_index_ready', '1 if the operator index is served.', toNumber(operatorIndex?.isReady)),
    gauge('svc_index_block', 'Last indexed block of the main chain.', operatorIndex?.indexedBlock),
    gauge('svc_head_block', 'Newest block of the main chain observed by the index worker.', operatorIndex?.headBlock),
    gauge('svc_index_lag_blocks', 'Blocks by which the index lags behind the head.', operatorIndex?.lagBlocks),
    gauge(
      'svc_index_unproven_blocks',
      'Blocks whose stored logs are not proven yet.',
      operatorIndex?.proof?.unprovenBlocks,
    ),
    gauge(
      'svc_head_observed_age_seconds',
      'Seconds since the index worker observed the head.',
      operatorIndex?.headObservedAgeSeconds,
    ),
    gauge('svc_alt_index_ready', '1 if the event index of the alt chain is complete.', toNumber(altIndex?.isReady)),
    gauge('svc_alt_index_slot', 'Last indexed slot of the alt chain.', altIndex?.slot),
    gauge(
      'svc_alt_index_age_seconds',
      'Seconds since the last indexed slot of the alt chain was observed.',
      altIndex?.ageSeconds,
    ),
  ];
}

function toNumber(flag: boolean | undefined): number | undefined {
  return flag === undefined ? undefined : Number(flag);
}

function gauge(name: string, help: string, value: number | undefined): MetricFamily {
  return { name, help, type: 'gauge', samples: value === undefined ? [] : [{ labels: {}, value }] };
}

function counter(name: string, help: string, label: string, counts: OutcomeCounts): MetricFamily {
  return counterOf(
    name,
    help,
    [...counts].map(([name, value]) => ({ labels: { [label]: name }, value })),
  );
}

function counterOf(name: string, help: string, samples: readonly Sample[]) {
  return { name, help, type: 'counter' as const, samples };
}
