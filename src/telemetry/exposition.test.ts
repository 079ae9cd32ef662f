import { expect, test } from 'vitest';
import { LatencyHistogram } from '../domain/metrics/latency-histogram.ts';
import { formatMetrics } from './exposition.ts';

test('counters and gauges are one line per sample, with escaped labels and +Inf', () => {
  const text = formatMetrics([
    { name: 'svc_ready', help: 'Ready to serve.', type: 'gauge', samples: [{ labels: {}, value: 1 }] },
    {
      name: 'svc_things_total',
      help: 'Things.',
      type: 'counter',
      samples: [
        { labels: { kind: 'a', of: 'b' }, value: 2 },
        { labels: { kind: '"\\\n', of: '' }, value: 0.5 },
        { labels: {}, value: Infinity },
      ],
    },
    { name: 'svc_empty', help: 'Nothing.', type: 'gauge', samples: [] },
  ]);
  expect(text).toBe(
    [
      '# HELP svc_ready Ready to serve.',
      '# TYPE svc_ready gauge',
      'svc_ready 1',
      '# HELP svc_things_total Things.',
      '# TYPE svc_things_total counter',
      'svc_things_total{kind="a",of="b"} 2',
      'svc_things_total{kind="\\"\\\\\\n",of=""} 0.5',
      'svc_things_total +Inf',
      '',
    ].join('\n'),
  );
});

test('a histogram has cumulative buckets, a sum and a count', () => {
  const durations = new LatencyHistogram();
  for (const seconds of [0.000_05, 0.002, 20]) durations.add(seconds);
  const text = formatMetrics([
    { name: 'd_seconds', help: 'D.', type: 'histogram', samples: [{ labels: { route: '/x' }, durations }] },
  ]);
  const lines = text.split('\n');
  expect(lines.slice(0, 3)).toEqual([
    '# HELP d_seconds D.',
    '# TYPE d_seconds histogram',
    'd_seconds_bucket{route="/x",le="0.0001"} 1',
  ]);
  expect(lines.filter((line) => line.includes('le="0.001"') || line.includes('le="0.0025"'))).toEqual([
    'd_seconds_bucket{route="/x",le="0.001"} 1',
    'd_seconds_bucket{route="/x",le="0.0025"} 2',
  ]);
  expect(lines.slice(-5)).toEqual([
    'd_seconds_bucket{route="/x",le="10"} 2',
    'd_seconds_bucket{route="/x",le="+Inf"} 3',
    'd_seconds_sum{route="/x"} 20.00205',
    'd_seconds_count{route="/x"} 3',
    '',
  ]);
});
