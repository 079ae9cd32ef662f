/**
 * What does the service tell its operator in numbers? Every metric by name; the names are promised in `docs/operating.md`. Read when someone
 * scrapes: nothing here runs in between.
 */
import { getReadiness } from '../actions/health.ts';
import type { CallCounter } from '../domain/metrics/call-counter.ts';
import type { LatencyHistogram } from '../domain/metrics/latency-histogram.ts';
import type { ChainName } from '../domain/faults.ts';
import { nowSeconds } from '../ports/runtime.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { DistributedCounters } from '../ports/runtime.ts';
import type { OutcomeCounts, WriteCounts } from './counted-store.ts';
import type { MetricFamily, Sample } from './exposition.ts';

/** What the transport counted. */
export interface HttpCounts {
  answers(): readonly {
    readonly route: string;
    readonly method: string;
    readonly status: string;
    readonly durations: LatencyHistogram;
  }[];
  faults(): readonly { readonly fault: string; readonly cause: string; readonly count: number }[];
  limiters(): readonly {
    readonly name: string;
    readonly keys: number;
    readonly capacity: number;
    readonly refused: number;
  }[];
}

/** What the adapter of a chain counted. */
export interface UpstreamCounts {
  readonly chain: ChainName;
  readonly counters: {
    readonly httpRequests: number;
    readonly calls: CallCounter;
    readonly durations: LatencyHistogram;
    readonly failures: Readonly<Partial<Record<string, number>>>;
    readonly machineReads: number;
    /** The four are of the main chain alone. */
    readonly retries?: number;
    readonly snapshotHits?: number;
    readonly snapshotCount?: number;
    readonly snapshotBytes?: number;
  };
}

/** What a loop counted. */
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
  readonly writes: WriteCounts;
  /** By the database's own code. */
  readonly databaseFailures: OutcomeCounts;
  /** Undefined: each replica counts requests alone, as configured. */
  readonly sharedCounts: DistributedCounters | undefined;
  /** Whether this process is the one that indexes. */
  readonly isLeader: () => boolean;
}

export async function readServiceMetrics(sources: MetricSources): Promise<MetricFamily[]> {
  const { sharedCounts: shared } = sources;
  return [
    ...toHttpMetrics(sources.http),
    gauge('svc_shared_counters_up', 'Whether all replicas count requests together.', toNumber(shared?.isUp())),
    counterOf(
      'svc_shared_counters_failures_total',
      'Requests that this replica counted alone because it got no answer.',
      shared === undefined ? [] : [{ labels: {}, value: shared.failures() }],
    ),
    ...sources.upstreams.flatMap(toUpstreamMetrics).reduce(mergeFamilies, []),
    ...toLoopMetrics(sources.loops),
    ...toWriteMetrics(sources.writes),
    gauge('svc_open_challenges', 'Chip challenges that evidence may come for.', await countOpenChallenges(sources.ctx)),
    counter('svc_database_failures_total', 'Statements that the database failed.', 'code', sources.databaseFailures),
    gauge('svc_leader', 'Whether this process follows the chains for all.', Number(sources.isLeader())),
    ...(await readStanding(sources.ctx)),
  ];
}

function toHttpMetrics(http: HttpCounts): MetricFamily[] {
  const limiters = http.limiters();
  return [
    {
      name: 'http_request_duration_seconds',
      help: 'From the head of a request to its answer, by route, method and class of status.',
      type: 'histogram',
      samples: http.answers().map(({ durations, ...labels }) => ({ labels, durations })),
    },
    {
      name: 'svc_faults_total',
      help: 'Why answers were not what was asked for.',
      type: 'counter',
      samples: http.faults().map(({ count, ...labels }) => ({ labels, value: count })),
    },
    {
      name: 'svc_rate_limiter_refused_total',
      help: 'Requests refused because their caller asked too often.',
      type: 'counter',
      samples: limiters.map(({ name, refused }) => ({ labels: { limiter: name }, value: refused })),
    },
    {
      name: 'svc_rate_limiter_keys',
      help: 'Keys that are counted in this process.',
      type: 'gauge',
      samples: limiters.map(({ name, keys }) => ({ labels: { limiter: name }, value: keys })),
    },
    {
      name: 'svc_rate_limiter_capacity_keys',
      help: 'Keys that can be counted before the coldest is forgotten.',
      type: 'gauge',
      samples: limiters.map(({ name, capacity }) => ({ labels: { limiter: name }, value: capacity })),
    },
  ];
}

function toUpstreamMetrics({ chain, counters }: UpstreamCounts): MetricFamily[] {
  const { failures, calls, durations, snapshotHits, snapshotCount, snapshotBytes, retries } = counters;
  const own = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ labels: { chain }, value }]);
  return [
    counterOf('svc_upstream_requests_total', 'HTTP requests to nodes.', own(counters.httpRequests)),
    counterOf(
      'svc_upstream_calls_total',
      'Calls in them, by method and what came of them.',
      calls.list().map(({ method, outcome, count }) => ({ labels: { chain, method, outcome }, value: count })),
    ),
    {
      name: 'svc_upstream_request_duration_seconds',
      help: 'From a request to a node to its answer, or to giving it up.',
      type: 'histogram',
      samples: [{ labels: { chain }, durations }],
    },
    counterOf(
      'svc_upstream_failures_total',
      'Requests to nodes without a usable answer, by cause.',
      Object.entries(failures).map(([cause, count]) => ({ labels: { chain, cause }, value: count ?? 0 })),
    ),
    counterOf('svc_upstream_retries_total', 'Requests sent once more because an error might pass.', own(retries)),
    counterOf('svc_machine_reads_total', 'Machines that a node was asked for.', own(counters.machineReads)),
    counterOf('svc_snapshot_hits_total', 'Machines answered from what is kept.', own(snapshotHits)),
    { ...counterOf('svc_snapshots', 'Machines that are kept.', own(snapshotCount)), type: 'gauge' },
    { ...counterOf('svc_snapshot_bytes', 'Memory of the machines that are kept.', own(snapshotBytes)), type: 'gauge' },
  ];
}

/** Samples of one name stand together. */
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
      'Steps of a loop.',
      reports.map(({ labels, steps }) => ({ labels, value: steps })),
    ),
    counterOf(
      'svc_loop_failures_total',
      'Steps of a loop that failed.',
      reports.map(({ labels, failures }) => ({ labels, value: failures })),
    ),
    {
      name: 'svc_loop_last_success_timestamp_seconds',
      help: 'When a step of a loop last went well.',
      type: 'gauge',
      samples: reports.flatMap(({ labels, lastSuccessAtMilliseconds: at }) =>
        at === undefined ? [] : [{ labels, value: at / 1000 }],
      ),
    },
  ];
}

function toWriteMetrics({ decisions, challenges, intakes }: WriteCounts): MetricFamily[] {
  return [
    counter('svc_decisions_total', 'Monetization decisions that came to be written.', 'outcome', decisions),
    counter('svc_challenges_total', 'Chip challenges that came to be issued.', 'outcome', challenges),
    counter('svc_evidence_total', 'Chip evidence that came to be accepted.', 'outcome', intakes),
  ];
}

/** Of all replicas. Undefined: onboarding is off, or the database cannot be asked. */
async function countOpenChallenges({ chip, store, clock }: Ctx): Promise<number | undefined> {
  return chip === undefined ? undefined : store.countOpenChallenges(nowSeconds(clock)).catch(() => undefined);
}

async function readStanding(ctx: Ctx): Promise<MetricFamily[]> {
  const { isReady, operatorIndex, altIndex } = await getReadiness(ctx);
  return [
    gauge('svc_ready', 'Whether /ready says so.', Number(isReady)),
    gauge('svc_index_ready', 'Whether the operator index is served.', toNumber(operatorIndex?.isReady)),
    gauge('svc_index_block', 'Last block that is indexed.', operatorIndex?.indexedBlock),
    gauge('svc_head_block', 'Newest block that the worker saw.', operatorIndex?.headBlock),
    gauge('svc_index_lag_blocks', 'Blocks from the index to the head.', operatorIndex?.lagBlocks),
    gauge('svc_head_observed_age_seconds', 'Since the worker saw the head.', operatorIndex?.headObservedAgeSeconds),
    gauge('svc_alt_index_ready', 'Whether the events of the alt chain are whole.', toNumber(altIndex?.isReady)),
    gauge('svc_alt_index_slot', 'Last slot of the alt chain that is indexed.', altIndex?.slot),
    gauge('svc_alt_index_age_seconds', 'Since that slot was read.', altIndex?.ageSeconds),
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
    [...counts].map(([word, value]) => ({ labels: { [label]: word }, value })),
  );
}

function counterOf(name: string, help: string, samples: readonly Sample[]) {
  return { name, help, type: 'counter' as const, samples };
}
