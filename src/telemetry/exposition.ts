/** Text format of Prometheus, version 0.0.4. */
import { LATENCY_BUCKETS_SECONDS, type LatencyHistogram } from '../domain/metrics/latency-histogram.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export type MetricFamily =
  | {
      readonly name: string;
      readonly help: string;
      readonly type: 'counter' | 'gauge';
      readonly samples: readonly Sample[];
    }
  | {
      readonly name: string;
      readonly help: string;
      readonly type: 'histogram';
      readonly samples: readonly { readonly labels: Labels; readonly durations: LatencyHistogram }[];
    };

export const EXPOSITION_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Creates a family of counters or gauges. */
export function family(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  samples: readonly Sample[],
): MetricFamily {
  return { name, help, type, samples };
}

/** Returns the only sample of these labels; none while its value is unknown. */
export function one(value: number | undefined, labels: Labels = {}): Sample[] {
  return value === undefined ? [] : [{ labels, value }];
}

/** Formats metric families; those without a sample are omitted. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families.map(formatFamily).join('');
}

function formatFamily(metric: MetricFamily): string {
  if (metric.samples.length === 0) return '';
  const { name, help, type } = metric;
  const lines =
    type === 'histogram'
      ? metric.samples.flatMap(({ labels, durations }) => formatDurations(name, labels, durations))
      : metric.samples.map(({ labels, value }) => formatLine(name, labels, value));
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function formatDurations(name: string, labels: Labels, { counts, sumSeconds }: LatencyHistogram): string[] {
  let count = 0;
  const buckets = [...LATENCY_BUCKETS_SECONDS.map(String), '+Inf'].map((le, index) => {
    count += counts[index]!;
    return formatLine(`${name}_bucket`, { ...labels, le }, count);
  });
  return [...buckets, formatLine(`${name}_sum`, labels, sumSeconds), formatLine(`${name}_count`, labels, count)];
}

function formatLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value === Infinity ? '+Inf' : value}`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
