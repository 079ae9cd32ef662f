/** `svc attest watch --interval`: judges the records again and again, and serves the counts as metrics until it is stopped. */
import { setTimeout as delay } from 'node:timers/promises';
import { startMetricsListener } from '../../src/telemetry/admin-listener.ts';
import type { MetricFamily } from '../../src/telemetry/exposition.ts';
import { CommandFailed, type ExitCode } from '../exit-codes.ts';
import { runUntilStopped } from '../until-stopped.ts';
import { RECORD_PROBLEMS, type Proposal } from './standing-records.ts';

export interface WatchOptions {
  /** Throws `CommandFailed`. */
  readonly judge: () => Promise<readonly Proposal[]>;
  readonly show: (proposals: readonly Proposal[]) => void;
  readonly intervalSeconds: number;
  /** 0: any free port. */
  readonly metricsPort: number;
}

interface Counts {
  proposals: readonly Proposal[];
  runs: number;
  failures: number;
  lastRunSeconds: number;
}

/** Resolves when it is stopped. A failed judgement is counted, reported and repeated. */
export function watchRecords({ judge, show, intervalSeconds, metricsPort }: WatchOptions): Promise<ExitCode> {
  const counts: Counts = { proposals: [], runs: 0, failures: 0, lastRunSeconds: 0 };
  return runUntilStopped(async (onShutdown) => {
    const listener = await startMetricsListener({ host: '127.0.0.1', port: metricsPort }, () =>
      Promise.resolve(listMetrics(counts)),
    );
    onShutdown(() => listener.close());
    process.stderr.write(`metrics on http://127.0.0.1:${listener.port}/metrics\n`);
    const stopping = new AbortController();
    onShutdown(() => {
      stopping.abort();
      return Promise.resolve();
    });
    while (!stopping.signal.aborted) {
      await judgeOnce();
      await delay(intervalSeconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  });

  async function judgeOnce(): Promise<void> {
    try {
      counts.proposals = await judge();
      counts.runs += 1;
      counts.lastRunSeconds = Math.floor(Date.now() / 1000);
      if (counts.proposals.length > 0) show(counts.proposals);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      counts.failures += 1;
      process.stderr.write(`svc: ${error.message}\n`);
    }
  }
}

function listMetrics({ proposals, runs, failures, lastRunSeconds }: Counts): readonly MetricFamily[] {
  return [
    {
      name: 'svc_attest_watch_proposals',
      help: 'Standing records that should not stand, by problem.',
      type: 'gauge',
      samples: RECORD_PROBLEMS.map((problem) => ({
        labels: { problem },
        value: proposals.filter((each) => each.problem === problem).length,
      })),
    },
    counter('svc_attest_watch_runs_total', 'Complete judgements of all records.', runs),
    counter('svc_attest_watch_failures_total', 'Judgements that failed because something could not be read.', failures),
    {
      name: 'svc_attest_watch_last_run_timestamp_seconds',
      help: 'Unix time of the last complete judgement; 0: none yet.',
      type: 'gauge',
      samples: [{ labels: {}, value: lastRunSeconds }],
    },
  ];
}

function counter(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: 'counter', samples: [{ labels: {}, value }] };
}
