/**
 * Metrics of the process: CPU, memory, file descriptors, event loop delay and garbage collection, under the names that
 * dashboards for Prometheus and Node expect.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { constants, monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks';
import { LatencyHistogram } from '../domain/metrics/latency-histogram.ts';
import { family, one, type MetricFamily } from './exposition.ts';

export interface ProcessMetrics {
  /** Returns the current values; event loop delays cover the time since the previous call. */
  read(): MetricFamily[];
  close(): void;
}

/** Entry of a garbage collection; the types of Node lack `detail`. */
interface GcEntry {
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};
const DELAY_RESOLUTION_MILLISECONDS = 10;

/** Starts to observe the event loop and the garbage collector. */
export function createProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MILLISECONDS });
  delay.enable();
  const collections = new Map(Object.values(GC_KINDS).map((kind) => [kind, new LatencyHistogram()]));
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as unknown as readonly GcEntry[]) {
      collections.get(GC_KINDS[detail.kind]!)?.add(duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });

  function readDelays(): MetricFamily[] {
    const nanoseconds = {
      min: delay.min,
      max: delay.max,
      mean: delay.mean,
      p50: delay.percentile(50),
      p90: delay.percentile(90),
      p99: delay.percentile(99),
    };
    delay.reset();
    return Object.entries(nanoseconds).map(([name, value]) =>
      family(
        'gauge',
        `nodejs_eventloop_lag_${name}_seconds`,
        `Event loop delay since the last scrape: ${name}.`,
        one(value / 1e9),
      ),
    );
  }

  return {
    read: () => [
      ...readCpu(),
      ...readMemory(),
      ...readDescriptors(),
      family(
        'gauge',
        'process_start_time_seconds',
        'Unix time at which the process started.',
        one(performance.timeOrigin / 1000),
      ),
      ...readDelays(),
      {
        name: 'nodejs_gc_duration_seconds',
        help: 'Histogram of garbage collection pauses, by kind.',
        type: 'histogram',
        samples: [...collections].map(([kind, durations]) => ({ labels: { kind }, durations })),
      },
    ],
    close() {
      delay.disable();
      observer.disconnect();
    },
  };
}

function readCpu(): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    family('counter', 'process_cpu_user_seconds_total', 'Seconds of CPU time in user mode.', one(user / 1e6)),
    family('counter', 'process_cpu_system_seconds_total', 'Seconds of CPU time in system mode.', one(system / 1e6)),
    family('counter', 'process_cpu_seconds_total', 'Seconds of CPU time.', one((user + system) / 1e6)),
  ];
}

function readMemory(): MetricFamily[] {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  return [
    family('gauge', 'process_resident_memory_bytes', 'Resident memory.', one(rss)),
    family('gauge', 'nodejs_heap_size_total_bytes', 'Size of the heap.', one(heapTotal)),
    family('gauge', 'nodejs_heap_size_used_bytes', 'Used part of the heap.', one(heapUsed)),
    family('gauge', 'nodejs_external_memory_bytes', 'Memory of objects outside the heap.', one(external)),
  ];
}

/** Returns none where the system has no `/proc`. */
function readDescriptors(): MetricFamily[] {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return [
      family('gauge', 'process_open_fds', 'Open file descriptors.', one(readdirSync('/proc/self/fd').length)),
      ...(limit === undefined
        ? []
        : [family('gauge', 'process_max_fds', 'Limit of open file descriptors.', one(Number(limit)))]),
    ];
  } catch {
    return [];
  }
}
