import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakePaymentSource } from '../../testing/fakes/fake-payment-source.ts';
import { createStubCtx } from '../../testing/fakes/stub-ctx.ts';
import { CallCounter } from '../domain/metrics/call-counter.ts';
import { LatencyHistogram } from '../domain/metrics/latency-histogram.ts';
import { Fault, UNREADABLE_CAUSES } from '../domain/faults.ts';
import type { Ctx } from '../ports/ctx.ts';
import type { PaymentSources } from '../ports/payment-sources.ts';
import type { Store } from '../ports/store.ts';
import { startAdminListener, type AdminListener } from './admin-listener.ts';
import { readSearchMetric, readServiceMetrics, type MetricSources } from './service-metrics.ts';

const BUDGET = { callsPerSecond: 25, calls: { caller: 7 }, waiting: 3, refused: 5, refusals: 2, isDayExhausted: true };

const none = new Map<string, number>();

function createCounters() {
  const counters = {
    httpRequests: 3,
    calls: new CallCounter(),
    durations: new LatencyHistogram(),
    failures: { transport: 1 },
    machineReads: 2,
  };
  counters.calls.add('method', 'failed');
  return counters;
}

const SOURCES: MetricSources = {
  ctx: createStubCtx(),
  http: { responses: () => [], faults: () => [], limiters: () => [], sameCallerRequests: () => 3 },
  upstreams: [
    {
      budget: () => BUDGET,
      chain: 'main',
      counters: { ...createCounters(), retries: 4, snapshotHits: 5, snapshotCount: 6, snapshotBytes: 7 },
    },
    { chain: 'alt', counters: createCounters(), budget: () => ({ ...BUDGET, callsPerSecond: undefined }) },
  ],
  loops: [{ name: 'a-loop', report: () => ({ steps: 2, failures: 1, lastSuccessAtMilliseconds: 1_500 }) }],
  head: () => ({ reorgs: 9, unknownLogs: 10 }),
  index: () => ({ repair: { started: 11, succeeded: 12 }, missingEvents: 13, prover: { differences: 14 } }),
  writes: { decisions: new Map([['applied', 1]]), challenges: none, evidenceRecords: none },
  databaseFailures: new Map([['57P01', 1]]),
  distributedCounters: {
    isUp: () => false,
    increment: async () => undefined,
    failures: () => 8,
    close: async () => undefined,
  },
  changeFeed: { changes: () => ({ stored: 15, postponed: 16 }), webhooks: undefined, streams: () => 17 },
  isLeader: () => true,
};

let listener: AdminListener;
beforeEach(async () => {
  listener = await startAdminListener({ host: '127.0.0.1', port: 0 }, SOURCES, {
    '/ready': async () => ({ status: 503, body: { text: '{}' } }),
  });
});
afterEach(() => listener.close());

async function request(path: string, method = 'GET') {
  const response = await fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

test('GET /metrics returns the samples of the service and the metrics of the process', async () => {
  const { status, type, text } = await request('/metrics');
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const isZeroFailure = (line: string) => line.startsWith('svc_upstream_failures_total') && line.endsWith(' 0');
  const samples = text.split('\n').filter((line) => /^svc_/.test(line) && !line.includes('_seconds_'));
  const lines = samples.filter((line) => !isZeroFailure(line));
  const causes = UNREADABLE_CAUSES.length;
  expect(samples.filter(isZeroFailure)).toHaveLength(2 * (causes - 1));
  expect(lines).toEqual([
    'svc_same_caller_requests 3',
    'svc_shared_counters_up 0',
    'svc_shared_counters_failures_total 8',
    'svc_upstream_requests_total{chain="main"} 3',
    'svc_upstream_requests_total{chain="alt"} 3',
    'svc_upstream_calls_total{chain="main",method="method",outcome="failed"} 1',
    'svc_upstream_calls_total{chain="alt",method="method",outcome="failed"} 1',
    'svc_upstream_failures_total{chain="main",cause="transport"} 1',
    'svc_upstream_failures_total{chain="alt",cause="transport"} 1',
    'svc_upstream_retries_total{chain="main"} 4',
    'svc_call_budget_calls_total{chain="main",work="caller"} 7',
    'svc_call_budget_calls_total{chain="alt",work="caller"} 7',
    'svc_call_budget_rate{chain="main"} 25',
    'svc_call_budget_waiting{chain="main"} 3',
    'svc_call_budget_waiting{chain="alt"} 3',
    'svc_call_budget_refused_total{chain="main"} 5',
    'svc_call_budget_refused_total{chain="alt"} 5',
    'svc_call_budget_node_refusals_total{chain="main"} 2',
    'svc_call_budget_node_refusals_total{chain="alt"} 2',
    'svc_call_budget_day_exhausted{chain="main"} 1',
    'svc_call_budget_day_exhausted{chain="alt"} 1',
    'svc_machine_reads_total{chain="main"} 2',
    'svc_machine_reads_total{chain="alt"} 2',
    'svc_snapshot_hits_total{chain="main"} 5',
    'svc_snapshots{chain="main"} 6',
    'svc_snapshot_bytes{chain="main"} 7',
    'svc_loop_steps_total{loop="a-loop"} 2',
    'svc_loop_failures_total{loop="a-loop"} 1',
    'svc_loop_last_success_timestamp_seconds{loop="a-loop"} 1.5',
    'svc_head_reorgs_total 9',
    'svc_unknown_logs_total 10',
    'svc_index_missing_events 13',
    'svc_index_repairs_total{state="started"} 11',
    'svc_index_repairs_total{state="succeeded"} 12',
    'svc_index_differences_total 14',
    'svc_decisions_total{outcome="applied"} 1',
    'svc_database_failures_total{code="57P01"} 1',
    'svc_leader 1',
    'svc_poll_interval_seconds 60',
    'svc_clock_state{state="good"} 1',
    'svc_clock_state{state="unconfirmed"} 0',
    'svc_clock_state{state="doubtful"} 0',
    'svc_clock_state{state="behind"} 0',
    'svc_changes_stored_total 15',
    'svc_change_observations_postponed_total 16',
    'svc_changes_oldest_due_seconds 0',
    'svc_change_streams 17',
    'svc_webhook_attempts_total{outcome="delivered"} 0',
    'svc_webhook_attempts_total{outcome="failed"} 0',
    'svc_webhook_dead_letters_total 0',
    'svc_ready 0',
  ]);
  const processNames = [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ];
  for (const name of processNames) expect(text).toMatch(new RegExp(`^${name} [0-9.e+-]+$`, 'm'));
  expect(text).toContain('\nnodejs_gc_duration_seconds_count{kind="major"} ');
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('svc_open_challenges is present while the database responds, and only where onboarding is on', async () => {
  const read = async (parts: Parameters<typeof createStubCtx>[0]) => {
    const families = await readServiceMetrics({ ...SOURCES, ctx: createStubCtx(parts) });
    return families.find(({ name }) => name === 'svc_open_challenges')!.samples;
  };
  const chip = {} as Ctx['onboarding'];
  const storeWith = (countOpenChallenges: Store['countOpenChallenges']) =>
    ({ countOpenChallenges }) as unknown as Store;
  expect(await read({ onboarding: chip, store: storeWith(async (now) => now - 1_788_899_993) })).toEqual([
    { labels: {}, value: 7 },
  ]);
  const failing = storeWith(() => Promise.reject(new Fault('StoreUnavailable', {})));
  expect([await read({ onboarding: chip, store: failing }), await read({})]).toEqual([[], []]);
});

test('svc_payment_search_age_seconds has a sample for each home chain with payment sources, infinite before the first search', async () => {
  const through = { main: 1_788_900_000 - 75, alt: -1 };
  const store = { readScannedThrough: async (home: 'main' | 'alt') => through[home] } as unknown as Store;
  const chains = { main: {} as Ctx['main'], alt: {} as Ctx['alt'] };
  const read = async (list: PaymentSources['list']) => {
    const ctx = createStubCtx({ store, ...chains, paymentSources: { hash: null, list } });
    return (await readSearchMetric(ctx)).samples;
  };
  expect(await read([new FakePaymentSource()])).toEqual([
    { labels: { chain: 'main' }, value: 75 },
    { labels: { chain: 'alt' }, value: Infinity },
  ]);
  expect(await read([])).toEqual([]);
});

test('health checks return their status and body', async () => {
  expect(await request('/ready?x')).toEqual({ status: 503, type: 'application/json; charset=utf-8', text: '{}' });
  expect(await request('/ready', 'HEAD')).toEqual({ status: 503, type: 'application/json; charset=utf-8', text: '' });
  expect((await request('/ready', 'POST')).status).toBe(405);
});

test('other paths return 404 and other methods 405', async () => {
  expect([(await request('/')).status, (await request('/mcr/1')).status]).toEqual([404, 404]);
  expect((await request('/metrics', 'POST')).status).toBe(405);
});

test('docs/operating.md lists every metric name and no other', async () => {
  const families = await readServiceMetrics(SOURCES);
  const manual = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const documented = [...manual.matchAll(/^\| `((?:svc|http)_[a-z_]+)`/gm)].map(([, name]) => name);
  expect(documented).toEqual(families.map(({ name }) => name));
});
