/** `svc attest watch --interval`: judges the records again and again, and serves the counts as metrics until it is stopped. */
import { setTimeout as delay } from 'node:timers/promises';
import { startMetricsListener } from '../../src/telemetry/admin-listener.ts';
import { family, one, type MetricFamily } from '../../src/telemetry/exposition.ts';
import { CommandFailed, type ExitCode } from '../exit-codes.ts';
import { runUntilStopped } from '../until-stopped.ts';
import { RECORD_PROBLEMS, type Proposal } from './record-judgement.ts';

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

export interface Watch {
  readonly metricsPort: number;
  close(): Promise<void>;
}

/** Runs until the command is stopped. */
export function watchRecords(options: WatchOptions): Promise<ExitCode> {
  return runUntilStopped(async (onShutdown) => {
    const watch = await startWatch(options);
    onShutdown(watch.close);
    process.stderr.write(`metrics on http://127.0.0.1:${watch.metricsPort}/metrics\n`);
  });
}

/** Starts to judge at the interval. A failed judgement is counted, reported and repeated. */
export async function startWatch({ judge, show, intervalSeconds, metricsPort }: WatchOptions): Promise<Watch> {
  const counts: Counts = { proposals: [], runs: 0, failures: 0, lastRunSeconds: 0 };
  const stopping = new AbortController();
  const listen = { host: '127.0.0.1', port: metricsPort };
  const listener = await startMetricsListener(listen, () => Promise.resolve(listMetrics(counts)));
  const ended = run();
  return {
    metricsPort: listener.port,
    async close() {
      stopping.abort();
      await listener.close();
      await ended;
    },
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await judgeOnce();
      await delay(intervalSeconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function judgeOnce(): Promise<void> {
    try {
      counts.proposals = await judge();
      counts.runs += 1;
      counts.lastRunSeconds = Math.floor(Date.now() / 1000);
      if (counts.proposals.length > 0) show(counts.proposals);
    } catch (error) {
      counts.failures += 1;
      const reason = error instanceof CommandFailed ? error.message : 'the records could not be judged';
      process.stderr.write(`svc: ${reason}\n`);
    }
  }
}

function listMetrics({ proposals, runs, failures, lastRunSeconds }: Counts): readonly MetricFamily[] {
  return [
    family(
      'gauge',
      'svc_attest_watch_proposals',
      'Proposals of the last judgement, by problem.',
      RECORD_PROBLEMS.map((problem) => ({
        labels: { problem },
        value: proposals.filter((each) => each.problem === problem).length,
      })),
    ),
    family('counter', 'svc_attest_watch_runs_total', 'Complete judgements of all records.', one(runs)),
    family(
      'counter',
      'svc_attest_watch_failures_total',
      'Judgements that failed because something could not be read.',
      one(failures),
    ),
    family(
      'gauge',
      'svc_attest_watch_last_run_timestamp_seconds',
      'Unix time of the last complete judgement; 0: none yet.',
      one(lastRunSeconds),
    ),
  ];
}
