/**
 * Simulation campaign: `node sim/run.ts [--seeds N] [--from S] [--workers W] [--index-proof MODE] [--poisoned-profiles]` runs N
 * seeds in W processes. A failed seed is printed with the command that replays it; `SEED=n node sim/run.ts` replays one seed and
 * prints its whole trace. A stopped campaign completes the seeds that run, and its last line names the seed to continue from.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { INDEX_PROOFS } from '../src/domain/index-rules/index-proof.ts';
import { addFigures, createFigures } from './figures.ts';
import { runSeed, type SeedResult } from './run-seed.ts';
import { InjectClient } from './service/service.ts';
import type { Report } from './worker.ts';

/** Single-threaded garbage collection leaves the other core to the other worker. Stack traces are for a replay. */
const WORKER_OPTIONS = ['--single-threaded-gc', '--max-semi-space-size=32', '--stack-trace-limit=0'];
const TAIL_LINES = 25;
/** Number of seeds after which a campaign shows that it advances. */
const FIRST_PROGRESS = 10;
/** Number of failed seeds whose traces are printed. */
const SHOWN_FAILURES = 3;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    'index-proof': { type: 'string', default: 'background' },
    'poisoned-profiles': { type: 'boolean', default: false },
  },
});
const indexProof = INDEX_PROOFS.find((mode) => mode === values['index-proof']);
if (indexProof === undefined) throw new TypeError(`--index-proof must be one of ${INDEX_PROOFS.join(', ')}`);

const options = { indexProof, poisonsProfiles: values['poisoned-profiles'] };
const flags = `--index-proof ${indexProof}${options.poisonsProfiles ? ' --poisoned-profiles' : ''}`;

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Replays one seed. Returns whether it holds. */
async function replay(seed: number): Promise<boolean> {
  const client = await InjectClient.open();
  const { trace, hash, failure, figures } = await runSeed({ seed, client, print: true, ...options });
  for (const line of trace) print(line);
  print(JSON.stringify(figures));
  print(`trace ${hash}`);
  if (failure !== undefined) print(`SEED=${seed} failed: ${failure}`);
  return failure === undefined;
}

/** Runs many seeds. Returns whether all hold. */
async function runMany(from: number, count: number): Promise<boolean> {
  const total = createFigures();
  const failed: SeedResult[] = [];
  const startedAt = performance.now();
  let next = from;
  let done = 0;
  let isStopped = false;
  // Ctrl+C at a terminal arrives twice: from the terminal, and forwarded by the parent.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (isStopped = true));

  function note(result: SeedResult): void {
    addFigures(total, result.figures);
    done += 1;
    if (done === FIRST_PROGRESS || done % 1_000 === 0) print(`${done} seeds, ${failed.length} failed`);
    if (result.failure === undefined) return;
    failed.push(result);
    print(`SEED=${result.seed} node sim/run.ts ${flags}`);
    print(`  ${result.failure}`);
    if (failed.length <= SHOWN_FAILURES) for (const line of result.trace.slice(-TAIL_LINES)) print(`  | ${line}`);
  }

  const cpuSeconds = await Promise.all(
    Array.from(
      { length: Number(values.workers) },
      () =>
        new Promise<number>((resolve, reject) => {
          let usedSeconds = 0;
          const worker = fork(join(import.meta.dirname, 'worker.ts'), flags.split(' '), {
            execArgv: WORKER_OPTIONS,
            // A signal of the terminal stops the campaign, not the seeds that run.
            detached: true,
          });
          worker.on('message', (message: 'ready' | Report) => {
            if (message !== 'ready') {
              note(message.result);
              usedSeconds = message.cpuSeconds;
            }
            if (isStopped || next >= from + count) {
              worker.disconnect();
              resolve(usedSeconds);
            } else worker.send(next++);
          });
          worker.on('exit', (code) => {
            if (code !== null && code !== 0) reject(new Error(`a worker exited with ${code}`));
          });
        }),
    ),
  );

  const seconds = (performance.now() - startedAt) / 1000;
  const { responses, ...rest } = total;
  const used = cpuSeconds.reduce((sum, each) => sum + each, 0);
  print(`seeds ${done}, wrong ${failed.length}, seconds ${seconds.toFixed(1)}, of CPU ${used.toFixed(1)}`);
  print(`requests ${JSON.stringify(responses)}`);
  print(JSON.stringify(rest));
  const seeds = failed.map(({ seed }) => seed).sort((a, b) => a - b);
  print(`summary ${JSON.stringify({ flags, from, seeds: done, wrong: seeds.length, failed: seeds, next })}`);
  return failed.length === 0;
}

const { SEED } = process.env;
const isSound =
  SEED === undefined ? await runMany(Number(values.from), Number(values.seeds)) : await replay(Number(SEED));
process.exit(isSound ? 0 : 1);
